"""Explanation cards in the terminal: quotes as a tree, a subgraph by its stages, rounds in turn."""

import math
from collections import defaultdict
from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from clew.cli.output import console
from clew.results.evidence import Evidence
from clew.results.explanation import (
    Card,
    Quote,
    QuotesCard,
    Round,
    RoundsCard,
    Span,
    SubgraphCard,
    SubgraphEdge,
)

SPANS = 3
"""Sentences of one quote that are printed; `--json` has more."""
EDGES = 12
"""Edges of one stage of a subgraph that are printed."""
FOUND = 6
"""Passages of one round that are printed."""
SHOWN_LABEL = 60
LEAST = 0.0001
"""A smaller probability is not said in per cent."""
LOG_PROBABILITY = "log-probability"
MASK, FORWARD, REVERSE = "##", "forward", "reverse"
ARROWS = {False: " → ", True: " ← "}
ROLES = {FORWARD: "sentences about it", REVERSE: "sentences that mention it"}
"""How a triple is read, and reversed."""
Ranks = dict[str, tuple[int, str]]
"""A chunk's rank among the evidence and its title, by its id."""


def show_cards(evidence: Evidence) -> None:
    """Print how the evidence was found, where the strategy explains it."""
    ranks = {chunk.id: (rank, chunk.title) for rank, chunk in enumerate(evidence.chunks, 1)}
    for card in evidence.explanation:
        console.print(drawn(card, ranks))


def drawn(card: Card, ranks: Ranks) -> RenderableType:
    """Return a card as it is printed."""
    tree = Tree(Text(card.title, "bold"), guide_style="dim")
    if card.summary:
        tree.add(Text(card.summary, "dim italic"))
    if isinstance(card, QuotesCard):
        _add_quotes(tree, card, ranks)
    elif isinstance(card, SubgraphCard):
        _add_subgraph(tree, card, ranks)
    else:
        _add_rounds(tree, card)
    return tree


def likelihood(score: float) -> str:
    """Return a log-probability in words, with its share in per cent where that is not tiny.

    A base model gives any long text a tiny probability; the logarithms still tell quotes apart.
    """
    probability = math.exp(score)
    if probability < LEAST:
        return f"{LOG_PROBABILITY} {score:.2f}"
    share = f"{probability:.0%}" if probability >= 0.1 else f"{100 * probability:.2g}%"
    return f"{LOG_PROBABILITY} {score:.2f} ({share})"


def round_line(one: Round) -> Text:
    """Return a round in a line: what was asked, found and decided."""
    titles = list(dict.fromkeys(found.title for found in one.found))
    found = ", ".join(titles[:FOUND]) or "nothing"
    more = f" and {len(titles) - FOUND} more" if len(titles) > FOUND else ""
    line = Text.assemble((f"{one.number}. ", "dim"), (one.asked, "bold"), f" — found {found}{more}")
    if one.decided:
        line.append(f"; {one.decided}", "yellow")
    if one.seconds is not None:
        line.append(f"  {one.seconds:.2f} s", "dim")
    return line


def _add_quotes(tree: Tree, card: QuotesCard, ranks: Ranks) -> None:
    """Add the quotes, each with its sentences and passages; what another one led to hangs below
    that one.
    """
    led_to: dict[int | None, list[int]] = defaultdict(list)
    for number, quote in enumerate(card.quotes):
        led_to[quote.after].append(number)
    waiting = [(tree, number) for number in led_to[None]]
    while waiting:
        parent, number = waiting.pop(0)
        quote = card.quotes[number]
        branch = parent.add(_heading(number + 1, quote))
        for span in quote.spans[:SPANS]:
            branch.add(_sentence(quote, span, ranks))
        if ranks or quote.chunk_ids:  # a knowledge base has none
            branch.add(_passages(quote, ranks))
        waiting += [(branch, next_) for next_ in led_to[number]]
    if card.left_out:
        tree.add(Text(f"{card.left_out} more not shown", "dim"))


