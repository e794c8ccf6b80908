"""Whether all links of a corpus are as its titles and texts say, and links made anew where not."""

from dataclasses import dataclass

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.titles.linking import CHUNKS_TOGETHER, TITLES_TOGETHER, Linked, link_titles
from clew_cypher.titles.matching import TitleMatcher, first_word
from clew_cypher.titles.naming import (
    folded_words,
    is_whole,
    links_of,
    places_of,
    words_of_sentences,
)


@dataclass(frozen=True)
class Astray:
    """Documents and chunks that are not linked as their titles and texts say, by their ids."""

    documents: tuple[str, ...]
    chunks: tuple[str, ...]
    titles: tuple[str, ...]


def audit_title_links(store: GraphStore, corpus: str) -> Astray:
    """Compare all links of a corpus with what its sentences name; raises UnknownCorpus.

    ``titles`` of the result: ids of titles that are gone and not taken up yet.
    """
    get_corpus(store, corpus)
    documents = store.read("titles_to_audit", corpus=corpus)
    wrong = [
        row["id"]
        for row in documents
        if not row["settled"]
        or row["title"] != row["named_as"]
        or row["first_word"] != (first_word(row["title"] or "") or None)
    ]
    matcher = TitleMatcher((row["id"], row["title"]) for row in documents if row["title"])
    astray: list[str] = []
    after = ""
    while chunks := store.read(
        "chunks_to_audit", corpus=corpus, after=after, limit=CHUNKS_TOGETHER
    ):
        after = chunks[-1]["id"]
        chunks = [row for row in chunks if is_whole(row)]
        read = words_of_sentences(chunks)
        there = places_of(store.read("links_of_chunks", ids=[row["id"] for row in chunks]))
        wanted = links_of(chunks, read, matcher)
        folded = folded_words(corpus, chunks, read)
        different = {ends[0] for ends in wanted.keys() ^ there.keys()}
        different |= {
            ends[0] for ends in wanted.keys() & there.keys() if wanted[ends] != there[ends]
        }
        astray += [
            row["id"]
            for row in chunks
            if row["unlinked"]
            or row["folded"] != folded[row["id"]]
            or any(sentence_id in different for sentence_id, _ in row["sentences"])
        ]
    former = store.read("former_titles", corpus=corpus, limit=TITLES_TOGETHER)
    return Astray(tuple(wrong), tuple(astray), tuple(row["id"] for row in former))


def mend_title_links(store: GraphStore, corpus: str, astray: Astray) -> Linked:
    """Link anew what an audit found."""

    def mark(transaction: Transaction) -> None:
        transaction.run("lock_title_links", corpus=corpus)
        transaction.run("mark_documents", ids=sorted(astray.documents))
        transaction.run("mark_chunks", ids=sorted(astray.chunks))

    store.in_transaction(mark)
    return link_titles(store, corpus)
