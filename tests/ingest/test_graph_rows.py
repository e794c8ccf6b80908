"""The rows of a batch: ids, roles, mentions, titles, and which texts are embedded."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import DocumentCost, DocumentRow, GraphBatch, KeptChunk, MentionRow
from clew_ingest.parsing.chunking import TextChunk
from clew_ingest.parsing.mentions import Mention
from clew_ingest.parsing.parser import ParsedSentence
from clew_ingest.pipeline.graph_rows import graph_batch, without_documents
from clew_ingest.pipeline.prepared import DocumentSlice
from clew_ingest.triples.base import ExtractedTriple


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
SLICE = DocumentSlice(ROW, (TextChunk(0, TEXT, SENTENCES, unit="u", place="place"),), last=True)


def entity(key: str, kind: str = "") -> str:
    return entity_id("corpus", key, kind)


def test_a_batch_holds_the_document_as_rows() -> None:
    embedder = RecordingEmbedder()
    batch = graph_batch("corpus", [SLICE], embedder.embed, lambda ids: {entity("bela")})
    chunk_id = content_id("c", "d1", "Ed Wood (film)", TEXT, "place")
    sentence_ids = [
        content_id("s", chunk_id, str(position), text)
        for position, text in enumerate((FIRST, SECOND))
    ]
    assert (batch.documents, batch.finished) == ((ROW,), ("d1",))
    assert [
        (c.id, c.document_id, c.position, c.title, c.text, c.unit, c.unit_chunks)
        for c in batch.chunks
    ] == [(chunk_id, "d1", 0, "Ed Wood (film)", TEXT, "u", 1)]
    assert [(s.id, s.chunk_id, s.position, s.text, s.hyperrelation) for s in batch.sentences] == [
        (sentence_ids[0], chunk_id, 0, FIRST, "## met ##."),
        (sentence_ids[1], chunk_id, 1, SECOND, "Later ## left."),
    ]
    assert set(batch.mentions) == {
        MentionRow(entity("ed wood"), chunk_id, 1, "Ed Wood", "PERSON", is_title=False),
        MentionRow(entity("bela"), chunk_id, 2, "Bela", "GPE", is_title=False),
        MentionRow(
            entity("ed wood (film)"),
            *(chunk_id, 0, "Ed Wood (film)", ""),
            is_title=True,
            aliases=("ed wood",),
        ),
    }
    assert {(r.entity_id, r.sentence_id, r.role, r.type) for r in batch.roles} == {
        (entity("ed wood"), sentence_ids[0], "head", "PERSON"),
        (entity("bela"), sentence_ids[0], "tail", "GPE"),
        (entity("bela"), sentence_ids[1], "head", "GPE"),
    }
    assert {row.key for row in batch.entities} == {"ed wood", "bela", "ed wood (film)"}


def test_texts_are_embedded_with_the_title_in_front_and_known_entities_not_at_all() -> None:
    embedder = RecordingEmbedder()
    batch = graph_batch("corpus", [SLICE], embedder.embed, lambda ids: {entity("bela")})
    assert embedder.texts[:3] == [
        f"Ed Wood (film)\n{TEXT}",
        f"Ed Wood (film)\n{FIRST}",
        f"Ed Wood (film)\n{SECOND}",
    ]
    assert sorted(embedder.texts[3:]) == ["ed wood", "ed wood (film)"]
    assert [row.embedding[0] for row in batch.chunks] == [0]
    assert [row.embedding[0] for row in batch.sentences] == [1, 2]
    vectors = {row.key: row.embedding for row in batch.entities}
    assert vectors["bela"] is None
    for key in ("ed wood", "ed wood (film)"):
        vector = vectors[key]
        assert vector is not None
        assert vector[0] == embedder.texts.index(key)


def test_fields_before_a_text_are_no_part_of_what_its_chunk_is_embedded_by() -> None:
    embedder = RecordingEmbedder()
    told = TextChunk(0, f"status: Final.\n{SECOND}", (SENTENCES[1],), fields_first=True)
    alone = TextChunk(0, "status: Final.", (SENTENCES[1],), fields_first=True)
    slices = [DocumentSlice(ROW, (chunk,), last=True) for chunk in (told, alone)]
    batch = graph_batch("corpus", slices, embedder.embed, lambda ids: set(ids))
    titled = [f"Ed Wood (film)\n{text}" for text in (SECOND, "status: Final.")]
    assert embedder.texts == titled
    assert batch.chunks[0].text == f"status: Final.\n{SECOND}"


def test_a_chunk_of_one_sentence_is_embedded_once() -> None:
    embedder = RecordingEmbedder()
    single = DocumentSlice(ROW, (TextChunk(0, SECOND, (SENTENCES[1],)),), last=True)
    batch = graph_batch("corpus", [single], embedder.embed, lambda ids: set(ids))
    assert embedder.texts == [f"Ed Wood (film)\n{SECOND}"]
    assert (batch.chunks[0].embedding == batch.sentences[0].embedding).all()


def sentence(text: str, *mentions: Mention) -> ParsedSentence:
    return ParsedSentence(0, len(text), text, mentions)


def triple(
    head: str, predicate: str, tail: str, types: str = "/", place: int | None = 0
) -> ExtractedTriple:
    head_type, tail_type = types.split("/")
    return ExtractedTriple(head, head_type, predicate, tail, tail_type, place)


def one_chunk(
    title: str, sentences: Sequence[ParsedSentence], *triples: ExtractedTriple
) -> DocumentSlice:
    text = " ".join(sentence.text for sentence in sentences)
    row = DocumentRow("d1", "file:///a", title, "text/plain", "hash")
    return DocumentSlice(row, (TextChunk(0, text, tuple(sentences), triples),), last=True)


def batch_of(item: DocumentSlice) -> GraphBatch:
    return graph_batch("corpus", [item], RecordingEmbedder().embed, lambda ids: set(), "llm")


def test_arguments_are_mentions_the_title_things_and_concepts() -> None:
    text = "Ada wrote a film in 1994 with Babbage."
    said = sentence(
        text, mention("Ada", text, "PERSON", "head"), mention("1994", text, "DATE", "tail")
    )
    batch = batch_of(
        one_chunk(
            "Looms (film)",
            [said],
            triple("Ada", "write", "a film", "PERSON/"),
            triple("Looms", "be from", "1994", "/DATE"),
            triple("Ada", "write with", "Charles Babbage", "PERSON/PERSON"),
            triple("a film", "be", "the film"),  # both are one concept
            triple("Ada", "write", "...", "PERSON/"),  # no name
            triple("Ada", "", "1994", "PERSON/DATE"),
        )
    )
    ada, year = entity("ada", "person"), entity("1994", "value")
    assert {(t.head_id, t.predicate, t.tail_id) for t in batch.triples} == {
        (ada, "write", entity("film")),
        (entity("looms (film)"), "be from", year),
        (ada, "write with", entity("charles babbage")),
    }
    assert {(m.entity_id, m.count, m.surface, m.type) for m in batch.mentions} == {
        (ada, 1, "Ada", "PERSON"),
        (year, 1, "1994", "DATE"),
        (entity("charles babbage"), 1, "Charles Babbage", "PERSON"),
        (entity("looms (film)"), 0, "Looms (film)", ""),
    }
    assert {row.key for row in batch.entities} == {
        *("ada", "1994", "film", "charles babbage", "looms (film)")
    }
    assert {t.extractor for t in batch.triples} == {"llm"}
    assert {t.sentence_id for t in batch.triples} == {batch.sentences[0].id}


def test_a_textual_triplet_that_is_a_sentence_shares_its_vector() -> None:
    embedder = RecordingEmbedder()
    first, second = "Ada met Bela.", "Bela left London, and so did Ada."
    item = one_chunk(
        "T",
        [sentence(first), sentence(second)],
        triple("Bela", "leave", "London", place=1),
        triple("Ada", "meet", "Bela"),
        triple("Ada", "know", "nobody", place=None),
    )
    written = replace(item.chunks[0], ttrs=(None, None, "Written by a model."))
    batch = graph_batch(
        "corpus", [replace(item, chunks=(written,))], embedder.embed, lambda _: set()
    )
    ttrs = {row.predicate: row for row in batch.triples}
    assert {name: row.ttr for name, row in ttrs.items()} == {
        "leave": second,
        "meet": f"{first} {second}",
        "know": "Written by a model.",
    }
    assert ttrs["know"].sentence_id is None
    assert ttrs["leave"].embedding is None  # its sentence's vector is its own
    assert ttrs["meet"].embedding is not None
    assert ttrs["know"].embedding is not None
    assert len(embedder.texts) == len(set(embedder.texts))
    assert "T\nWritten by a model." in embedder.texts


def test_homonyms_of_one_word_are_told_apart_by_their_type() -> None:
    def ids(type_: str) -> set[str]:
        text = "There was Washington."
        said = sentence(text, mention("Washington", text, type_, "tail"))
        batch = batch_of(one_chunk("T", [said], triple("Washington", "be", "a town", f"{type_}/")))
        assert {t.head_id for t in batch.triples} == {r.entity_id for r in batch.roles}
        return {r.entity_id for r in batch.roles}

    assert ids("PERSON") == {entity("washington", "person")}
    assert ids("GPE") == ids("ORG") == {entity("washington")}
    assert ids("NORP") == {entity("washington", "people")}
    assert ids("DATE") == {entity("washington", "value")}


def test_short_forms_get_the_key_of_the_full_name_and_keep_their_surface() -> None:
    first, second = "Ada Lovelace met Babbage.", "Later Lovelace left Paris."
    item = one_chunk(
        "Notes",
        [
            sentence(first, mention("Ada Lovelace", first, "PERSON", "head")),
            sentence(
                second,
                mention("Lovelace", second, "PERSON", "head"),
                mention("Paris", second, "GPE", "tail"),
            ),
        ],
        triple("Lovelace", "leave", "Paris", "PERSON/GPE", place=1),
    )
    batch = batch_of(item)
    ada = entity("ada lovelace")
    found = {m.entity_id: (m.count, m.surface, m.aliases) for m in batch.mentions}
    assert found[ada] == (2, "Ada Lovelace", ("lovelace",))
    assert {r.entity_id for r in batch.roles if r.role == "head"} == {ada}
    assert [(t.head_id, t.head) for t in batch.triples] == [(ada, "Lovelace")]


def test_what_a_text_begins_with_goes_by_the_key_of_its_title() -> None:
    text = "Gerald Lee McRaney acts."
    said = sentence(text, mention("Gerald Lee McRaney", text, "PERSON", "head"))
    (row,) = batch_of(one_chunk("Gerald McRaney", [said])).mentions
    assert (row.entity_id, row.surface, row.is_title, row.aliases) == (
        entity("gerald mcraney"),
        "Gerald McRaney",
        True,
        ("gerald lee mcraney",),
    )


def test_leaving_a_document_out_leaves_the_others_whole() -> None:
    other = DocumentSlice(
        DocumentRow("d2", "file:///b", "Bela", "text/plain", "hash2"),
        (TextChunk(0, SECOND, (SENTENCES[1],), (triple("Bela", "leave", "a house"),)),),
        last=True,
        kept=(KeptChunk("c0", "d2", 1),),
        costs=(DocumentCost("d2", 1.0),),
    )
    both = graph_batch("corpus", [SLICE, other], RecordingEmbedder().embed, lambda ids: set())
    alone = graph_batch("corpus", [other], RecordingEmbedder().embed, lambda ids: set())
    left = without_documents(both, {"d1"})
    for kind in ("documents", "mentions", "roles", "kept", "costs", "finished"):
        assert set(getattr(left, kind)) == set(getattr(alone, kind))
    for kind in ("chunks", "sentences", "entities", "triples"):
        assert {row.id for row in getattr(left, kind)} == {row.id for row in getattr(alone, kind)}
