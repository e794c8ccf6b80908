"""A planner without a language model: the question, taken apart by its parse.

    [SUBQ] Who founded the shipyard that built the Aurelia?
    [SUBQ] Who founded the Seld Shipyard?           the name in place of the description
    [SUFFICIENT]                                    nothing is left that describes

The description to resolve first is asked of the passages of all rounds, as the extractive reader
asks (`comprehension/`), and of the lines of knowledge bases, as it asks those: the one end of the
best path. Where they leave its name in doubt, it is searched for itself before. This is what a
trained planner has to beat.
"""

from collections.abc import Sequence

from clew.answering.triple_answers import best_paths, end_of, named_entities
from clew.comprehension.chains import innermost_of, named
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence
from clew.results.evidence import Evidence, EvidenceTriple, ScoredChunk
from clew.results.history import Asked
from clew.strategies.planner.planning import Action, Plan
from clew_ingest.parsing.entity_names import normalise_name

SURE = 0.5
"""From which probability on a name is taken without a search for what it names."""


class RulePlanner:
    """Plans one question by its parse; used by one thread."""

    name = "rules"
    triples: int | None = None

    def __init__(self, question: str, models: ReaderModels) -> None:
        self._question = question
        self._left = question
        self._names: list[str] = []
        self._models = models
        self._read: ReadEvidence | None = None
        self._lines: dict[str, EvidenceTriple] = {}

    def first(self) -> Plan:
        """Return the question."""
        return Plan(Action.SUBQ, self._question)

    def next(
        self,
        rounds: Sequence[Asked],
        passages: Sequence[ScoredChunk],
        lines: Sequence[EvidenceTriple] = (),
    ) -> Plan:
        """Return the part that is to be known next, or what is left once it is."""
        if self._read is None:
            self._read = ReadEvidence(passages, self._models)
        else:
            self._read.add(passages)
        self._lines |= {line.id: line for line in lines}
        # the titles of what was found are names in it: "Louis Of Nassau, Lord Of De Lek's mother"
        part = innermost_of(self._left, self._read)
        if part is None:
            return Plan(Action.SUFFICIENT)
        found = named(part, self._read, (normalise_name(self._question), *self._names))
        unsure = found is None or found.probability < SURE
        if unsure and (stated := self._stated(part.text)) is not None:
            name, likeness = stated
            self._names.append(normalise_name(name))
            self._left = part.replaced(name)
            detail = {"part": part.text, "found": name, "likeness": round(likeness, 3)}
            return Plan(Action.SUBQ, self._left, detail)
        if unsure and all(part.text != one.subquery for one in rounds):
            return Plan(Action.SUBQ, part.text, {"part": part.text})
        if found is None:
            return Plan(Action.SUFFICIENT, detail={"part": part.text, "found": None})
        self._names.append(found.candidate.key)
        self._left = part.replaced(found.candidate.text)
        detail = {
            "part": part.text,
            "found": found.candidate.text,
            "probability": round(found.probability, 3),
        }
        return Plan(Action.SUBQ, self._left, detail)

    def _stated(self, part: str) -> tuple[str, float] | None:
        """Return the one name that lines of knowledge bases lead to, and how like their relations
        are to the part; None where there is none, or several.
        """
        evidence = Evidence(
            question=part, corpus="", strategy="", triples=tuple(self._lines.values())
        )
        found = best_paths(evidence, named_entities(evidence), self._models.embedder)
        if found is None or found[1] < SURE:
            return None
        ends = {end_of(path) for path in found[0]}
        known = {normalise_name(self._question), *self._names}
        if len(ends) > 1 or known & set(map(normalise_name, ends)):
            return None
        return ends.pop(), found[1]
