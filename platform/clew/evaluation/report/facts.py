"""What was measured, on what and with what, as names and values."""

from dataclasses import dataclass
from typing import Any

from clew.evaluation.report.words import NONE, duration, mib, plural
from clew.evaluation.run import BenchRun

ELSEWHERE = "not on this machine"


@dataclass(frozen=True)
class Facts:
    """A titled list of names and values."""

    title: str
    rows: tuple[tuple[str, str], ...]


def facts_of(run: BenchRun) -> tuple[Facts, ...]:
    """Return everything that figures depend on, in groups."""
    return (
        Facts("Data set", tuple(_data_set(run))),
        Facts("Corpus and its index", tuple(_index(run))),
        Facts("Run", tuple(_run(run))),
        Facts("Machine", _pairs(run.machine)),
        Facts("Versions", _pairs(run.versions)),
        Facts("Settings", _pairs(run.settings)),
    )


def _data_set(run: BenchRun) -> list[tuple[str, str]]:
    data = run.data_set
    asked = f"{len(run.questions):,} of {data.total:,}"
    if run.options.limit is not None:
        asked += f", drawn by the seed (limit {run.options.limit:,})"
    return [
        ("Name", data.name),
        ("Format", data.format),
        ("Questions", asked),
        ("Made by a program", "yes: synthetic" if data.synthetic else "no"),
        ("Refused", plural(len(data.refused), "question") if data.refused else "none"),
        ("Documents", f"{data.documents:,}"),
        ("Gold names", f"{data.unit}s"),
        ("Fingerprint", data.fingerprint),
    ]


def _index(run: BenchRun) -> list[tuple[str, str]]:
    index = run.index
    rows = [("Corpus", f"{index.corpus}, revision {index.revision}")]
    rows += [(name.capitalize(), f"{number:,}") for name, number in index.counts.items()]
    took = duration(index.wall_seconds)
    if index.reused:
        rows.append(
            ("Indexing", "reused" + (f"; it took {took} then" if index.wall_seconds else ""))
        )
    else:
        rows.append(("Indexing", took))
    rows += [(f"Stage: {name}", duration(spent)) for name, spent in index.seconds.items()]
    disk = ELSEWHERE if index.disk_bytes is None else mib(index.disk_bytes / 2**20)
    rows.append(("Database on disk", disk))
    return rows


def _run(run: BenchRun) -> list[tuple[str, str]]:
    options, memory = run.options, run.memory
    variants = () if options.ablations is None else options.ablations.variants
    neo4j = ELSEWHERE if memory.neo4j_mib is None else mib(memory.neo4j_mib)
    sessions = "1" if run.sessions == 1 else f"{run.sessions}: it was interrupted and went on"
    overhead = "not known" if run.overhead is None else f"{run.overhead:.1%} of the queries' time"
    return [
        ("Id", run.id),
        ("Started", run.created_at),
        ("Finished", run.finished_at),
        ("Sessions", sessions),
        ("Retrievals and answers", duration(run.seconds)),
        ("Taken by the bench itself", overhead),
        ("Strategies", ", ".join(options.strategies)),
        *(
            (v.name, ", ".join(f"{k} = {value}" for k, value in v.settings.items()))
            for v in variants
        ),
        *((f"Trained version of {name}", one) for name, one in run.trained.items()),
        ("Chunks ranked", str(options.depth)),
        ("Chunks read for an answer", str(options.top_k)),
        ("Reader", options.reader or "none: nothing was answered"),
        ("Judge", "yes" if options.judge else "no"),
        ("MAUVE", "yes" if options.mauve else "no"),
        ("Seed", str(options.seed)),
        ("Memory, peak of the process", mib(memory.process_mib)),
        ("Memory, peak of Neo4j", neo4j),
    ]


def _pairs(values: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, NONE if value is None else str(value)) for name, value in values.items())
