"""What is printed of explanations that were written by hand, and of what is told on the way."""

import io
import json
import math
import re
import time

import pytest
from rich.console import Console
from rich.text import Text
from rich.tree import Tree
from typer.testing import CliRunner

from clew.cli import answers, output
from clew.cli.answers import show_paths, show_trace
from clew.cli.app import app
from clew.cli.cards import EDGES, drawn, likelihood, show_cards
from clew.cli.output import ago, table
from clew.results.evidence import (
    Evidence,
    EvidencePath,
    PathEdge,
    PathNode,
    Progress,
    ScoredChunk,
    Told,
    TraceStep,
)
from clew.results.explanation import (
    Card,
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
from clew.strategies.catalogue import STRATEGIES


def chunk(number: int, title: str) -> ScoredChunk:
    return ScoredChunk(id=f"c{number}", document_id="d", title=title, text="…", score=0.5)


FIRST = Quote(
    text="Aurelia@@was built at ##",
    parts=("Aurelia", "was built at ##"),
    label="Aurelia",
    score=math.log(0.7),
    score_name="log-probability",
    spans=(
        Span(
            sentence_id="s1",
            chunk_id="c1",
            text="The Aurelia was built at Seld [1].",
            start=12,
            end=24,
        ),
    ),
    chunk_ids=("c1",),
    tags=("forward", "named in the question"),
)
SECOND = Quote(
    text="Seld Shipyard@@founded ## in@@Victor Ferrand",
    parts=("Seld Shipyard", "founded ## in", "Victor Ferrand"),
    label="Seld Shipyard",
    score=-14.5,
    score_name="log-probability",
    spans=tuple(
        Span(sentence_id=f"s{n}", chunk_id="c9", text=f"Ferrand founded Seld Shipyard in 187{n}.")
        for n in range(5)
    ),
    chunk_ids=("c9", "c2", "c1"),
    tags=("reverse",),
    after=0,
)
QUOTES = QuotesCard(title="Clues", quotes=(FIRST, SECOND))
SUBGRAPH = SubgraphCard(
    title="Where the clues lead",
    nodes=(
        SubgraphNode(id="e1", kind="entity", label="Aurelia"),
        SubgraphNode(id="s1", kind="sentence", label="The Aurelia was built at Seld [1]." * 3),
        SubgraphNode(id="c1", kind="chunk", label="Aurelia", stage=1),
    ),
    edges=(
        SubgraphEdge(source="e1", target="s1", kind="HEAD_OF"),
        *[SubgraphEdge(source="s1", target="c1", kind="IN_CHUNK", stage=1)] * (EDGES + 2),
    ),
    stages=("Forward",),
)
ROUNDS = RoundsCard(
    title="Searches",
    summary="A model says what is next.",
    rounds=(
        Round(
            number=1,
            asked="Who?",
            found=(Found(id="c1", title="Aurelia"), Found(id="c2", title="Seld")),
            decided="search for: Where?",
            seconds=0.254,
        ),
        Round(number=2, asked="Where?"),
    ),
)
EVIDENCE = Evidence(
    question="Who?",
    corpus="sample",
    strategy="any",
    chunks=(chunk(2, "Seld"), chunk(1, "Aurelia")),
    explanation=(QUOTES,),
)
RANKS = {"c2": (1, "Seld"), "c1": (2, "Aurelia")}


def printed(*cards: Card) -> list[str]:
    console = Console(width=160, record=True, force_terminal=False)
    with console.capture() as capture:
        for card in cards:
            console.print(drawn(card, RANKS))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_each_quote_with_its_score_sentences_and_passages() -> None:
    assert printed(QUOTES) == [
        "Clues",
        "└── 1. Aurelia → was built at  named in the question, sentences about it, "
        "log-probability -0.36 (70%)",
        "    ├── “The Aurelia was built at Seld [1].” — Aurelia",
        "    ├── passages: 2. Aurelia",
        "    └── 2. Seld Shipyard ← founded … in ← Victor Ferrand  from 1., "
        "sentences that mention it, log-probability -14.50",
        "        ├── “Ferrand founded Seld Shipyard in 1870.”",
        "        ├── “Ferrand founded Seld Shipyard in 1871.”",
        "        ├── “Ferrand founded Seld Shipyard in 1872.”",
        "        └── passages: 1. Seld, 2. Aurelia, 1 not in the evidence",
    ]


def test_a_quote_that_is_no_triple_is_shown_as_it_was_written() -> None:
    text = "@@ROWCOUNT of ##4411 ships"
    plain = Quote(text=text, label="[yard]", score=0.5, tags=("reverse", "plan"))
    card = QuotesCard(title="Plan", summary="What was planned.", quotes=(plain,), left_out=3)
    assert printed(card) == [
        "Plan",
        "├── What was planned.",
        f"├── 1. [yard] {text}  reverse, plan, score 0.5",
        "│   └── passages: none",
        "└── 3 more not shown",
    ]


def test_of_a_knowledge_base_the_lines_and_relations_are_shown_and_no_passages() -> None:
    parts = ("Ella", "spouse", "?")
    quote = Quote(text="@@".join(parts), parts=parts, tags=("anchors", "line 3 of facts"))
    nodes = tuple(SubgraphNode(id=name, kind="entity", label=name) for name in ("Ella", "Tom"))
    edge = SubgraphEdge(source="Ella", target="Tom", kind="RELATION", label="spouse")
    graph = SubgraphCard(title="Found", nodes=nodes, edges=(edge,), stages=("Anchors",))
    console = Console(width=160, record=True, force_terminal=False)
    with console.capture() as capture:
        for card in (QuotesCard(title="Triples", quotes=(quote,)), graph):
            console.print(drawn(card, {}))
    assert [line.rstrip() for line in capture.get().splitlines()] == [
        "Triples",
        "└── 1. Ella → spouse → ?  anchors, line 3 of facts",
        "Found",
        "└── Anchors",
        "    └── Ella —spouse→ Tom",
    ]


def test_a_quote_that_is_a_sentence_of_its_own_is_printed_once() -> None:
    sentence = "The yard built ships."
    span = Span(sentence_id="s1", chunk_id="c2", text=sentence)
    quote = Quote(text=sentence, label="the yard", spans=(span,), chunk_ids=("c2",), tags=("yes",))
    nameless = quote.model_copy(update={"label": ""})
    assert printed(QuotesCard(title="Steps", quotes=(quote, nameless))) == [
        "Steps",
        "├── 1. the yard  yes",
        "│   ├── “The yard built ships.” — Seld",
        "│   └── passages: 1. Seld",
        "└── 2. The yard built ships.  yes",
        "    ├── “The yard built ships.” — Seld",
        "    └── passages: 1. Seld",
    ]


def test_a_quote_may_follow_a_later_one() -> None:
    later = QUOTES.model_copy(
        update={"quotes": (SECOND.model_copy(update={"after": 1}), FIRST)},
    )
    lines = printed(later)
    assert "2. Aurelia →" in lines[1]
    assert "    └── 1. Seld Shipyard ←" in lines[4]


def test_the_piece_and_the_name_are_marked_in_the_sentence() -> None:
    tree = drawn(QUOTES, RANKS)
    assert isinstance(tree, Tree)
    sentence = tree.children[0].children[0].label
    assert isinstance(sentence, Text)
    marked = {(sentence.plain[span.start : span.end], span.style) for span in sentence.spans}
    assert ("was built at", "yellow") in marked
    assert ("Aurelia", "cyan") in marked


def test_a_subgraph_by_the_stages_in_which_it_came() -> None:
    lines = printed(SUBGRAPH)
    label = ("The Aurelia was built at Seld [1]." * 3)[:59]
    assert lines[:4] == [
        "Where the clues lead",
        "├── Forward",
        f"│   └── Aurelia —HEAD_OF→ {label}…",
        "└── Stage 2",
    ]
    assert lines[4] == f"    ├── {label}… —IN_CHUNK→ 2. Aurelia"
    assert lines[-1] == "    └── 2 more edges not shown"
    assert len(lines) == 4 + EDGES + 1


def test_rounds_in_turn() -> None:
    assert printed(ROUNDS) == [
        "Searches",
        "├── A model says what is next.",
        "├── 1. Who? — found Aurelia, Seld; search for: Where?  0.25 s",
        "└── 2. Where? — found nothing",
    ]


def test_without_cards_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    show_cards(EVIDENCE.model_copy(update={"explanation": ()}))
    assert capsys.readouterr().out == ""
    show_cards(EVIDENCE)
    assert "Clues" in capsys.readouterr().out


TOLD: tuple[Told, ...] = (
    Progress(text="Loading a model"),
    TraceStep(name="embed", seconds=0.0124),
    QUOTES,
    SUBGRAPH,
    ROUNDS,
    ROUNDS.rounds[0],
)


def watched(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> str:
    """What is written to standard error while all kinds of news are told."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, width=160, color_system=None)
    monkeypatch.setattr(answers, "errors", console)
    with answers.watching() as tell:
        for told in TOLD:
            tell(told)
            time.sleep(0.2)  # the status line is drawn some times a second
    return written.getvalue()


def test_what_is_told_is_shown_while_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = watched(monkeypatch, terminal=True)
    for words in (
        "Loading a model …",
        "embed took 12 ms …",
        "Clues  Aurelia · was built at ##; Seld Shipyard",
        "Where the clues lead  3 nodes, 15 edges",
        "Searches  2 rounds",
        "1. Who? — found Aurelia, Seld; search for: Where?  0.25 s",
    ):
        assert words in shown


def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, terminal=False) == ""


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0.0, "log-probability 0.00 (100%)"),
        (-2.1, "log-probability -2.10 (12%)"),
        (-4.4, "log-probability -4.40 (1.2%)"),
        (-7.7, "log-probability -7.70 (0.045%)"),
        (-9.3, "log-probability -9.30"),
    ],
)
def test_likelihood_as_logarithm_and_in_per_cent(score: float, words: str) -> None:
    assert likelihood(score) == words


def test_paths_that_are_left_out_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    show_paths(EVIDENCE)
    assert capsys.readouterr().out == ""
    show_paths(EVIDENCE.model_copy(update={"paths_left_out": 5}))
    assert "5 more paths are not shown" in capsys.readouterr().out


def test_a_path_has_the_numbers_of_its_passages(capsys: pytest.CaptureFixture[str]) -> None:
    nodes = (
        PathNode(id="c1", kind="chunk", label="Aurelia"),
        PathNode(id="e1", kind="entity", label="Seld"),
    )
    edges = (PathEdge(source="c1", target="e1", kind="MENTIONED_IN"),)
    show_paths(EVIDENCE.model_copy(update={"paths": (EvidencePath(nodes=nodes, edges=edges),)}))
    shown = capsys.readouterr().out.splitlines()
    assert shown == ["Paths through the graph", "└── 2. Aurelia — Seld"]


def test_a_trace_is_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    detail = {"found": ["Aurelia", "Seld"], "steps": [{"asked": "Who?"}], "none": []}
    step = TraceStep(name="seeds", seconds=0.0124, detail=detail)
    show_trace(EVIDENCE.model_copy(update={"trace": (step,)}), None)
    words = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "seeds 12.4 found Aurelia; Seld, steps asked: Who?, none none" in words


def test_a_column_that_is_empty_in_every_row_is_left_out() -> None:
    made = table("Jobs", ("id", "error", "state"), [("j1", "", "done"), ("j2", Text(""), "done")])
    assert [column.header for column in made.columns] == ["id", "state"]
    assert [list(column.cells) for column in made.columns][1] == [Text("done"), Text("done")]
    assert len(table("Jobs", ("id", "error"), []).columns) == 2


def test_how_long_ago_in_words() -> None:
    assert [ago(seconds) for seconds in (3.2, 119, 120, 7100, 7200)] == [
        "3 s ago",
        "119 s ago",
        "2 min ago",
        "118 min ago",
        "2 h ago",
    ]


def test_every_strategy_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLEW_STRATEGY", "CLEW_LLM_MODEL", "CLEW_ITERATIVE_MODEL", "CLEW_READER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(
        output.console, "width", 200
    )  # COLUMNS counts only when the console is made
    shown = CliRunner().invoke(app, ["strategies"]).output
    for spec in STRATEGIES:
        assert spec.name in shown
        assert spec.summary in shown
    assert "needs a language model, and none is set" in shown
    assert "Where none is named: chain-ranking" in shown
    led = CliRunner().invoke(
        app, ["strategies"], env={"CLEW_LLM_MODEL": "m", "CLEW_STRATEGY": "iterative:dense"}
    )
    assert "none is set" not in led.output
    assert "Where none is named: iterative:dense" in led.output
    listed = json.loads(CliRunner().invoke(app, ["strategies", "--json"]).output)
    assert [one["name"] for one in listed["strategies"]] == [spec.name for spec in STRATEGIES]
    assert listed["strategies"][0]["in_steps"] == f"iterative:{STRATEGIES[0].name}"


@pytest.mark.parametrize("command", ["ask", "search"])
def test_the_help_names_every_strategy(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"]).output
    joined = re.sub(r"[\s│]+", "", shown)
    for spec in STRATEGIES:
        assert spec.name in joined, spec.name
