"""What the sentences of chunks name, from what was read of them: nothing is asked of the graph."""

from collections.abc import Mapping, Sequence

from clew_cypher.ids import corpus_key
from clew_cypher.store import Row
from clew_cypher.titles.matching import TitleMatcher, Word, words_of

WORD_LENGTH = 200
"""Characters of a word that are indexed; Lucene would cut one of more than 255 in pieces."""

Ends = tuple[str, str]
"""The sentence and the document of a link, by their ids."""
Place = tuple[int, int]


def links_of(
    chunks: Sequence[Row], read: Mapping[str, list[Word]], matcher: TitleMatcher
) -> dict[Ends, Place]:
    """Return what the sentences of chunks name, each document at its first place in a sentence.

    Chunks are rows {document_id, title, sentences: [id, text]}; ``read``: the words of each
    sentence. A sentence names neither its own document nor another one of the same bare title.
    """
    found: dict[Ends, Place] = {}
    for chunk in chunks:
        namesakes = matcher.namesakes(chunk["title"])
        for sentence_id, text in chunk["sentences"]:
            for name in matcher.find_in(read[sentence_id], text):
                for document_id in name.document_ids:
                    if document_id != chunk["document_id"] and document_id not in namesakes:
                        found.setdefault((sentence_id, document_id), (name.start, name.end))
    return found


def folded_words(
    corpus: str, chunks: Sequence[Row], read: Mapping[str, list[Word]]
) -> dict[str, str]:
    """Return the folded words of each chunk's sentences, by which a title finds it later."""
    return {
        chunk["id"]: " ".join(
            (
                corpus_token(corpus),
                *(word.folded[:WORD_LENGTH] for id_, _ in chunk["sentences"] for word in read[id_]),
            )
        )
        for chunk in chunks
    }


def is_whole(chunk: Row) -> bool:
    """Whether nothing of a chunk was deleted while it was read: of what is gone, all is null."""
    sentences = (part for sentence in chunk["sentences"] for part in sentence)
    return None not in (chunk["document_id"], chunk["title"], *sentences)


def words_of_sentences(chunks: Sequence[Row]) -> dict[str, list[Word]]:
    """Return the words of each sentence of chunks, by its id."""
    return {id_: words_of(text) for chunk in chunks for id_, text in chunk["sentences"]}


def places_of(rows: Sequence[Row]) -> dict[Ends, Place]:
    """Return the links that are there, of rows of `links_of_chunks`."""
    return {(row["sentence_id"], row["document_id"]): (row["start"], row["end"]) for row in rows}


def corpus_token(corpus: str) -> str:
    """Return the token that the folded words of the corpus' chunks begin with: no text has it."""
    return f"#{corpus_key(corpus)}"
