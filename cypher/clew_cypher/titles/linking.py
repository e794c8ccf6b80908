"""The links of the graph from sentences to the documents that they name by their titles.

What is written is marked (``unlinked``), and linked afterwards, under a lock that only who links
takes: of two writers whose documents name each other, the later one sees what the earlier one did.
A title that comes or goes marks the chunks in which it stands, found by the index of their folded
words; so no document costs a look at all sentences. A mark stays until its work is done, whoever
made it: after a crash the next one who links does it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.titles.matching import TitleMatcher, Word, first_word, names_of
from clew_cypher.titles.naming import (
    WORD_LENGTH,
    Ends,
    corpus_token,
    folded_words,
    is_whole,
    links_of,
    places_of,
    words_of_sentences,
)
from clew_cypher.writing.locking import lock_in_order

TITLES_TOGETHER = 2000
"""Titles taken up in one transaction."""
CHUNKS_TOGETHER = 256
"""Chunks linked in one transaction."""
FEW_WORDS = 1000
"""Up to so many different words in a transaction's sentences, the titles that begin with one of
them are read; else all of the corpus, once as long as no title comes or goes."""
QUERY_WORDS = 900
"""Words of the names that are asked for in one query: Lucene refuses more than 1,024."""
MARKED_TOGETHER = 5000
READ_AGAIN = 3
"""How often chunks are read where one of them was deleted just then: the next ones move up."""

Guard = Callable[[Transaction], None]
Progress = Callable[[int, int], None]
"""Is told how many chunks are linked, and of how many."""
Titles = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Linked:
    """What was done: chunks looked at, links made, links removed."""

    chunks: int = 0
    made: int = 0
    removed: int = 0

    def __add__(self, other: "Linked") -> "Linked":
        return Linked(
            self.chunks + other.chunks, self.made + other.made, self.removed + other.removed
        )


def link_titles(
    store: GraphStore,
    corpus: str,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    guard: Guard | None = None,
    progress: Progress | None = None,
) -> Linked:
    """Link all sentences of ``corpus`` that wait for it to the documents that they name.

    ``cancelled``: asked before each transaction; what is left then is done by the next call.
    ``guard`` runs first in each transaction. The revision moves on where a link changed.
    """
    waiting = store.read("links_waiting", corpus=corpus)[0]
    if not (waiting["titles"] or waiting["chunks"]):
        return Linked()
    take = partial(_take_titles, corpus=corpus, guard=guard)
    while not cancelled() and store.in_transaction(take):
        pass
    total = 0
    if progress is not None:  # titles that came or went have marked more
        total = store.read("links_waiting", corpus=corpus)[0]["chunks"]
    linker = _Linker(corpus, guard)
    done = Linked()
    while not cancelled():
        part = store.in_transaction(linker.link)
        done += part
        if progress is not None and part.chunks:
            progress(done.chunks, max(total, done.chunks))
        if part.chunks < CHUNKS_TOGETHER:
            break
    return done


def ensure_title_links(
    store: GraphStore,
    progress: Callable[[str, int, int], None] | None = None,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Link what waits in any corpus: all of one that an earlier version of Clew filled.

    ``progress`` is told the corpus, how many of its chunks are linked, and of how many;
    ``cancelled``: asked before each transaction, the next call goes on.
    """
    for row in store.read("corpora_to_link"):
        if cancelled():
            return
        corpus = row["corpus"]
        if not row["begun"]:
            for name in ("mark_documents_of_corpus", "mark_chunks_of_corpus"):
                while store.write(name, corpus=corpus, limit=MARKED_TOGETHER)[0]["done"]:
                    pass
            store.write("lock_title_links", corpus=corpus)
        link_titles(
            store,
            corpus,
            cancelled=cancelled,
            progress=None if progress is None else partial(progress, corpus),
        )


def _take_titles(transaction: Transaction, corpus: str, guard: Guard | None) -> bool:
    """Mark the chunks in which a title stands that came or went; return whether more of them may
    have.
    """
    _begin(transaction, corpus, guard)
    locked: set[str] = set()
    while True:
        rows = transaction.run("changed_titles", corpus=corpus, limit=TITLES_TOGETHER)
        former = transaction.run("former_titles", corpus=corpus, limit=TITLES_TOGETHER)
        changed = [row for row in rows if row["title"] != row["before"]]
        titles = {row["title"] for row in former}
        titles.update(row[key] for row in changed for key in ("title", "before"))
        places = _chunks_with(transaction, corpus, titles - {None})
        wanted = {row["id"] for row in rows}.union(places.values()) - locked
        if not wanted:
            break
        # under the locks, once more: a document may have come or gone before we had them
        lock_in_order(transaction, corpus, wanted)
        locked |= wanted
    if not (rows or former):
        return False
    transaction.run(
        "title_documents",
        rows=[
            {
                "id": row["id"],
                "title": row["title"],
                "first_word": first_word(row["title"] or "") or None,
            }
            for row in rows
        ],
    )
    if former:
        transaction.run("delete_former_titles", ids=[row["id"] for row in former])
    if places:
        transaction.run("mark_chunks", ids=sorted(places))
    if titles:
        transaction.run("raise_titles_version", corpus=corpus)
    return max(len(rows), len(former)) == TITLES_TOGETHER


