"""PathQuestion: questions over a knowledge base of triples, each with the path that proves it.

Source: https://github.com/zmtkeke/IRN. A line of ``PQ-2H.txt`` is question, answer with the set of
all answers, and path, separated by tabs; a line of ``2H-kb.txt`` is a triple, and the corpus a
knowledge base of them. Names are written as people write them ("frederick_ii" is "Frederick
II"), in the questions too, since a name must be the same in both.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.collecting import QuestionCollector, answers_of
from clew.evaluation.data_sets.record_files import Place, composed, open_text
from clew.results.data_set import (
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
)

PLAIN_RELATIONS = frozenset({"gender", "profession", "cause_of_death"})
"""Relations whose objects are common nouns: an actor, lung cancer."""

_SMALL = frozenset(
    """
    a al an and at bint da dal de del della der des di do dos du e el en et for ibn in la le les
    of on or the to van von y zu zur
    """.split()  # noqa: SIM905
)
_NUMERAL = re.compile(r"(?=[ivx])x{0,2}(?:ix|iv|v?i{0,3})$")


def readable_name(name: str, relation: str = "") -> str:
    """Return a name in words, with capitals; ``relation``: the one that it is the object of."""
    words = [word for word in name.split("_") if word]
    if relation in PLAIN_RELATIONS:
        return " ".join(words)
    return " ".join(
        _word(word, first=not i, last=i == len(words) - 1) for i, word in enumerate(words)
    )


def readable_relation(relation: str) -> str:
    """Return a relation in words."""
    return relation.replace("_", " ").strip()


def _word(word: str, first: bool, last: bool) -> str:
    if not first and word in _SMALL and not (last and len(word) == 1):
        return word
    if not first and _NUMERAL.match(word):
        return word.upper()
    return "-".join(
        part if i and part in _SMALL else part[:1].upper() + part[1:]
        for i, part in enumerate(word.split("-"))
    )


Triple = tuple[str, str, str]
_NAME = re.compile(r"PQ-(?P<hops>\d+)H(?:\.txt)?$")
_ANSWER = re.compile(r"(?P<first>.+?)\((?P<all>[^()]*(?:\([^()]*\)[^()]*)*)\)$")
_END = "<end>"


@dataclass
class _Asked:
    place: Place
    text: str
    answers: list[str] = field(default_factory=list)
    chains: list[tuple[Triple, ...]] = field(default_factory=list)


def load(source: DataSetSource) -> DataSet:
    """Read ``PQ-2H.txt`` and its ``2H-kb.txt``; raises InvalidDataSet."""
    path = _questions_file(source)
    hops = _NAME.match(path.name)
    knowledge = path.with_name(f"{hops['hops'] if hops else ''}H-kb.txt")
    if not knowledge.is_file():
        raise InvalidDataSet(
            f"The knowledge base of {path.name} is missing: there is no {knowledge}.",
            remedy="Put it beside the questions: a triple a line, separated by tabs.",
        )
    triples = {_key(triple): triple for triple in _triples(knowledge)}
    questions = QuestionCollector(triples.__contains__)
    for asked in _questions(path):
        id_ = f"{path.stem}-{asked.place.number}"
        chains = [_keys(chain, triples) for chain in asked.chains]
        missing = [_key(t) for c, k in zip(asked.chains, chains, strict=True) if not k for t in c]
        if missing:
            reason = f"Its path is not in the knowledge base: {', '.join(missing)}."
            questions.refuse(id_, reason, asked.place)
            continue
        question = BenchQuestion(
            id=id_,
            question=asked.text,
            answers=answers_of("", asked.answers),
            gold=dict.fromkeys((key for chain in chains for key in chain), 1),
            gold_paths=tuple(dict.fromkeys(chains)),
            hops=min(map(len, chains)),
        )
        questions.add(question, asked.place)
    taken, refused = questions.finish(str(path))
    readable = {
        key: (readable_name(head), readable_relation(relation), readable_name(tail, relation))
        for key, (head, relation, tail) in triples.items()
    }
    return DataSet(path.stem, "pathquestion", (), taken, refused, unit="triple", triples=readable)


def _questions_file(source: DataSetSource) -> Path:
    found = _question_files(source)
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise InvalidDataSet(
            f"{source.name} holds several sets: {names}.",
            remedy=f"Name one of them, such as {Path(source.name) / found[0].name}.",
        )
    return found[0]


def _question_files(source: DataSetSource) -> list[Path]:
    if source.path is None:
        return []
    if source.path.is_dir():
        return sorted(path for path in source.path.glob("PQ-*H.txt") if _NAME.match(path.name))
    path = source.path if source.path.suffix else source.path.with_suffix(".txt")
    return [path] if _NAME.match(path.name) and path.is_file() else []


def _triples(path: Path) -> Iterator[Triple]:
    for place, columns in _table(path):
        if len(columns) != 3:
            place.fail("triple", f"expected subject, relation and object, got {columns}.")
        yield columns[0], columns[1], columns[2]


def _questions(path: Path) -> list[_Asked]:
    """Return the distinct questions, each with all its chains, in the order of the file."""
    found: dict[str, _Asked] = {}
    for place, columns in _table(path):
        if len(columns) != 3:
            place.fail("question", f"expected question, answers and path, got {columns}.")
        written, answers, walked = columns
        chain = _chain(walked, place)
        asked = found.setdefault(written, _Asked(place, _question_text(written, chain[0][0])))
        asked.chains.append(chain)
        asked.answers += _answers(answers, chain[-1][1], place)
    return list(found.values())


def _chain(walked: str, place: Place) -> tuple[Triple, ...]:
    steps = walked.split("#")
    steps = steps[: steps.index(_END)] if _END in steps else steps
    if len(steps) < 3 or len(steps) % 2 == 0 or not all(steps):
        place.fail("path", f"expected subject#relation#object#…#{_END}#answer, got {walked!r}.")
    return tuple((steps[i], steps[i + 1], steps[i + 2]) for i in range(0, len(steps) - 2, 2))


def _answers(written: str, relation: str, place: Place) -> list[str]:
    match = _ANSWER.match(written)
    if match is None:
        place.fail("answer", f"expected answer(answer/…), got {written!r}.")
    names = [match["first"], *filter(None, match["all"].split("/"))]
    return [readable_name(name.strip(), relation) for name in names]


def _question_text(written: str, subject: str) -> str:
    """Return the question with its subject's readable name and no space before 's and ?."""
    words = [readable_name(subject) if word == subject else word for word in written.split()]
    return re.sub(r" (?='s\b|[?,.])", "", " ".join(words))


def _key(triple: Triple) -> str:
    return " | ".join(triple)


def _keys(chain: tuple[Triple, ...], triples: Mapping[str, Triple]) -> tuple[str, ...]:
    """Return the chain's triples as they stand in the knowledge base; () if one does not.

    A path may walk a triple from its object to its subject.
    """
    keys = [
        next((k for k in (_key((h, r, t)), _key((t, r, h))) if k in triples), None)
        for h, r, t in chain
    ]
    return tuple(key for key in keys if key) if all(keys) else ()


def _table(path: Path) -> Iterator[tuple[Place, list[str]]]:
    with open_text(path, str(path)) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                columns = [column.strip() for column in composed(line).split("\t")]
                yield Place(str(path), number), [column for column in columns if column]


FORMAT = DataSetFormat(
    name="pathquestion",
    summary="PQ-2H.txt with 2H-kb.txt beside it (or 3H): name the questions, pathquestion/PQ-2H",
    recognises=lambda source: bool(_question_files(source)),
    load=load,
)
