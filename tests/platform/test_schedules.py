"""Schedules: when they tick, that a tick is claimed once, and what re-indexing does."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from clew import Clew
from clew.errors import InvalidRequest, ScheduleBusy, UnknownSchedule
from clew.jobs.ticker import Ticker
from clew.jobs.timing import MISSED_LIMIT, Timing, checked_timing
from clew.results.schedule import NewSchedule, PlannedBench, PlannedTraining, Reindexing
from clew.settings import Settings
from clew.telemetry.request import within
from clew_cypher.errors import UnknownCorpus
from clew_cypher.jobs import schedules as graph
from clew_cypher.jobs.ledger import get_job, list_jobs, take_job
from clew_cypher.store import GraphStore

from ..command_line import call_clew
from ..running_clew import OwnSettings
from .schedule_runs import nightly

BERLIN = ZoneInfo("Europe/Berlin")


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, fold: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=BERLIN, fold=fold).timestamp()


def utc(ticks: list[int]) -> list[str]:
    return [datetime.fromtimestamp(tick, UTC).strftime("%d %H:%M") for tick in ticks]


def berlin(cron: str) -> Timing:
    return checked_timing(cron, None, "Europe/Berlin", int(at(2026, 1, 1)))


# when


def test_a_fixed_time_whose_hour_is_left_out_runs_right_after() -> None:
    # 29 March 2026: 2:00 becomes 3:00, which is 1:00 UTC
    assert utc(berlin("30 2 * * *").upcoming(at(2026, 3, 28), 3)) == [
        "28 01:30",
        "29 01:00",
        "30 00:30",
    ]


def test_a_fixed_time_whose_hour_comes_twice_runs_once() -> None:
    # 25 October 2026: 3:00 becomes 2:00
    expected = ["24 00:30", "25 00:30", "26 01:30"]
    assert utc(berlin("30 2 * * *").upcoming(at(2026, 10, 24), 3)) == expected
    within = at(2026, 10, 25, 2, 20, fold=1)  # after the change: that day's run is over
    assert utc([berlin("30 2 * * *").next(within)]) == ["26 01:30"]


def test_every_hour_follows_the_time_that_passes() -> None:
    hours = berlin("0 * * * *").upcoming(at(2026, 10, 25, 1, 30), 4)
    assert {after - before for before, after in pairwise(hours)} == {3600}


def test_an_interval_counts_from_its_start() -> None:
    timing = checked_timing(None, 900, "UTC", 1000)
    assert timing.upcoming(1000, 3) == [1900, 2800, 3700]
    assert timing.next(1899.9) == 1900
    assert timing.next(1900) == 2800
    assert timing.missed(1900, 3700) == 2
    assert timing.missed(1900, 1900 + 900 * 5000) == MISSED_LIMIT


@pytest.mark.parametrize(
    ("cron", "every_s", "zone"),
    [
        (None, None, "UTC"),
        ("0 3 * * *", 900, "UTC"),
        ("0 3 * *", None, "UTC"),
        ("0 0 3 * * *", None, "UTC"),
        ("61 3 * * *", None, "UTC"),
        ("0 0 30 2 *", None, "UTC"),
        ("0 3 * * *", None, "Europe/Nowhere"),
        ("0 3 * * *", None, "../../etc/passwd"),
        ("0 3 * * *", None, ""),
        (None, 59, "UTC"),
    ],
)
def test_what_never_ticks_is_refused(cron: str | None, every_s: int | None, zone: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        checked_timing(cron, every_s, zone, 0)
    assert caught.value.remedy


# one run a tick


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, schedule_look_s=0.1)


@pytest.fixture
def schedule(store: GraphStore, corpus: str) -> Iterator[graph.Schedule]:
    made = graph.create_schedule(
        store,
        name="Nightly",
        kind="reindex",
        corpus=corpus,
        params={"sources": ["/nowhere"]},
        cron=None,
        every_s=60,
        zone="UTC",
        start_s=0,
        next_s=60,
    )
    yield made
    graph.delete_schedule(store, made.id)


def look(store: GraphStore, settings: Settings, now_s: float) -> list[str]:
    return Ticker(store, settings, lambda job_id, kind: None).look(now_s)


def end_jobs(store: GraphStore, corpus: str) -> None:
    text = "CYPHER 25 MATCH (j:Job {corpus: $corpus}) SET j.state = 'done'"
    store.run_declared(text, {"corpus": corpus})


def test_many_tickers_at_once_start_one_job_a_tick(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    ticks = 25
    barrier = threading.Barrier(4)
    woken: list[str] = []

    def ticker(_: int) -> None:
        mine = Ticker(store, settings, lambda job_id, kind: woken.append(job_id))
        for number in range(1, ticks + 1):
            barrier.wait(timeout=60)
            mine.look(number * 60.0)
            if barrier.wait(timeout=60) == 0:
                end_jobs(store, schedule.corpus)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ticker, range(4)))
    runs = graph.schedule_runs(store, schedule.id, 100)
    assert sorted(run.tick_s for run in runs) == [60 * n for n in range(1, ticks + 1)]
    jobs = {job.id for job in list_jobs(store, schedule.corpus, limit=100)}
    assert len(woken) == len(set(woken)) == len(jobs) == ticks
    assert {run.job_id for run in runs} == jobs == set(woken)


def test_a_tick_is_not_claimed_before_it_has_come(
    store: GraphStore, schedule: graph.Schedule
) -> None:
    # what a ticker gets that reads the schedule while another one moves it on
    assert graph.claim_tick(store, schedule, next_s=120, missed=0, now_s=59) is None
    assert graph.schedule_runs(store, schedule.id, 9) == []
    assert graph.claim_tick(store, schedule, next_s=120, missed=0, now_s=60) is not None


def test_a_tick_is_skipped_and_recorded_while_the_job_before_is_not_over(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    (first,) = look(store, settings, 60)
    assert look(store, settings, 120) == []
    assert take_job(store, first, "me", lease_s=60, attempts=3)
    assert look(store, settings, 180) == []
    end_jobs(store, schedule.corpus)
    (later,) = look(store, settings, 240)
    found = [
        (run.tick_s, run.state, run.job_id) for run in graph.schedule_runs(store, schedule.id, 9)
    ]
    assert found == [
        (240, "started", later),
        (180, "skipped", first),
        (120, "skipped", first),
        (60, "started", first),
    ]


def test_missed_ticks_give_one_run_that_says_how_many(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    assert len(look(store, settings, 60 * 10 + 5)) == 1
    (run,) = graph.schedule_runs(store, schedule.id, 9)
    assert (run.tick_s, run.missed, run.claimed_s) == (60, 9, 605)
    end_jobs(store, schedule.corpus)
    assert look(store, settings, 60 * 10 + 59) == []
    assert len(look(store, settings, 60 * 11)) == 1


def test_a_clock_set_back_repeats_nothing_and_strands_nothing(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    year = 366 * 86_400
    assert len(look(store, settings, year)) == 1  # the clock was wrong
    end_jobs(store, schedule.corpus)
    assert look(store, settings, 90) == []  # it is set right: the schedule goes on from here
    assert look(store, settings, 119) == []
    assert len(look(store, settings, 120)) == 1
    end_jobs(store, schedule.corpus)
    assert look(store, settings, 110) == []  # a little back: 120 has run
    assert len(look(store, settings, 180)) == 1
    ticks = [run.tick_s for run in graph.schedule_runs(store, schedule.id, 9)]
    assert sorted(ticks) == [60, 120, 180]


def test_after_a_clock_set_back_by_hours_ticks_that_ran_come_again(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    for now in (60, 120, 180, 3 * 3600):
        assert len(look(store, settings, now)) == 1
        end_jobs(store, schedule.corpus)
    assert look(store, settings, 70) == []  # set back by nearly three hours
    again = []
    for now in (120, 180, 240):
        again += look(store, settings, now)
        end_jobs(store, schedule.corpus)
    assert len(set(again)) == 3
    ticks = [run.tick_s for run in graph.schedule_runs(store, schedule.id, 9)]
    assert sorted(ticks) == [60, 120, 120, 180, 180, 240, 240]


def test_a_paused_schedule_rests_and_makes_up_for_nothing(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    assert graph.pause_schedule(store, schedule.id)
    assert look(store, settings, 600) == []
    assert graph.resume_schedule(store, schedule.id, next_s=660, now_s=600)
    assert look(store, settings, 659) == []
    assert len(look(store, settings, 660)) == 1
    (run,) = graph.schedule_runs(store, schedule.id, 9)
    assert (run.tick_s, run.missed) == (660, 0)


def test_a_ticker_that_runs_claims_by_the_databases_clock(
    store: GraphStore, settings: Settings, schedule: graph.Schedule
) -> None:
    woken = threading.Event()
    ticker = Ticker(store, settings, lambda job_id, kind: woken.set())
    ticker.start()
    assert woken.wait(20)
    ticker.stop()
    (run,) = graph.schedule_runs(store, schedule.id, 9)
    assert abs(run.claimed_s - time.time()) < 30
    assert run.missed == MISSED_LIMIT


# as users see them


@pytest.fixture
def clew(own_settings: OwnSettings, corpus: str, tmp_path: Path) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path / "home",
        corpus=corpus,
        broker_url="redis://127.0.0.1:9/0",  # nobody listens: the ledger alone has the job
        schedule_folders=str(tmp_path / "shared"),
    )
    with Clew(settings) as opened:
        yield opened
        for schedule in opened.schedules(corpus):
            opened.delete_schedule(schedule.id)


def test_a_schedule_is_made_run_paused_and_deleted(clew: Clew, tmp_path: Path, corpus: str) -> None:
    made = clew.add_schedule(nightly(tmp_path))
    assert clew.schedules(corpus) == [made]
    assert made.kind == "reindex"
    assert [moment[11:16] for moment in made.next_runs] == ["03:00"] * 3
    with within({"request_id": "asked-by-me"}):
        job = clew.run_schedule(made.id)
    assert (job.kind, job.corpus, job.state) == ("reindex", corpus, "queued")
    entered = get_job(clew.resources.store, job.id)
    assert entered is not None
    assert entered.request == {"request_id": "asked-by-me"}
    with pytest.raises(ScheduleBusy, match=job.id):
        clew.run_schedule(made.id)
    (run,) = clew.schedule_runs(made.id)
    assert run.by_hand
    assert run.job_id == job.id
    assert clew.schedule(made.id).last_run == run
    assert clew.pause_schedule(made.id).next_runs == ()
    assert clew.resume_schedule(made.id).next_runs == made.next_runs
    clew.delete_schedule(made.id)
    for call in (clew.schedule, clew.schedule_runs, clew.run_schedule, clew.delete_schedule):
        with pytest.raises(UnknownSchedule):
            call(made.id)
    assert clew.job(job.id).state == "queued"


def test_what_cannot_be_done_is_refused_before_it_is_scheduled(clew: Clew, tmp_path: Path) -> None:
    when = {"name": "x", "every_s": 3600}
    for asked in (
        NewSchedule(**when),
        NewSchedule(**when, train=PlannedTraining(method="dense")),
        NewSchedule(**when, reindex=Reindexing(sources=(str(tmp_path / "missing"),))),
        NewSchedule(**when, bench=PlannedBench(), train=PlannedTraining(method="contextual")),
    ):
        with pytest.raises(InvalidRequest):
            clew.add_schedule(asked)
    with pytest.raises(UnknownCorpus):
        clew.add_schedule(NewSchedule(**when, bench=PlannedBench(strategies=("dense",))))
    assert clew.schedules(clew.settings.corpus) == []


def test_over_the_network_only_the_folders_of_the_setting_are_read(
    clew: Clew, tmp_path: Path
) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    shared.mkdir()
    private.mkdir()
    (shared / "out").symlink_to(private)
    assert clew.add_schedule(nightly(shared), confined=True).params["confined"] is True
    for folder in (private, shared / "out", shared / ".." / "private", tmp_path, Path("~nosuch/x")):
        with pytest.raises(InvalidRequest, match="reads no such folder"):
            clew.add_schedule(nightly(folder), confined=True)


def test_the_command_line_says_when_and_what(clew: Clew, tmp_path: Path) -> None:
    settings = clew.settings
    assert settings.neo4j_password is not None
    environment = {
        "CLEW_HOME": str(settings.home),
        "NEO4J_URI": str(settings.neo4j_uri),
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "CLEW_BROKER_URL": "redis://127.0.0.1:9/0",
        "CLEW_CORPUS": settings.corpus,
    }
    assert "Nothing is scheduled" in call_clew(environment, "schedules").stdout
    added = call_clew(environment, "schedules", "reindex", str(tmp_path), "--every", "6h", "--json")
    schedule = json.loads(added.stdout)
    assert "every 6 h" in call_clew(environment, "schedules").stdout
    assert "paused" in call_clew(environment, "schedules", "pause", schedule["id"]).stdout
    assert "runs next" in call_clew(environment, "schedules", "resume", schedule["id"]).stdout
    assert "started" in call_clew(environment, "schedules", "run", schedule["id"]).stdout
    assert "by hand" in call_clew(environment, "schedules", "history", schedule["id"]).stdout
    busy = call_clew(environment, "schedules", "run", schedule["id"], code=3)
    assert "not over" in busy.stderr
    wrong = call_clew(environment, "schedules", "bench", "--every", "soon", code=2)
    assert "15m, 6h or 1d" in wrong.stderr
    call_clew(environment, "schedules", "delete", schedule["id"])
    assert clew.schedules(settings.corpus) == []
