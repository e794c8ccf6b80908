"""Triples as lines of text: what a text-to-triples model learns to write, and the strict reader.

    Ada Lovelace | bear in | London

RA-3; RAS section 3.2 writes ``(S> subject| P> predicate| O> object)``; a line is the same in fewer
tokens. What is no triple of the text is dropped, and counted by its reason.
"""

from collections import Counter
from collections.abc import Iterable

from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.llm_triples import triples_of

SEPARATOR = " | "
FIELDS = ("head", "relation", "tail")
NOT_THREE = "not three fields"


def as_lines(triples: Iterable[tuple[str, str, str]]) -> str:
    """Return triples (head, predicate, tail) a line each; separators within a field are blanks."""
    return "\n".join(
        SEPARATOR.join(" ".join(field.replace("|", " ").split()) for field in triple)
        for triple in triples
    )


def read_lines(
    written: str, title: str, text: str, place: int | None = None
) -> tuple[list[ExtractedTriple], Counter[str]]:
    """Return the triples that were ``written`` of a sentence, and how many lines were dropped.

    Head and tail stand in ``text`` or its ``title``: a name that a model has from elsewhere is no
    evidence. ``place``: of the sentence.
    """
    dropped: Counter[str] = Counter()
    items = []
    for line in filter(None, map(str.strip, written.splitlines())):
        fields = [field.strip() for field in line.split(SEPARATOR.strip())]
        if len(fields) != len(FIELDS):
            dropped[NOT_THREE] += 1
            continue
        items.append({**dict(zip(FIELDS, fields, strict=True)), "head_type": "", "tail_type": ""})
    read, malformed = triples_of(items)
    dropped.update(malformed)
    kept = []
    for triple in read:
        missing = next(
            (end for end in ("head", "tail") if not stands_in(getattr(triple, end), title, text)),
            None,
        )
        if missing:
            dropped[f"{missing} is not in the text"] += 1
        else:
            kept.append(
                ExtractedTriple(triple.head, "", triple.predicate, triple.tail, "", sentence=place)
            )
    return kept, dropped


def stands_in(name: str, *texts: str) -> bool:
    """Return whether a name is part of one of the texts, in whatever case and white space."""
    plain = " ".join(name.casefold().split())
    return any(plain in " ".join(text.casefold().split()) for text in texts)
