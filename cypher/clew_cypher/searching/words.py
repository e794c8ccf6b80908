"""Searching by words: the full-text index of each corpus, and what is asked of it."""

import re
from collections.abc import Mapping

from clew_cypher.ids import corpus_key
from clew_cypher.schema import (
    CHUNK_WORDS,
    OnFilling,
    await_indexes,
    drop_index,
    untold_filling,
    word_index_commands,
)
from clew_cypher.store import GraphStore, Row

LABEL_BATCH = 2000
EARLIER_INDEX = re.compile(r"chunk_text_\d+")


def chunk_label(corpus: str) -> str:
    """Return the second label of the corpus' chunks, by which its index finds them.

    A full-text index takes all nodes of a label, so each corpus needs one. It sorts away.
    """
    return f"{CHUNK_WORDS.label}_{corpus_key(corpus)}"


def index_name(corpus: str) -> str:
    """Return the name of the corpus' full-text index."""
    return f"{CHUNK_WORDS.name}_{corpus_key(corpus)}"


def ensure_word_index(store: GraphStore, corpus: str, tell: OnFilling = untold_filling) -> None:
    """Create the corpus' index where it is missing, and wait as `await_indexes`."""
    if index_name(corpus) in _existing(store):
        return  # the command itself takes a lock on the schema, and 40 ms
    name = index_name(corpus)
    if ("FAILED", name) in {(row["state"], row["name"]) for row in store.read("index_states")}:
        drop_word_index(store, corpus)
    create, _ = word_index_commands(corpus_key(corpus))
    store.run_declared(*create)
    await_indexes(store, {name}, tell)


def drop_word_index(store: GraphStore, corpus: str) -> None:
    """Remove the index of a corpus that is gone."""
    _, drop = word_index_commands(corpus_key(corpus))
    store.run_declared(*drop)


def ensure_word_indexes(store: GraphStore, tell: OnFilling = untold_filling) -> None:
    """Create the index of every corpus that has none: of one that an earlier Clew filled.

    Earlier indexes, by labels that are gone, are dropped. Waits as `await_indexes`.
    """
    existing = _existing(store)
    for name in existing:
        if EARLIER_INDEX.fullmatch(name):
            drop_index(store, name)
    for row in store.read("list_corpora"):
        name = row["name"]
        if index_name(name) in existing:
            continue
        label = chunk_label(name)
        while store.write("label_chunks", corpus=name, label=label, limit=LABEL_BATCH)[0]["done"]:
            tell(index_name(name), 0.0)
        ensure_word_index(store, name, tell)


def _existing(store: GraphStore) -> set[str]:
    return {row["name"] for row in store.read("full_text_indexes")}


SPECIAL = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=])')
"""What Lucene's query language gives a meaning."""
WORD_LIMIT = 200
"""Lucene refuses more than 1,024 clauses; a word is one in each field, or a few: see `_pieces`."""
LONGEST_WORD = 255
"""Lucene cuts a word after so many characters."""
LONGEST_PHRASE, PHRASES = 8, 20
"""Words of a phrase, and phrases of a question, at most."""
_ALONE = "[\u2190-\u2bff\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001f000-\U0003ffff]"
"""Signs of which Lucene makes a word each: ideographs, Hiragana, pictures."""
_PIECE = re.compile(rf"{_ALONE}|(?:(?!{_ALONE})[^\W_]){{1,{LONGEST_WORD}}}")
_JOINED = re.compile(r"(?<![^\W_])[^\W_]+(?:[-./:][^\W_]+)+")
"""From where a word begins: tried within it, a run of n letters would cost n² steps."""
MARGIN = 20
"""Hits asked for beyond the limit, so that ties at it are broken by id and not by age."""


def escape(text: str) -> str:
    """Return ``text`` as words that Lucene takes literally, each once, at most 200 of them.

    What Lucene splits (1,700 words joined by commas) counts as many words as it becomes.
    """
    # lower case takes AND, OR, NOT and TO their meaning
    taken: dict[str, None] = {}
    left = WORD_LIMIT
    for word in dict.fromkeys(text.lower().split()):
        pieces = _pieces(word)
        if len(pieces) <= left:
            taken[word] = None
            left -= max(1, len(pieces))
        else:
            taken.update(dict.fromkeys(list(dict.fromkeys(pieces))[:left]))
            left = 0
        if left <= 0:
            break
    return " ".join(SPECIAL.sub(r"\\\1", word) for word in taken)


def _phrases(text: str) -> list[str]:
    """Return what is written as one word and holds a number as phrases, for Lucene to split."""
    phrases: dict[str, None] = {}
    for word in _JOINED.findall(text.lower()):
        if 1 < len(_pieces(word)) <= LONGEST_PHRASE and any(map(str.isdigit, word)):
            phrases[f'"{word}"'] = None
    return list(phrases)[:PHRASES]


def _pieces(word: str) -> list[str]:
    """Return the words that Lucene makes of a word, or some more."""
    return _PIECE.findall(word)


def search_chunks(store: GraphStore, corpus: str, question: str, limit: int) -> list[Row]:
    """Return at most ``limit`` rows {id, document_id, title, text, score}, best first.

    ``score``: BM25 over title and text, comparable within one question only; its word statistics
    are those of the corpus. What is joined and holds a digit (2024-10-02, v2.1.0) counts whole,
    too. Nothing for a question without a word.
    """
    words = " ".join([escape(question), *_phrases(question)]).strip()
    if not words:
        return []
    return store.read(
        "search_chunks",
        index=index_name(corpus),
        query=f"title:({words}) text:({words})",
        width=limit + MARGIN,
        limit=limit,
    )


def known_words(store: GraphStore, corpus: str, words: Mapping[str, str]) -> set[str]:
    """Return which of ``words`` stand in the corpus' texts or titles, in any form of the word, or
    in a name of an entity. ``words``: each with its key, as names have it.
    """
    asked = [
        {
            "word": word,
            "query": f"title:({escaped}) text:({escaped})",
            "names": f"+corpus_key:{corpus_key(corpus)}^0 +(key:({named}) aliases:({named}))",
        }
        for word, key in words.items()
        if (escaped := escape(word)) and (named := escape(key))
    ]
    if not asked:
        return set()
    return {row["word"] for row in store.read("known_words", index=index_name(corpus), words=asked)}


def word_in_relations(store: GraphStore, corpus: str, word: str) -> bool:
    """Whether a relation of the corpus' knowledge bases has ``word``; takes a second for a million
    lines.
    """
    return bool(store.read("word_in_relations", corpus=corpus, word=word)[0]["there"])
