"""What evidence cites, of all kinds alike; and that journals and runs of earlier versions load."""

import gzip
import json
from pathlib import Path

import pytest

from clew.evaluation.asking import cited
from clew.evaluation.journal import Journal
from clew.evaluation.run import Outcome
from clew.evaluation.runs import load_figures, load_run, read_run
from clew.evaluation.summary import summarise
from clew.evaluation.validating import check
from clew.results.evidence import Evidence, EvidencePath, PathEdge, PathNode, ScoredChunk
from clew.results.explanation import (
    Found,
    Quote,
    QuotesCard,
    Round,
    RoundsCard,
    Span,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)
from clew_cypher.checking.validity import Cited, CitedEdge
from clew_cypher.jobs.bench_runs import delete_bench_run, save_bench_run
from clew_cypher.store import GraphStore

OLD_RUN = Path(__file__).parents[1] / "data" / "bench-run-before-cards.json"
EVIDENCE = Evidence(
    question="Who?",
    corpus="nowhere",
    strategy="any",
    chunks=(ScoredChunk(id="c1", document_id="d1", title="One", text="…", score=1.0),),
    paths=(
        EvidencePath(
            nodes=(
                PathNode(id="e1", kind="entity", label="E"),
                PathNode(id="c2", kind="chunk", label="C"),
            ),
            edges=(PathEdge(source="e1", target="c2", kind="MENTIONED_IN"),),
        ),
    ),
    explanation=(
        QuotesCard(
            title="Quotes",
            quotes=(
                Quote(
                    text="a",
                    spans=(
                        Span(chunk_id="c3", sentence_id="s1", text="a"),
                        Span(chunk_id="c4", text="b"),
                    ),
                    chunk_ids=("c5",),
                ),
            ),
        ),
        SubgraphCard(
            title="Graph",
            nodes=(
                SubgraphNode(id="e2", kind="entity", label="E"),
                SubgraphNode(id="s2", kind="sentence", label="S"),
                SubgraphNode(id="c6", kind="chunk", label="C"),
                SubgraphNode(id="d2", kind="document", label="D"),
            ),
            edges=(
                SubgraphEdge(source="e2", target="s2", kind="HEAD_OF"),
                SubgraphEdge(source="e2", target="e1", kind="RELATION", id="t1"),
            ),
        ),
        RoundsCard(
            title="Rounds", rounds=(Round(number=1, asked="?", found=(Found(id="c7", title=""),)),)
        ),
    ),
)
CITED = Cited(
    chunks=frozenset(f"c{n}" for n in range(1, 8)),
    entities=frozenset(["e1", "e2"]),
    sentences=frozenset(["s1", "s2"]),
    documents=frozenset(["d2"]),
    triples=frozenset(["t1"]),
    edges=frozenset(
        [
            CitedEdge("e1", "c2", "MENTIONED_IN"),
            CitedEdge("e2", "s2", "HEAD_OF"),
            CitedEdge("e2", "e1", "RELATION"),
        ]
    ),
)


def test_all_that_cards_and_paths_name_is_cited() -> None:
    assert cited(EVIDENCE) == CITED


def test_what_does_not_exist_is_missing_whatever_card_names_it(store: GraphStore) -> None:
    outcome = Outcome(strategy="any", question_id="q")
    (validity,) = check(store, "nowhere", [(outcome, CITED)])
    assert validity is not None
    assert validity.checked == len(CITED) == 16
    assert set(validity.missing) == {
        *(f"c{n}" for n in range(1, 8)),
        *("e1", "e2", "s1", "s2", "d2", "t1"),
        *("e1 → c2", "e2 → s2", "e2 → e1"),
    }


def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "run.jsonl")


def test_what_is_cited_comes_back_from_a_journal(tmp_path: Path) -> None:
    with journal(tmp_path) as first:
        first.add(Outcome(strategy="any", question_id="q"), CITED, {})
    with journal(tmp_path) as second:
        assert second.content.unchecked == {0: CITED}


@pytest.mark.parametrize(
    ("old", "edges", "triples"),
    [
        ([["c1"], ["e1"], [["e1", "c1"]]], {("e1", "c1", "MENTIONED_IN")}, set()),
        (
            [["c1"], ["e1"], [["e1", "c1"]], [["e1", "e2"]], ["t1"]],
            {("e1", "c1", "MENTIONED_IN"), ("e1", "e2", "RELATION")},
            {"t1"},
        ),
    ],
)
def test_journals_of_earlier_versions_are_read(
    tmp_path: Path, old: list[list[object]], edges: set[object], triples: set[str]
) -> None:
    outcome = Outcome(strategy="any", question_id="q").model_dump(mode="json")
    line = json.dumps({"outcome": outcome, "cited": old, "chunks": {}})
    (tmp_path / "run.jsonl").write_text(line + "\n")
    with journal(tmp_path) as read:
        (found,) = read.content.unchecked.values()
    assert found.chunks == {"c1"}
    assert found.entities == {"e1"}
    assert not found.sentences
    assert found.edges == edges
    assert found.triples == triples


def test_a_run_that_was_kept_before_there_were_cards_loads(store: GraphStore) -> None:
    data = OLD_RUN.read_bytes()
    whole = read_run(OLD_RUN)
    figures = summarise(whole).model_dump_json().encode()
    save_bench_run(
        store,
        whole.id,
        created_at=whole.created_at,
        info="{}",
        figures=gzip.compress(figures),
        data=gzip.compress(data),
    )
    try:
        assert load_run(store, whole.id) == whole
        assert {outcome.strategy for outcome in whole.outcomes} == {"guided", "translator"}
        assert all(outcome.validity and outcome.paths for outcome in whole.outcomes)
        assert load_figures(store, whole.id) == summarise(whole)
    finally:
        delete_bench_run(store, whole.id)
