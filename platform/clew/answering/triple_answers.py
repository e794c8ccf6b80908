"""Answers from triples: the entity at the end of the best connected path from what the question
names.

    question ─▶ named entities ─▶ paths of triples from them ─▶ the path whose relations say most
    of the question ─▶ what stands at its end

A path is known by its relations ("spouse", "child", "gender"): those of the question's words that
name nothing are compared with them, by the embedder. Nothing is guessed: without an entity that
the question names, or a triple at it, there is no answer.
"""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.answering.numbering import Verbatim
from clew.answering.sureness import possibly
from clew.answering.unsupported import NOT_SAID, unsupported_answer
from clew.results.evidence import Answer, Citation, Evidence, EvidenceTriple, TraceStep
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.reading.triple_spool import in_words
from clew_models.embedding.base import Embedder

MOST_HOPS = 4
"""Triples of the longest path."""
BEAM = 8
"""Sequences of relations that are followed on, the likest to the question."""
CLEAR = 0.5
"""From which likeness to the question on an answer is stated plainly; relations that are about
something else stay below."""
MOST_ENDS = 10
"""Ends that are told, where several fit alike."""


@dataclass(frozen=True)
class TriplePath:
    """Triples one after another from an entity that the question names to ``end``."""

    triples: tuple[EvidenceTriple, ...]
    entities: tuple[str, ...]

    @property
    def relations(self) -> str:
        """Its relations in words, those nearest to the end first: so questions name them."""
        return " ".join(in_words(triple.relation) for triple in reversed(self.triples))


def read_triples(
    evidence: Evidence, embedder: Embedder, reader: str, threshold: float
) -> Iterator[str | Answer]:
    """Yield the answer, then the triples of its path, and last the Answer.

    ``threshold``: below this confidence the answer is that the evidence does not say.
    """
    answer, step = triple_answer(evidence, embedder, reader, threshold)
    if answer is None:
        yield NOT_SAID
        yield unsupported_answer(evidence, reader, trace=(step,))
        return
    yield from pieces_of(answer)
    yield answer


def pieces_of(answer: Answer) -> list[str]:
    """Return the text of an answer from triples in the pieces in which it is told."""
    opening, *quotes = re.split(r"(?=\n“)", answer.text)
    return [Verbatim(opening), *quotes]


def triple_answer(
    evidence: Evidence, embedder: Embedder, reader: str, threshold: float
) -> tuple[Answer | None, TraceStep]:
    """Return the answer that lines of knowledge bases give, and how it was looked for; None where
    they give none, or one of a confidence below ``threshold``.

    The confidence is the cosine of the question and the path's relations, and no measured share.
    Lines are numbered behind the passages.
    """
    started = time.perf_counter()
    lines = [one for one in evidence.triples if one.of_base]
    stated = evidence.model_copy(update={"triples": tuple(lines)})
    names = named_entities(stated)
    found = best_paths(stated, names, embedder)
    seconds = time.perf_counter() - started
    detail = {"triples": len(lines), "named": sorted(names.values())}
    step = TraceStep(name="triples", seconds=seconds, detail=detail)
    if found is None or found[1] < threshold:
        return None, step
    paths, likeness = found
    labels = list(dict.fromkeys(end_of(path) for path in paths))[:MOST_ENDS]
    first = len(evidence.chunks) + 1
    numbers = {line.id: number for number, line in enumerate(lines, first)}
    cited = dict.fromkeys(triple for path in paths[:MOST_ENDS] for triple in path.triples)
    citations = tuple(cite_triple(numbers[triple.id], triple) for triple in cited)
    told = ", ".join(labels)
    clear = likeness >= CLEAR
    opening = f"{told}." if clear else possibly(told)
    answer = Answer(
        question=evidence.question,
        text="".join([opening, *(f"\n“{one.quote}” [{one.number}]" for one in citations)]),
        short=labels[0],
        supported=True,
        confidence=min(max(likeness, 0.0), 1.0),
        citations=citations,
        reader=reader,
        evidence=evidence,
        trace=(step,),
    )
    return answer, step


