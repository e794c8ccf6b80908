"""Documents by title, with the sentences and names that clues can be made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from clew_cypher.store import GraphStore, Row


@dataclass(frozen=True)
class PassageEntity:
    """An entity that a chunk mentions.

    ``surfaces``: how the chunk writes it, ``aliases``: other keys it goes by, ``is_title``: it is
    what the document is about.
    """

    id: str
    name: str
    surfaces: tuple[str, ...]
    aliases: tuple[str, ...]
    is_title: bool


@dataclass(frozen=True)
class PassageSentence:
    """A sentence with its mask, and the ids of its heads and tails."""

    chunk_id: str
    text: str
    hyperrelation: str
    heads: tuple[str, ...]
    tails: tuple[str, ...]


@dataclass(frozen=True)
class PassageChunk:
    """A chunk of a document, with its sentences in order and what it mentions, by id."""

    id: str
    text: str
    sentences: tuple[PassageSentence, ...]
    entities: dict[str, PassageEntity]


@dataclass(frozen=True)
class StoredPassage:
    """A document of the graph with its chunks in order."""

    id: str
    title: str
    chunks: tuple[PassageChunk, ...]

    @property
    def text(self) -> str:
        """The text of all chunks."""
        return " ".join(chunk.text for chunk in self.chunks)


def titled_passages(
    store: GraphStore, corpus: str, titles: Sequence[str]
) -> dict[str, list[StoredPassage]]:
    """Return the documents of ``corpus`` with these titles that have chunks, by title."""
    found: dict[str, list[StoredPassage]] = {title: [] for title in titles}
    rows = store.read("titled_passages", corpus=corpus, titles=sorted(found))
    for (id_, title), chunks in groupby(rows, lambda row: (row["document_id"], row["title"])):
        found[title].append(StoredPassage(id_, title, tuple(map(_chunk, chunks))))
    return found


def _chunk(row: Row) -> PassageChunk:
    sentences = tuple(
        PassageSentence(row["chunk_id"], text, hyperrelation, tuple(heads), tuple(tails))
        for text, hyperrelation, heads, tails in row["sentences"]
    )
    entities: dict[str, PassageEntity] = {}
    for id_, name, surface, is_title, aliases in row["mentions"]:
        known = entities.get(id_)
        entities[id_] = PassageEntity(
            id=id_,
            name=name,
            surfaces=(*(known.surfaces if known else ()), surface),
            aliases=tuple(dict.fromkeys((*(known.aliases if known else ()), *aliases))),
            is_title=is_title or bool(known and known.is_title),
        )
    return PassageChunk(row["chunk_id"], row["text"], sentences, entities)