def _begin(transaction: Transaction, corpus: str, guard: Guard | None) -> None:
    if guard is not None:
        guard(transaction)
    transaction.run("lock_title_links", corpus=corpus)


def _chunks_with(transaction: Transaction, corpus: str, titles: Iterable[str]) -> dict[str, str]:
    """Return the chunks that were linked and hold a name of one of the titles.

    By chunk id the document's.
    """
    keys = sorted({name.key for title in titles for name in names_of(title)})
    found = {}
    for part in _queries(keys):
        query = f'+"{corpus_token(corpus)}" +({part})'
        for row in transaction.run("chunks_with_names", query=query):
            found[row["id"]] = row["document_id"]
    return found


def _queries(keys: Sequence[str]) -> Iterator[str]:
    """Yield the keys as phrases, as many together as Lucene takes."""
    phrases: list[str] = []
    size = 0
    for key in keys:
        words = [word[:WORD_LENGTH] for word in key.split(" ")]
        if size + len(words) > QUERY_WORDS:
            yield " ".join(phrases)
            phrases, size = [], 0
        phrases.append(f'"{" ".join(words)}"')
        size += len(words)
    if phrases:
        yield " ".join(phrases)


@dataclass(frozen=True)
class _Plan:
    """What a transaction changes: rows for its statements, and the documents that it locks."""

    folded: dict[str, str]
    delete: list[Row]
    write: list[Row]
    documents: frozenset[str]


class _Linker:
    """Links the marked chunks of a corpus, some in each transaction."""

    def __init__(self, corpus: str, guard: Guard | None) -> None:
        self._corpus = corpus
        self._guard = guard
        self._whole: tuple[int, TitleMatcher] | None = None

    def link(self, transaction: Transaction) -> Linked:
        """Link some chunks; where they are fewer than CHUNKS_TOGETHER, none are left."""
        _begin(transaction, self._corpus, self._guard)
        chunks: list[Row] = []
        plan: _Plan | None = None
        locked: set[str] = set()
        while True:
            found = self._waiting(transaction)
            if plan is None or found != chunks:
                chunks, plan = found, self._plan(transaction, found)
            wanted = plan.documents - locked
            if not wanted:
                break
            # under the locks, once more: sentences may have been written anew before we had them
            lock_in_order(transaction, self._corpus, wanted)
            locked |= wanted
        if not chunks:
            return Linked()
        removed = made = 0
        if plan.delete:
            removed = transaction.run("delete_links", rows=plan.delete)[0]["deleted"]
        if plan.write:
            rows = transaction.run("write_links", corpus=self._corpus, rows=plan.write)
            made = rows[0]["written"]
        rows = [{"id": key, "folded": plan.folded[key]} for key in sorted(plan.folded)]
        transaction.run("fold_chunks", rows=rows)
        if removed or made:
            transaction.run("bump_revision", corpus=self._corpus)
        return Linked(len(chunks), made, removed)

    def _waiting(self, transaction: Transaction) -> list[Row]:
        """Return the first chunks that wait; not one that another transaction deletes meanwhile."""
        whole: list[Row] = []
        for _ in range(READ_AGAIN):
            rows = transaction.run("unlinked_chunks", corpus=self._corpus, limit=CHUNKS_TOGETHER)
            whole = [row for row in rows if is_whole(row)]
            if len(whole) == len(rows):
                break
        return whole

    def _plan(self, transaction: Transaction, chunks: Sequence[Row]) -> _Plan:
        read = words_of_sentences(chunks)
        wanted = links_of(chunks, read, self._matcher(transaction, read))
        there = places_of(transaction.run("links_of_chunks", ids=[row["id"] for row in chunks]))
        delete = [_row(ends) for ends in sorted(there) if wanted.get(ends) != there[ends]]
        write = [
            {**_row(ends), "start": wanted[ends][0], "end": wanted[ends][1]}
            for ends in sorted(wanted)
            if there.get(ends) != wanted[ends]
        ]
        documents = {row["document_id"] for rows in (chunks, delete, write) for row in rows}
        return _Plan(folded_words(self._corpus, chunks, read), delete, write, frozenset(documents))

    def _matcher(self, transaction: Transaction, read: Mapping[str, list[Word]]) -> TitleMatcher:
        """Return what finds all titles that can stand in these sentences."""
        version = transaction.run("titles_version", corpus=self._corpus)[0]["version"]
        if self._whole is not None and self._whole[0] == version:
            return self._whole[1]
        vocabulary = {word.folded for words in read.values() for word in words}
        if len(vocabulary) <= FEW_WORDS:
            rows = transaction.run(
                "titles_that_begin", corpus=self._corpus, first_words=sorted(vocabulary)
            )
            return TitleMatcher((row["id"], row["title"]) for row in rows)
        rows = transaction.run("titles_of_corpus", corpus=self._corpus)
        self._whole = version, TitleMatcher((row["id"], row["title"]) for row in rows)
        return self._whole[1]


def _row(ends: Ends) -> Row:
    return {"sentence_id": ends[0], "document_id": ends[1]}
