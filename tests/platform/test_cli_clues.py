"""Clues under `--explain`: what is printed of evidence that was written by hand."""

import json
import math
import re

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from clew.cli import output
from clew.cli.app import app
from clew.cli.clues import clue_tree, likelihood, show_clues
from clew.cli.questions import show_paths
from clew.evidence import ClueSentence, Evidence, EvidenceClue, ScoredChunk
from clew.strategies import STRATEGIES


def chunk(number: int, title: str) -> ScoredChunk:
    return ScoredChunk(id=f"c{number}", document_id="d", title=title, text="…", score=0.5)


FIRST = EvidenceClue(
    entity_id="e1",
    entity="Aurelia",
    relation="was built at ##",
    direction="forward",
    score=math.log(0.7),
    named=True,
    sentences=(
        ClueSentence(
            id="s1", chunk_id="c1", text="The Aurelia was built at Seld [1].", start=12, end=24
        ),
    ),
    chunk_ids=("c1",),
)
SECOND = EvidenceClue(
    entity_id="e2",
    entity="Seld Shipyard",
    relation="founded ## in",
    direction="reverse",
    score=-14.5,
    named=False,
    sentences=tuple(
        ClueSentence(id=f"s{n}", chunk_id="c9", text=f"Ferrand founded Seld Shipyard in 187{n}.")
        for n in range(5)
    ),
    chunk_ids=("c9", "c2", "c1"),
    tail_id="e3",
    tail="Victor Ferrand",
    after=0,
)
EVIDENCE = Evidence(
    question="Who?",
    corpus="sample",
    strategy="translator",
    chunks=(chunk(2, "Seld"), chunk(1, "Aurelia")),
    clues=(FIRST, SECOND),
)


def printed(evidence: Evidence) -> list[str]:
    console = Console(width=160, record=True, force_terminal=False)
    with console.capture() as capture:
        console.print(clue_tree(evidence))
    return capture.get().splitlines()


def test_each_clue_with_its_score_sentences_and_passages() -> None:
    lines = printed(EVIDENCE)
    assert lines == [
        "Clues",
        "└── 1. Aurelia → was built at  named in the question, sentences about it, "
        "log-probability -0.36 (70%)",
        "    ├── “The Aurelia was built at Seld [1].” — Aurelia",
        "    ├── passages: 2. Aurelia",
        "    └── 2. Seld Shipyard ← founded … in ← Victor Ferrand  from clue 1, "
        "sentences that mention it, log-probability -14.50",
        "        ├── “Ferrand founded Seld Shipyard in 1870.”",
        "        ├── “Ferrand founded Seld Shipyard in 1871.”",
        "        ├── “Ferrand founded Seld Shipyard in 1872.”",
        "        └── passages: 1. Seld, 2. Aurelia, 1 not in the evidence",
    ]


def test_a_clue_may_follow_a_later_one() -> None:
    later = EVIDENCE.model_copy(
        update={"clues": (SECOND.model_copy(update={"after": 1}), FIRST)},
    )
    assert [line for line in printed(later) if re.search(r"── \d\. \w+ ?\w* [→←]", line)] == [
        printed(later)[1],
        printed(later)[4],
    ]
    assert "2. Aurelia →" in printed(later)[1]
    assert "    └── 1. Seld Shipyard ←" in printed(later)[4]


def test_the_piece_and_the_name_are_marked_in_the_sentence() -> None:
    sentence = clue_tree(EVIDENCE).children[0].children[0].label
    assert isinstance(sentence, Text)
    marked = {(sentence.plain[span.start : span.end], span.style) for span in sentence.spans}
    assert ("was built at", "yellow") in marked
    assert ("Aurelia", "cyan") in marked


def test_without_clues_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    show_clues(EVIDENCE.model_copy(update={"clues": ()}))
    assert capsys.readouterr().out == ""
    show_clues(EVIDENCE)
    assert "Clues" in capsys.readouterr().out


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
    assert "Where none is named: guided-pagerank" in shown
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
