"""From the items of a reply to triples: what is malformed is dropped and counted by reason."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from clew_ingest.parsing.entity_names import MAX_NAME, is_entity_name, normalise_name
from clew_ingest.reading.text_decoding import clean_line
from clew_ingest.triples.base import ExtractedTriple

TYPES = (
    *("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW"),
    *("LANGUAGE", "DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"),
)
"""The types of entities that the model chooses from: the parser's (OntoNotes 5)."""

FIELDS = ("head", "head_type", "relation", "tail", "tail_type")
LIST = "triples"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        LIST: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    field: {"type": "string", "enum": [*TYPES, ""]}
                    if field.endswith("_type")
                    else {"type": "string"}
                    for field in FIELDS
                },
                "required": list(FIELDS),
                "additionalProperties": False,
            },
        }
    },
    "required": [LIST],
    "additionalProperties": False,
}
"""The form of a reply. Endpoints in strict mode need every property required and no others."""

_SAME_TYPE = {
    **dict.fromkeys(("ORGANIZATION", "ORGANISATION", "COMPANY", "GROUP"), "ORG"),
    **dict.fromkeys(("COUNTRY", "CITY", "STATE"), "GPE"),
    **dict.fromkeys(("LOCATION", "PLACE"), "LOC"),
    **dict.fromkeys(("FACILITY", "BUILDING"), "FAC"),
    **dict.fromkeys(("WORK", "FILM", "MOVIE", "BOOK", "SONG", "ALBUM"), "WORK_OF_ART"),
    **dict.fromkeys(("YEAR",), "DATE"),
    **dict.fromkeys(("NUMBER",), "CARDINAL"),
    **dict.fromkeys(("NATIONALITY",), "NORP"),
    **dict.fromkeys(("NONE", "N/A", "NULL", "OTHER", "PHRASE"), ""),
}
_LONGEST_TYPE = 40


def triples_of(items: Iterable[Any]) -> tuple[list[ExtractedTriple], Counter[str]]:
    """Return the triples of a reply's items, each once, and how many were dropped by reason.

    An item has the five ``FIELDS`` as strings; head and tail name something and differ.
    """
    kept: dict[tuple[str, ...], ExtractedTriple] = {}
    dropped: Counter[str] = Counter()
    for item in items:
        read = _triple(item)
        if isinstance(read, str):
            dropped[read] += 1
            continue
        key = (normalise_name(read.head), read.predicate.casefold(), normalise_name(read.tail))
        if key in kept:
            dropped["repeated"] += 1
        kept.setdefault(key, read)
    return list(kept.values()), dropped


def _triple(item: Any) -> ExtractedTriple | str:
    """Return the triple, or the reason why there is none."""
    if not isinstance(item, dict):
        return "not an object"
    values = []
    for field in FIELDS:
        value = item.get(field)
        if field not in item:
            return f"{field} is missing"
        if not isinstance(value, str):
            return f"{field} is not a text"
        values.append(clean_line(value, len(value)))
    head, head_type, relation, tail, tail_type = values
    for field, value in (("head", head), ("relation", relation), ("tail", tail)):
        if len(value) > MAX_NAME:
            return f"{field} is too long"
        if not any(character.isalnum() for character in value):
            return f"{field} is empty"
    for field, value in (("head", head), ("tail", tail)):
        if not is_entity_name(value):
            return f"{field} names nothing"
    if normalise_name(head) == normalise_name(tail):
        return "head and tail are the same"
    return ExtractedTriple(head, entity_type(head_type), relation, tail, entity_type(tail_type))


def entity_type(name: str) -> str:
    """Return a type as the graph writes it: "Organization" is ORG, "none" is "" (no name).

    A type beyond ``TYPES`` is kept as the model wrote it, in capitals.
    """
    written = "_".join(name.upper().replace("-", " ").replace("_", " ").split())[:_LONGEST_TYPE]
    return _SAME_TYPE.get(written, written)
