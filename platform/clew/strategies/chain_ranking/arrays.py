"""The arrays of chain-ranking: from the graph, once a corpus revision."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from clew.comprehension.dates import dates_in
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.guided_pagerank.arrays import (
    READING,
    SentenceLimit,
    graph_parts,
    vector_reader,
)
from clew_cypher.corpora import Corpus
from clew_cypher.export.arrays import export_entity_names
from clew_cypher.export.title_links import export_title_links, export_titles
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.store import GraphStore
from clew_cypher.titles.matching import TitleMatcher, bare_key, names_of, words_of
from clew_ingest.parsing.entity_names import aliases_of, normalise_name
from clew_models.chain_ranking import (
    ChainArrays,
    ChainParts,
    TitleParts,
    build_chain_arrays,
    load_chains,
    opening,
    openings_in,
    save_chains,
)

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.resources.revision_cache import Making, RevisionCache

TITLE_WORDS = 16
"""Words of a title that are looked at: what is longer is a sentence."""
NAME_LETTERS = 4
"""Letters that a name inside a title has at least."""


def chain_arrays(resources: "Resources") -> "RevisionCache[ChainArrays]":
    """Return what keeps the arrays of corpora."""
    limit = resources.settings.options(ChainOptions).sentence_limit
    return resources.revision_cache("chains", lambda: ChainDerivation(resources.store, limit))


class ChainDerivation:
    """Makes the arrays of corpora up to ``sentence_limit``; past it, raises TooManySentences."""

    def __init__(self, store: GraphStore, sentence_limit: int) -> None:
        self._store = store
        self._limit = SentenceLimit(store, sentence_limit)

    def refuse(self, corpus: Corpus, loaded: ChainArrays | None) -> None:
        """Raise TooManySentences."""
        self._limit.check(corpus, None if loaded is None else len(loaded.graph.sentence_ids))

    def make(self, corpus: Corpus, previous: ChainArrays | None, making: "Making") -> ChainArrays:
        """Return the arrays; vectors and texts that ``previous`` has are not read again."""
        making.doing(READING)
        return export_chains(self._store, corpus, previous)

    def save(self, value: ChainArrays, folder: Path) -> None:
        """Write the arrays to ``folder``."""
        save_chains(value, folder)

    def load(self, folder: Path) -> ChainArrays | None:
        """Return the arrays of ``folder``, or None."""
        return load_chains(folder)


def export_chains(
    store: GraphStore, corpus: Corpus, previous: ChainArrays | None = None
) -> ChainArrays:
    """Read the corpus out of Neo4j; sentences and texts of ``previous`` are not read again."""
    parts_of = cache(title_parts)  # a document has many chunks
    titles = {
        chunk: parts_of(document, title)
        for chunk, document, title in export_titles(store, corpus.name)
    }

    def read_texts(ids: Sequence[str]) -> dict[str, str]:
        return {row["id"]: row["text"] for row in chunks_by_id(store, corpus.name, ids)}

    parts = ChainParts(
        graph=graph_parts(store, corpus.name),
        titles=titles,
        links=export_title_links(store, corpus.name),
        inside=names_inside(titles, export_entity_names(store, corpus.name)),
    )
    return build_chain_arrays(
        parts, corpus.dimension, vector_reader(store, corpus), read_texts, previous
    )


def title_parts(document: str, title: str) -> TitleParts:
    """Return a document's title with what it is known by."""
    openings = dict.fromkeys(opening(name.key.split(" ")) for name in names_of(title))
    return TitleParts(document, title, bare_key(title), tuple(openings), dates_in(title))


def titled_documents(
    arrays: ChainArrays, question: str, mentions: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return for each title that ``question`` names, however it is written, the ids of the
    documents that go by it, and for each of its dates those of the documents that have it there.

    A title of one word counts only where the word is in a name of the question, ``mentions``.
    """
    words = [word.folded for word in words_of(question)]
    named = {word.folded for mention in mentions for word in words_of(mention)}
    titles = arrays.titles_known_by(openings_in(words))
    found = TitleMatcher(titles).find(question, cased=False)
    documents = {
        title.key: title.document_ids for title in found if " " in title.key or title.key in named
    }
    dated = [tuple(id_ for id_, _ in arrays.titles_known_by([one])) for one in dates_in(question)]
    return sorted({*documents.values(), *filter(None, dated)})


def names_inside(
    titles: Mapping[str, TitleParts], names: Iterable[tuple[str, Sequence[str]]]
) -> list[tuple[str, str]]:
    """Return (entity id, chunk id): a name of the entity stands in the title of the chunk's
    document, with more words around it ("Stockholm" in "Stockholm Arlanda Airport").

    ``names``: ids of entities with the keys they are known by.
    """
    chunks_of: dict[str, list[str]] = {}
    for chunk, parts in titles.items():
        chunks_of.setdefault(parts.title, []).append(chunk)
    titles_with: dict[str, set[str]] = {}
    for title in chunks_of:
        for key in _inner_keys(title):
            titles_with.setdefault(key, set()).add(title)
    return [
        (entity, chunk)
        for entity, keys in names
        for title in sorted({one for key in keys for one in titles_with.get(key, ())})
        for chunk in chunks_of[title]
    ]


def _inner_keys(title: str) -> Iterator[str]:
    words = normalise_name(title).replace("(", " ").replace(")", " ").split()[:TITLE_WORDS]
    whole = {normalise_name(title), *aliases_of(title)}
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            key = normalise_name(" ".join(words[first:last]))
            if len(key) >= NAME_LETTERS and not key.isdigit() and key not in whole:
                yield key