def cite_triple(number: int, triple: EvidenceTriple) -> Citation:
    """Return a citation of a triple, quoted as it is written in words."""
    return Citation(
        number=number,
        chunk_id=triple.chunk_id,
        document_id=triple.document_id,
        title=triple.title,
        quote=triple.text,
        triple_id=triple.id,
        line=triple.line,
    )


def named_entities(evidence: Evidence) -> dict[str, str]:
    """Return the entities of the evidence's triples that the question names, the longest names
    first: by id, the name.
    """
    question = f" {_spaced(evidence.question)} "
    ends = {
        entity: name
        for triple in evidence.triples
        for entity, name in ((triple.head_id, triple.head), (triple.tail_id, triple.tail))
    }
    found: dict[str, str] = {}
    for entity, name in sorted(ends.items(), key=lambda end: (-len(end[1]), end[0])):
        key = _spaced(name)
        if key and f" {key} " in question:
            found[entity] = name
    return _longest(found)


def _longest(found: dict[str, str]) -> dict[str, str]:
    """Leave out names that stand within longer ones: "London" in "London Bridge"."""
    keys = {entity: f" {_spaced(name)} " for entity, name in found.items()}
    return {
        entity: name
        for entity, name in found.items()
        if not any(keys[entity] != other and keys[entity] in other for other in keys.values())
    }


def best_paths(
    evidence: Evidence, names: dict[str, str], embedder: Embedder
) -> tuple[list[TriplePath], float] | None:
    """Return the paths whose relations are likest to what the question asks, and how much.

    All of them have these relations and begin at a named entity; None where there are none.
    """
    if not names:
        return None
    around: dict[str, list[tuple[EvidenceTriple, str]]] = {}
    for triple in evidence.triples:
        around.setdefault(triple.head_id, []).append((triple, triple.tail_id))
        around.setdefault(triple.tail_id, []).append((triple, triple.head_id))
    asked = _without_names(evidence.question, names.values())
    vectors: dict[str, NDArray[np.float32]] = {}
    (question,) = embedder.embed([asked])
    best: tuple[list[TriplePath], float] | None = None
    paths = [TriplePath((), (name,)) for name in sorted(names)]
    for _ in range(MOST_HOPS):
        longer = [
            TriplePath((*path.triples, triple), (*path.entities, to))
            for path in paths
            for triple, to in around.get(path.entities[-1], ())
            if to not in path.entities
        ]
        alike: dict[str, list[TriplePath]] = {}
        for path in longer:
            alike.setdefault(path.relations, []).append(path)
        new = [words for words in alike if words not in vectors]
        vectors.update(zip(new, embedder.embed(new), strict=True))
        ranked = sorted(alike, key=lambda words: (-float(vectors[words] @ question), words))[:BEAM]
        for words in ranked:
            ends = [path for path in alike[words] if path.entities[-1] not in names]
            likeness = float(vectors[words] @ question)
            if ends and (best is None or likeness > best[1]):
                best = ends, likeness
        paths = [path for words in ranked for path in alike[words]]
    return best


def end_of(path: TriplePath) -> str:
    """Return the name at the end of a path, as its last triple writes it."""
    last = path.triples[-1]
    return last.tail if last.tail_id == path.entities[-1] else last.head


def _spaced(text: str) -> str:
    """Return the key of a text with blanks for all that is no letter or digit."""
    bare = re.sub(r"['’]s\b", " ", text)
    return " ".join(re.sub(r"[^\w]+|_", " ", normalise_name(bare) or bare).split())


def _without_names(question: str, names: Iterable[str]) -> str:
    asked = f" {_spaced(question)} "
    for name in sorted(names, key=len, reverse=True):
        asked = asked.replace(f" {_spaced(name)} ", " ")
    return " ".join(asked.split()) or question
