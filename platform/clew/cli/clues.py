"""Clues under `--explain`: what a question was translated into, and where that led, as a tree."""

import math
from collections import defaultdict
from collections.abc import Sequence

from rich.text import Text
from rich.tree import Tree

from clew.cli.output import console
from clew.evidence import ClueSentence, Evidence, EvidenceClue

SENTENCES = 3
"""Sentences of one clue that are printed; `--json` has more."""
LEAST = 0.0001
"""A smaller probability is not said in per cent."""
ARROWS = {"forward": " → ", "reverse": " ← "}
ROLES = {"forward": "sentences about it", "reverse": "sentences that mention it"}


def show_clues(evidence: Evidence) -> None:
    """Print the clues, where the strategy makes any."""
    if evidence.clues:
        console.print(clue_tree(evidence))


def clue_tree(evidence: Evidence) -> Tree:
    """Return the clues likeliest first, each with its sentences and passages; a clue that another
    one led to hangs below that one.
    """
    ranked = {chunk.id: (rank, chunk.title) for rank, chunk in enumerate(evidence.chunks, 1)}
    led_to: dict[int | None, list[int]] = defaultdict(list)
    for number, clue in enumerate(evidence.clues):
        led_to[clue.after].append(number)
    tree = Tree(Text("Clues", "bold"), guide_style="dim")
    waiting = [(tree, number) for number in led_to[None]]
    while waiting:
        parent, number = waiting.pop(0)
        clue = evidence.clues[number]
        branch = parent.add(_heading(number + 1, clue))
        for sentence in clue.sentences[:SENTENCES]:
            branch.add(_sentence(clue, sentence, ranked))
        branch.add(_passages(clue, ranked))
        waiting += [(branch, next_) for next_ in led_to[number]]
    return tree


def likelihood(score: float) -> str:
    """Return a log-probability in words, with its share in per cent where that is not tiny.

    A base model gives any long text a tiny probability; the logarithms still tell clues apart.
    """
    probability = math.exp(score)
    if probability < LEAST:
        return f"log-probability {score:.2f}"
    share = f"{probability:.0%}" if probability >= 0.1 else f"{100 * probability:.2g}%"
    return f"log-probability {score:.2f} ({share})"


def _heading(number: int, clue: EvidenceClue) -> Text:
    relation = clue.relation.strip("# ").replace("##", "…")
    line = Text.assemble(
        (f"{number}. ", "dim"),
        (clue.entity, "bold cyan"),
        (ARROWS[clue.direction], "dim"),
        (relation or "…", "yellow"),
    )
    if clue.tail is not None:
        line.append(ARROWS[clue.direction], "dim").append(clue.tail, "bold cyan")
    facts = (
        _origin(clue),
        ROLES[clue.direction],
        likelihood(clue.score),
    )
    return line.append(f"  {', '.join(facts)}", "dim")


def _origin(clue: EvidenceClue) -> str:
    if clue.after is not None:
        return f"from clue {clue.after + 1}"
    return "named in the question" if clue.named else "written by the model"


def _sentence(
    clue: EvidenceClue, sentence: ClueSentence, ranked: dict[str, tuple[int, str]]
) -> Text:
    text = Text(sentence.text.replace("\n", " "))
    if clue.entity:
        text.highlight_words(
            [clue.entity, *filter(None, [clue.tail])], "cyan", case_sensitive=False
        )
    if sentence.start is not None and sentence.end is not None:
        text.stylize("yellow", sentence.start, sentence.end)
    rank = ranked.get(sentence.chunk_id)
    return Text.assemble("“", text, "”", (f" — {rank[1]}", "bold") if rank else "")


def _passages(clue: EvidenceClue, ranked: dict[str, tuple[int, str]]) -> Text:
    found = sorted(ranked[id_] for id_ in clue.chunk_ids if id_ in ranked)
    parts: Sequence[str] = [f"{rank}. {title}" for rank, title in found]
    lower = len(clue.chunk_ids) - len(found)
    if lower:
        parts = [*parts, f"{lower} not in the evidence"]
    return Text(f"passages: {', '.join(parts) or 'none'}", "dim")
