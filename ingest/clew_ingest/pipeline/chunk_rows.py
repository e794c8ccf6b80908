"""The rows of one chunk without vectors: which entities it names, and what it states of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import DocumentRow, MentionRow, RoleRow
from clew_ingest.parsing.chunking import TextChunk
from clew_ingest.parsing.entity_names import (
    aliases_of,
    display_name,
    is_entity_name,
    normalise_name,
)
from clew_ingest.parsing.parser import ParsedSentence
from clew_ingest.resolution.short_forms import Naming, named
from clew_ingest.resolution.types import FAMILIES, identity_kind
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.textual import textual_triplet

Named = tuple[str, str]
"""A surface and its type."""


@dataclass(frozen=True)
class StatedTriple:
    """A TripleRow without its vector. ``is_sentence``: its textual triplet is its sentence."""

    id: str
    head_id: str
    tail_id: str
    head: str
    predicate: str
    tail: str
    ttr: str
    sentence_id: str | None
    caption: str
    is_sentence: bool


@dataclass
class ChunkRows:
    """What one chunk adds to the graph. ``entities``: the key of each, by id."""

    id: str
    sentences: list[tuple[str, int, ParsedSentence]] = field(default_factory=list)
    entities: dict[str, str] = field(default_factory=dict)
    mentions: list[MentionRow] = field(default_factory=list)
    roles: list[RoleRow] = field(default_factory=list)
    triples: list[StatedTriple] = field(default_factory=list)


def chunk_rows(corpus: str, row: DocumentRow, chunk: TextChunk) -> ChunkRows:
    """Return the rows of a chunk; the same chunk of the same document always has the same.

    Arguments of triples are what the chunk mentions by that name, else the title's entity, else
    what their type says: a thing is mentioned from now on, all else is a concept.
    """
    rows = ChunkRows(content_id("c", row.id, row.title, chunk.text, chunk.place))
    naming = named(chunk, row.title)
    by_key: dict[str, list[Named]] = {}
    for sentence in naming.sentences:
        for mention in sentence.mentions if _says_something(sentence) else ():
            by_key.setdefault(mention.key, []).append((mention.surface, mention.type))
    title_key = normalise_name(row.title) if is_entity_name(row.title) else ""
    if title_key:
        by_key.setdefault(title_key, [])
    stated = _arguments(chunk.triples, naming, by_key, row.title)
    types = {key: _most_frequent([kind for _, kind in found]) for key, found in by_key.items()}

    def entity(key: str, type_: str = "") -> str:
        kind = identity_kind(key, types.get(key, type_))
        found = entity_id(corpus, key, kind)
        rows.entities.setdefault(found, key)
        return found

    sentence_ids: dict[int, str] = {}
    for position, sentence in enumerate(naming.sentences):
        if not _says_something(sentence):
            continue
        sentence_id = content_id("s", rows.id, str(position), sentence.text)
        sentence_ids[position] = sentence_id
        rows.sentences.append((sentence_id, position, sentence))
        for key, type_ in sentence.heads.items():
            rows.roles.append(RoleRow(entity(key), sentence_id, "head", type_))
        for key, type_ in sentence.tails.items():
            rows.roles.append(RoleRow(entity(key), sentence_id, "tail", type_))
    for key, found in by_key.items():
        rows.mentions.append(
            MentionRow(
                entity_id=entity(key),
                chunk_id=rows.id,
                count=len(found),
                surface=_surface(key, found, row.title),
                type=types[key],
                is_title=key == title_key,
                aliases=_aliases(key, found, row.title if key == title_key else ""),
            )
        )
    texts = [sentence.text for sentence in naming.sentences]
    ttrs = chunk.ttrs or [None] * len(chunk.triples)
    ids = set()
    for triple, keys, ttr in zip(chunk.triples, stated, ttrs, strict=True):
        if keys is None:
            continue
        head_id, tail_id = entity(keys[0], triple.head_type), entity(keys[1], triple.tail_type)
        place = "" if triple.sentence is None else str(triple.sentence)
        triple_id = content_id("t", rows.id, place, head_id, triple.predicate, tail_id)
        if head_id == tail_id or triple_id in ids:
            continue
        ids.add(triple_id)
        position = -1 if triple.sentence is None else triple.sentence
        text = ttr or textual_triplet(triple, chunk.text, texts)
        rows.triples.append(
            StatedTriple(
                triple_id,
                head_id,
                tail_id,
                triple.head,
                triple.predicate,
                triple.tail,
                text,
                sentence_ids.get(position),
                triple.written,
                position in sentence_ids and text == texts[position],
            )
        )
    return rows


def _arguments(
    triples: Sequence[ExtractedTriple], naming: Naming, by_key: dict[str, list[Named]], title: str
) -> list[tuple[str, str] | None]:
    """Return the keys of each triple's head and tail, None where one of them is no name.

    Adds to ``by_key`` the things that only the extractor named.
    """
    title_key = normalise_name(title)
    others = set(aliases_of(title))

    def key_of(name: str, type_: str, sentence: int | None) -> str:
        key = naming.key_of(name, sentence, type_)
        return title_key if key in others and key not in by_key else key

    found: list[tuple[str, str] | None] = []
    new: dict[str, Named] = {}
    for triple in triples:
        head = key_of(triple.head, triple.head_type, triple.sentence)
        tail = key_of(triple.tail, triple.tail_type, triple.sentence)
        if not (is_entity_name(head) and is_entity_name(tail) and triple.predicate):
            found.append(None)
            continue
        found.append((head, tail))
        for key, name, type_ in (
            (head, triple.head, triple.head_type),
            (tail, triple.tail, triple.tail_type),
        ):
            if type_ in FAMILIES and key not in by_key:
                new.setdefault(key, (display_name(name), type_))
    by_key.update({key: [name] for key, name in new.items()})
    return found


def _surface(key: str, found: Sequence[Named], title: str) -> str:
    """Return how a thing is written in its chunk, not what is short for it."""
    full = [surface for surface, _ in found if normalise_name(surface) == key]
    if not full and normalise_name(title) == key:
        full = [title]
    return _most_frequent(full or [surface for surface, _ in found], True)


def _aliases(key: str, found: Sequence[Named], title: str) -> tuple[str, ...]:
    """Return the other keys that a thing goes by in its chunk."""
    spelt = {normalise_name(surface) for surface, _ in found}
    return tuple(sorted((spelt | set(aliases_of(title))) - {key, ""}))


def _says_something(sentence: ParsedSentence) -> bool:
    return any(character.isalnum() for character in sentence.text)


def _most_frequent(values: Sequence[str], longest: bool = False) -> str:
    counts = Counter(values)
    return min(
        counts or [""],
        key=lambda value: (-counts[value], -len(value) if longest else 0, value),
    )
