"""What models are trained on: stated triples, and passages with their sentences and entities."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore, Row

PAGE = 5000
CHUNKS = 500


@dataclass(frozen=True)
class StatedTriple:
    """A triple and its sentence; ``head`` is the entity's name, ``tail`` as the sentence has it."""

    id: str
    head_id: str
    head: str
    predicate: str
    tail_id: str
    tail: str
    tail_type: str
    sentence_id: str
    chunk_id: str
    text: str
    hyperrelation: str


def stated_triples(
    store: GraphStore, corpus: str, predicates: Sequence[str] | None = None
) -> Iterator[StatedTriple]:
    """Yield the triples of ``corpus``, all or those of ``predicates``, in the order of their ids.

    Ids are hashes, so the first of them are a sample. Raises UnknownCorpus.
    """
    get_corpus(store, corpus)
    after = ""
    while True:
        rows = store.read(
            "stated_triples",
            corpus=corpus,
            predicates=None if predicates is None else sorted(predicates),
            after=after,
            limit=PAGE,
        )
        yield from (StatedTriple(**row) for row in rows)
        if len(rows) < PAGE:
            return
        after = rows[-1]["id"]


@dataclass(frozen=True)
class ToldSentence:
    """A sentence with its document's title and what it states: head, predicate, tail in full.

    ``loose``: what its chunk states, of which no sentence is known.
    """

    chunk_id: str
    title: str
    text: str
    triples: tuple[tuple[str, str, str], ...]
    loose: tuple[tuple[str, str, str], ...] = ()


def told_sentences(store: GraphStore, corpus: str) -> Iterator[ToldSentence]:
    """Yield the sentences of ``corpus`` with their triples, those of a chunk together, also those
    that state nothing. The first chunks are a sample. Raises UnknownCorpus.
    """
    get_corpus(store, corpus)
    after = ""
    while True:
        rows = store.read("told_chunks", corpus=corpus, after=after, limit=CHUNKS)
        for row in rows:
            loose = tuple((head, predicate, tail) for head, predicate, tail in row["loose"])
            for _, text, triples in row["sentences"]:
                stated = tuple((head, predicate, tail) for head, predicate, tail in triples)
                yield ToldSentence(row["id"], row["title"], text, stated, loose)
        if len(rows) < CHUNKS:
            return
        after = rows[-1]["id"]


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