def _heading(number: int, quote: Quote) -> Text:
    line = Text(f"{number}. ", "dim")
    facts = []
    reverse = REVERSE in quote.tags
    parts = quote.parts
    if not parts:
        if quote.label:
            line.append(quote.label, "bold cyan")
        # a text that is one of the sentences below is not printed twice
        if not quote.label or quote.text not in {span.text for span in quote.spans[:SPANS]}:
            line.append(" " if quote.label else "").append(quote.text, "yellow")
    else:
        relation = parts[1].strip("# ").replace(MASK, "…")
        line.append(parts[0], "bold cyan").append(ARROWS[reverse], "dim")
        line.append(relation or "…", "yellow")
        if len(parts) > 2:
            line.append(ARROWS[reverse], "dim").append(parts[2], "bold cyan")
    if quote.after is not None:
        facts.append(f"from {quote.after + 1}.")
    facts += [tag for tag in quote.tags if not parts or tag not in ROLES]
    if parts:
        facts += [ROLES[tag] for tag in quote.tags if tag in ROLES]
    if quote.score is not None:
        facts.append(_score(quote.score, quote.score_name))
    return line.append(f"  {', '.join(facts)}", "dim") if facts else line


def _score(score: float, name: str) -> str:
    return likelihood(score) if name == LOG_PROBABILITY else f"{name or 'score'} {score:.3g}"


def _sentence(quote: Quote, span: Span, ranks: Ranks) -> Text:
    text = Text(span.text.replace("\n", " "))
    ends = (*quote.parts[:1], *quote.parts[2:])
    names = [name for name in dict.fromkeys([quote.label, *ends]) if name]
    if names:
        text.highlight_words(names, "cyan", case_sensitive=False)
    if span.start is not None and span.end is not None:
        text.stylize("yellow", span.start, span.end)
    rank = ranks.get(span.chunk_id)
    return Text.assemble("“", text, "”", (f" — {rank[1]}", "bold") if rank else "")


def _passages(quote: Quote, ranks: Ranks) -> Text:
    found = sorted(ranks[id_] for id_ in quote.chunk_ids if id_ in ranks)
    parts: Sequence[str] = [f"{rank}. {title}" for rank, title in found]
    lower = len(quote.chunk_ids) - len(found)
    if lower:
        parts = [*parts, f"{lower} not in the evidence"]
    return Text(f"passages: {', '.join(parts) or 'none'}", "dim")


def _add_subgraph(tree: Tree, card: SubgraphCard, ranks: Ranks) -> None:
    """Add the edges of each stage, in which they came."""
    nodes = {node.id: node for node in card.nodes}
    styles = {"entity": "cyan", "chunk": "bold", "sentence": "", "document": "bold"}

    def end(id_: str) -> Text:
        node = nodes.get(id_)
        if node is None:
            return Text(id_, "dim")
        label = " ".join(node.label.split())
        if len(label) > SHOWN_LABEL:
            label = f"{label[: SHOWN_LABEL - 1]}…"
        place = f"{ranks[id_][0]}. " if id_ in ranks else ""
        return Text(f"{place}{label}", styles[node.kind])

    by_stage: dict[int, list[SubgraphEdge]] = defaultdict(list)
    for edge in card.edges:
        by_stage[edge.stage].append(edge)
    for stage, edges in sorted(by_stage.items()):
        named = card.stages[stage] if stage < len(card.stages) else f"Stage {stage + 1}"
        branch = tree.add(Text(named, "bold"))
        for edge in edges[:EDGES]:
            said = f" —{edge.label or edge.kind}→ "
            line = Text.assemble(end(edge.source), (said, "dim"), end(edge.target))
            branch.add(line)
        if len(edges) > EDGES:
            branch.add(Text(f"{len(edges) - EDGES} more edges not shown", "dim"))


def _add_rounds(tree: Tree, card: RoundsCard) -> None:
    for one in card.rounds:
        tree.add(round_line(one))
