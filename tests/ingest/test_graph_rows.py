"""The rows of a batch: ids, roles, mentions, titles, and which texts are embedded."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew_cypher.ids import content_id
from clew_cypher.rows import DocumentRow, MentionRow
from clew_ingest.chunking import TextChunk
from clew_ingest.graph_rows import graph_batch, without_documents
from clew_ingest.mentions import Mention
from clew_ingest.parsing import ParsedSentence
from clew_ingest.prepared import DocumentSlice


class RecordingEmbedder:
    name = "recording"
    dimension = 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return np.array([[index, len(text)] for index, text in enumerate(texts)], np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def mention(surface: str, text: str, type_: str, role: str, nth: int = 0) -> Mention:
    start = -1
    for _ in range(nth + 1):
        start = text.index(surface, start + 1)
    return Mention(start, start + len(surface), surface, surface.lower(), type_, role)  # type: ignore[arg-type]


TEXT = "Ed Wood met Bela. Later Bela left."
FIRST, SECOND = "Ed Wood met Bela.", "Later Bela left."
SENTENCES = (
    ParsedSentence(
        0,
        17,
        FIRST,
        (mention("Ed Wood", FIRST, "PERSON", "head"), mention("Bela", FIRST, "GPE", "tail")),
    ),
    ParsedSentence(18, 34, SECOND, (mention("Bela", SECOND, "GPE", "head"),)),
)
ROW = DocumentRow("d1", "file:///a", "Ed Wood (film)", "text/plain", "hash")
SLICE = DocumentSlice(ROW, (TextChunk(0, TEXT, SENTENCES),), last=True)


def entity(key: str) -> str:
    return content_id("e", "corpus", key)


def test_a_batch_holds_the_document_as_rows() -> None:
    embedder = RecordingEmbedder()
    batch = graph_batch("corpus", [SLICE], embedder, lambda ids: {entity("bela")})
    chunk_id = content_id("c", "d1", "0", TEXT)
    sentence_ids = [
        content_id("s", chunk_id, str(position), text)
        for position, text in enumerate((FIRST, SECOND))
    ]
    assert (batch.documents, batch.finished) == ((ROW,), ("d1",))
    assert [(c.id, c.document_id, c.position, c.title, c.text) for c in batch.chunks] == [
        (chunk_id, "d1", 0, "Ed Wood (film)", TEXT)
    ]
    assert [(s.id, s.chunk_id, s.position, s.text, s.hyperrelation) for s in batch.sentences] == [
        (sentence_ids[0], chunk_id, 0, FIRST, "## met ##."),
        (sentence_ids[1], chunk_id, 1, SECOND, "Later ## left."),
    ]
    assert set(batch.mentions) == {
        MentionRow(entity("ed wood"), chunk_id, 1, "Ed Wood", "PERSON", is_title=False),
        MentionRow(entity("bela"), chunk_id, 2, "Bela", "GPE", is_title=False),
        MentionRow(entity("ed wood (film)"), chunk_id, 0, "Ed Wood (film)", "", is_title=True),
    }
    assert {(r.entity_id, r.sentence_id, r.role, r.type) for r in batch.roles} == {
        (entity("ed wood"), sentence_ids[0], "head", "PERSON"),
        (entity("bela"), sentence_ids[0], "tail", "GPE"),
        (entity("bela"), sentence_ids[1], "head", "GPE"),
    }
    assert {(row.key, row.aliases) for row in batch.entities} == {
        ("ed wood", ()),
        ("bela", ()),
        ("ed wood (film)", ("ed wood",)),
    }


def test_texts_are_embedded_with_the_title_in_front_and_known_entities_not_at_all() -> None:
    embedder = RecordingEmbedder()
    batch = graph_batch("corpus", [SLICE], embedder, lambda ids: {entity("bela")})
    assert embedder.texts[:3] == [
        f"Ed Wood (film)\n{TEXT}",
        f"Ed Wood (film)\n{FIRST}",
        f"Ed Wood (film)\n{SECOND}",
    ]
    assert sorted(embedder.texts[3:]) == ["ed wood", "ed wood (film)"]
    assert [row.embedding[0] for row in (*batch.chunks, *batch.sentences)] == [0, 1, 2]
    vectors = {row.key: row.embedding for row in batch.entities}
    assert vectors["bela"] is None
    for key in ("ed wood", "ed wood (film)"):
        assert vectors[key] is not None
        assert vectors[key][0] == embedder.texts.index(key)


def test_a_chunk_of_one_sentence_is_embedded_once() -> None:
    embedder = RecordingEmbedder()
    single = DocumentSlice(ROW, (TextChunk(0, SECOND, (SENTENCES[1],)),), last=True)
    batch = graph_batch("corpus", [single], embedder, lambda ids: set(ids))
    assert embedder.texts == [f"Ed Wood (film)\n{SECOND}"]
    assert (batch.chunks[0].embedding == batch.sentences[0].embedding).all()


def test_leaving_a_document_out_leaves_the_others_whole() -> None:
    other = DocumentSlice(
        DocumentRow("d2", "file:///b", "Bela", "text/plain", "hash2"),
        (TextChunk(0, SECOND, (SENTENCES[1],)),),
        last=True,
    )
    both = graph_batch("corpus", [SLICE, other], RecordingEmbedder(), lambda ids: set())
    alone = graph_batch("corpus", [other], RecordingEmbedder(), lambda ids: set())
    left = without_documents(both, {"d1"})
    for kind in ("documents", "mentions", "roles", "finished"):
        assert set(getattr(left, kind)) == set(getattr(alone, kind))
    for kind in ("chunks", "sentences", "entities"):
        assert {row.id for row in getattr(left, kind)} == {row.id for row in getattr(alone, kind)}
