"""One contract for all extractors: rules, none, a language model, a file."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew_ingest.errors import IngestCancelled, UnreadableSource
from clew_ingest.triples.base import ChunkText, ChunkTriples, ExtractedTriple
from clew_ingest.triples.extraction import build_extraction, extraction_fingerprint
from clew_ingest.triples.extractor_choice import ExtractorChoice, UnknownExtractor
from clew_ingest.triples.reply_cache import ReplyCache
from clew_models.errors import LanguageModelUnavailable, PromptRefused
from clew_models.language_model import Completion, Message

ADA = ChunkText(
    "Ada Lind",
    "Ada Lind was born in Oslo. She painted.",
    ("Ada Lind was born in Oslo.", "She painted."),
)
BORN = {"head": "Ada Lind", "head_type": "PERSON", "relation": "bear in"}
BORN_IN_OSLO = BORN | {"tail": "Oslo", "tail_type": "GPE"}
PAINTED = BORN | {"relation": "paint", "tail": "a fjord", "tail_type": ""}
TRIPLE = ExtractedTriple("Ada Lind", "PERSON", "bear in", "Oslo", "GPE", 0)


class Scripted:
    """Answers what it is asked about by ``triples`` and ``paragraphs``; tokens are 10 and 3."""

    name = "scripted"

    def __init__(
        self,
        triples: Callable[[dict[str, Any]], str] | None = None,
        paragraphs: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        self.triples = triples or (lambda document: json.dumps({"triples": [BORN_IN_OSLO]}))
        self.paragraphs = paragraphs or (
            lambda document: json.dumps({"paragraphs": [{"index": 1, "text": "Ada is of Oslo."}]})
        )
        self.calls = 0

    def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        self.calls += 1
        document = json.loads(messages[-1].content)
        reply = self.paragraphs if "triples" in document else self.triples
        return Completion(reply(document), 10, 3)

    def stream(self, messages: Sequence[Message], **options: Any) -> Any:
        raise AssertionError("extraction does not stream")


def refuse(document: dict[str, Any]) -> str:
    raise PromptRefused("HTTP 400")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path) as opened:
        yield opened


def file_of(tmp_path: Path, *records: dict[str, Any]) -> str:
    path = tmp_path / "triples.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    return f"file:{path}"


@pytest.mark.parametrize("spec", ["rules", "none"])
def test_rules_and_none_have_no_work_here(spec: str) -> None:
    extraction = build_extraction(spec)
    assert extraction.name == spec
    assert list(extraction.extract([ADA, ADA])) == [ChunkTriples(), ChunkTriples()]


def test_a_chunk_gets_triples_and_textual_triplets_of_the_model(cache: ReplyCache) -> None:
    model = Scripted()
    extraction = build_extraction("llm", model, cache)
    found = next(iter(extraction.extract([ADA])))
    assert (found.triples, found.ttrs) == ((TRIPLE,), ("Ada is of Oslo.",))
    assert (found.calls, found.prompt_tokens, found.completion_tokens) == (2, 20, 6)
    assert found.seconds > 0
    assert not found.failed

    again = next(iter(build_extraction("llm", model, cache).extract([ADA])))
    assert (again.triples, again.ttrs) == (found.triples, found.ttrs)
    assert (again.calls, again.prompt_tokens, again.completion_tokens) == (0, 0, 0)
    assert model.calls == 2


def test_a_triplet_that_the_model_leaves_out_is_none() -> None:
    model = Scripted(lambda document: json.dumps({"triples": [PAINTED, BORN_IN_OSLO, {}]}))
    found = next(build_extraction("llm", model).extract([ADA]))
    assert found.ttrs == ("Ada is of Oslo.", None)
    assert [triple.sentence for triple in found.triples] == [None, 0]
    assert found.dropped == {"head is missing": 1}


def test_what_fails_costs_its_chunk_only(caplog: pytest.LogCaptureFixture) -> None:
    def some(document: dict[str, Any]) -> str:
        if document["title"] == "refused":
            refuse(document)
        return "nonsense" if document["title"] == "odd" else json.dumps({"triples": [BORN_IN_OSLO]})

    chunks = [ChunkText(title, ADA.text, ADA.sentences) for title in ("refused", "odd", "good")]
    found = list(build_extraction("llm", Scripted(some, refuse)).extract(chunks))
    assert [len(each.triples) for each in found] == [0, 0, 1]
    assert [each.failed for each in found] == [
        "the text was refused: HTTP 400",
        "the reply has no list 'triples'",
        "textual triplet: the text was refused: HTTP 400",
    ]
    assert found[2].ttrs == (None,)
    assert [each.calls for each in found] == [1, 1, 2]
    assert "A chunk of 'refused': the text was refused: HTTP 400" in caplog.messages


def test_an_endpoint_that_takes_nothing_at_all_ends_the_run() -> None:
    chunks = [ChunkText(f"Title {number}", ADA.text, ADA.sentences) for number in range(30)]
    with pytest.raises(LanguageModelUnavailable, match="first 20 texts were all refused"):
        list(build_extraction("llm", Scripted(refuse)).extract(chunks))


def test_an_empty_chunk_costs_nothing() -> None:
    found = next(build_extraction("llm", Scripted()).extract([ChunkText("Ada Lind", " ", ())]))
    assert (found.triples, found.calls) == ((), 0)


@pytest.mark.parametrize("spec", ["rules", "llm", "file"])
def test_cancelled_at_once(spec: str, tmp_path: Path) -> None:
    if spec == "file":
        spec = file_of(tmp_path, {"title": "A", "head": "A", "predicate": "be", "tail": "B"})
    with pytest.raises(IngestCancelled):
        list(build_extraction(spec, Scripted()).extract([ADA] * 3, cancelled=lambda: True))


def test_ready_made_triples_of_a_text_all_stay(tmp_path: Path) -> None:
    triples = [["Ada Lind", "was born in", "Oslo"], ["Ada Lind", "loved", "the sea"]]
    text = ADA.text.replace(". She", ".\n She")
    spec = file_of(tmp_path, {"title": "x", "text": text, "extracted_triples": triples})
    extraction = build_extraction(spec)
    found = next(extraction.extract([ADA]))
    assert extraction.name == "ready-made"
    assert [(t.predicate, t.sentence) for t in found.triples] == [
        ("was born in", 0),
        ("loved", None),
    ]
    assert found.ttrs == (None, None)
    assert (found.calls, found.prompt_tokens) == (0, 0)


def test_ready_made_triples_of_a_title_go_where_their_sentence_is(tmp_path: Path) -> None:
    record = {"title": "Ada Lind", "predicate": "be", "sentence": 0}
    spec = file_of(
        tmp_path,
        record | {"head": "Ada Lind", "tail": "Oslo"},
        record | {"head": "Ada Lind", "tail": "Rome"},
        record | {"head": "Ada Lind", "tail": "Rome", "predicate": "Be"},
        record | {"head": "She", "tail": "Rome"},
    )
    rome = ChunkText("Ada Lind", "Ada Lind went. She, Ada Lind, saw Rome.", ("Ada Lind went.",))
    rome = ChunkText(rome.title, rome.text, (*rome.sentences, "She, Ada Lind, saw Rome."))
    other = ChunkText("Oslo", ADA.text, ADA.sentences)
    found = list(build_extraction(spec).extract([ADA, rome, other]))
    assert [[(t.tail, t.sentence) for t in each.triples] for each in found] == [
        [("Oslo", 0)],
        [("Rome", 1)],
        [],
    ]
    assert found[1].dropped == {"repeated": 1, "head or tail names nothing": 1}


def test_a_fingerprint_says_what_the_triples_depend_on(tmp_path: Path) -> None:
    record = {"title": "A", "head": "A", "predicate": "be", "tail": "B"}
    spec = file_of(tmp_path, record)
    prints = [
        build_extraction("rules").fingerprint,
        build_extraction("none").fingerprint,
        build_extraction("llm", Scripted()).fingerprint,
        build_extraction(spec).fingerprint,
    ]
    assert len(set(prints)) == 4
    assert prints == [
        extraction_fingerprint("rules"),
        extraction_fingerprint("none"),
        extraction_fingerprint("llm", "scripted"),
        extraction_fingerprint(spec),
    ]
    file_of(tmp_path, record, record)
    assert extraction_fingerprint(spec) != prints[3]
    assert extraction_fingerprint("llm", "other") != prints[2]


@pytest.mark.parametrize("word", ["rules", "llm", "none", "file:/a/b.jsonl"])
def test_a_choice_is_read_and_written(word: str) -> None:
    assert str(ExtractorChoice.parse(f" {word} ")) == word


@pytest.mark.parametrize("word", ["", "rule", "file:", "LLM", "file"])
def test_another_word_is_refused_with_what_is_valid(word: str) -> None:
    with pytest.raises(UnknownExtractor, match="rules, llm, model, none, file:PATH"):
        ExtractorChoice.parse(word)


def test_what_a_choice_needs_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnknownExtractor, match="CLEW_LLM_MODEL"):
        build_extraction("llm")
    with pytest.raises(UnreadableSource, match="cannot be read"):
        build_extraction(f"file:{tmp_path / 'missing.jsonl'}")
    with pytest.raises(UnreadableSource, match="cannot be read"):
        build_extraction("file:~nobody-is-called-so.jsonl")
    spec = file_of(tmp_path, {"title": "A", "head": "A", "predicate": "be"})
    with pytest.raises(UnreadableSource, match=r'triples\.jsonl, line 1: the field "tail"'):
        build_extraction(spec)
