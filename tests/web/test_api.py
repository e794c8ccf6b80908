"""REST: each operation calls the facade with what was asked, and answers in its model."""

import inspect
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from clew import Clew
from clew.errors import QuestionTimedOut, WorkerUnavailable
from clew.jobs.questions import Question
from clew.results.evidence import Answer, AskEvent, Evidence, Told, told_event
from clew.results.explanation import Found, QuotesCard, Round
from clew.settings import Settings
from clew.strategies.catalogue import STRATEGIES
from clew_cypher.errors import UnknownCorpus
from clew_web.app import create_app
from clew_web.errors import event_error


def events(body: str) -> list[tuple[str, Any]]:
    found = []
    for block in body.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_the_fake_has_the_signatures_of_the_facade(clew: Any) -> None:
    for name, method in inspect.getmembers(type(clew), inspect.isfunction):
        if not name.startswith("_"):
            real = inspect.signature(getattr(Clew, name)).parameters
            assert list(inspect.signature(method).parameters) == list(real), name


def test_query_answers_with_citations_and_evidence(client: Any, questions: Any) -> None:
    response = client.post(
        "/api/v1/query",
        json={"question": " Who founded it? ", "corpus": "sample", "strategy": "dense", "k": 2},
    )
    assert response.status_code == 200
    answer = Answer.model_validate(response.json)
    assert [citation.number for citation in answer.citations] == [1, 2]
    (asked,) = questions.asked
    assert (asked.question, asked.corpus) == ("Who founded it?", "sample")
    assert (asked.strategy, asked.k) == ("dense", 2)


@pytest.mark.parametrize("path", ["query", "search", "query/stream"])
def test_some_documents_are_asked(client: Any, questions: Any, path: str) -> None:
    wanted = {"names": ["report-*.pdf"], "added_from": "2025-03-01", "metadata": {"year": "2024"}}
    body = {"question": "Who founded it?", "corpus": "sample", "documents": wanted}
    assert client.post(f"/api/v1/{path}", json=body).status_code == 200
    (asked,) = questions.asked
    assert asked.documents.model_dump(mode="json", exclude_defaults=True) == wanted
    for wrong in ({"name": "x"}, {"added_from": "2025-03-01", "added_until": "2025-02-01"}):
        refused = client.post(f"/api/v1/{path}", json=body | {"documents": wrong})
        assert refused.status_code == 422


def test_defaults_are_those_of_the_settings(client: Any, questions: Any, settings: Any) -> None:
    assert client.post("/api/v1/query", json={"question": "Who?"}).status_code == 200
    (asked,) = questions.asked
    assert (asked.corpus, asked.strategy, asked.k) == (
        settings.corpus,
        None,  # the worker decides by what the corpus holds
        settings.top_k,
    )


def test_search_gives_evidence_only(client: Any) -> None:
    response = client.post("/api/v1/search", json={"question": "Who founded it?", "k": 1})
    evidence = Evidence.model_validate(response.json)
    assert [chunk.id for chunk in evidence.chunks] == ["c1"]
    assert evidence.trace


def test_stream_sends_the_evidence_before_the_first_piece(client: Any, questions: Any) -> None:
    response = client.post("/api/v1/query/stream", json={"question": "Who founded it?"})
    assert response.mimetype == "text/event-stream"
    seen = events(response.text)
    names = [name for name, _ in seen]
    assert names[:4] == ["trace", "trace", "trace", "evidence"]
    assert set(names[4:-1]) == {"piece"}
    assert names[-1] == "answer"
    Answer.model_validate(seen[-1][1])
    assert questions.closed == 1


def test_leaving_a_stream_cancels_the_question(client: Any, questions: Any) -> None:
    response = client.post(
        "/api/v1/query/stream", json={"question": "Who founded it?"}, buffered=False
    )
    stream = response.iter_encoded()
    assert b"event" in next(stream) + next(stream)
    response.close()
    assert questions.closed == 1


def test_a_worker_that_is_away_is_503_with_retry_after(client: Any, questions: Any) -> None:
    questions.error = WorkerUnavailable("No worker took the question.", remedy="Start one.")
    for path in ("query", "search", "query/stream"):
        response = client.post(f"/api/v1/{path}", json={"question": "Who?"})
        assert response.status_code == 503
        assert response.headers["Retry-After"]
        assert response.json["error"] == {
            "code": "worker_unavailable",
            "message": "No worker took the question.",
            "remedy": "Start one.",
        }


def test_a_question_that_takes_too_long_is_not_to_be_asked_again_at_once(
    client: Any, questions: Any
) -> None:
    questions.error = QuestionTimedOut("It took longer than 120 s.", remedy="Raise the limit.")
    late = client.post("/api/v1/query", json={"question": "Who?"})
    assert (late.status_code, late.json["error"]["code"]) == (504, "question_timed_out")
    assert "Retry-After" not in late.headers
    asked = {"model": "dense@sample", "messages": [{"role": "user", "content": "Who?"}]}
    late = client.post("/v1/chat/completions", json=asked)
    assert (late.status_code, late.headers["X-Should-Retry"]) == (504, "false")


def test_what_is_refused_at_once_is_no_stream(client: Any, questions: Any) -> None:
    asked = {"question": "Who founded it?", "corpus": "nowhere"}
    questions.early = [("error", event_error(UnknownCorpus("There is no corpus 'nowhere'.")))]
    refused = client.post("/api/v1/query/stream", json=asked)
    assert (refused.status_code, refused.mimetype) == (404, "application/json")
    assert refused.json["error"]["code"] == "unknown_corpus"
    questions.early = [("progress", {"text": "Loading"}), *questions.early]
    begun = client.post("/api/v1/query/stream", json=asked)
    assert begun.status_code == 200
    assert ("error", "unknown_corpus") in [(k, d.get("code")) for k, d in events(begun.text)]
    assert questions.closed == 2


def test_what_breaks_in_a_stream_is_an_error_event(client: Any, questions: Any) -> None:
    def broken() -> None:
        raise WorkerUnavailable("The worker died.", remedy="Ask again.")

    questions.pause = broken
    response = client.post("/api/v1/query/stream", json={"question": "Who founded it?"})
    name, data = events(response.text)[-1]
    assert (name, data["message"]) == ("error", "The worker died.")


def test_questions_beyond_the_slots_are_refused_and_slots_come_back(
    clew: Any, questions: Any, tmp_path: Any
) -> None:
    settings = Settings(home=tmp_path, web_threads=1)
    client = create_app(clew, settings, questions).test_client()
    body = {"question": "Who founded it?"}
    for _ in range(3):
        first = client.post("/api/v1/query/stream", json=body, buffered=False)
        refused = client.post("/api/v1/query", json=body)
        assert refused.status_code == 503
        assert refused.headers["Retry-After"] == "2"
        first.close()  # before its first event was read: the generator never started
    assert client.post("/api/v1/query", json=body).status_code == 200


def test_strategies_are_the_platforms(client: Any, settings: Any) -> None:
    answered = client.get("/api/v1/strategies").json
    listed = answered["strategies"]
    assert [one["name"] for one in listed] == [spec.name for spec in STRATEGIES]
    assert [one["in_steps"] for one in listed] == [f"iterative:{spec.name}" for spec in STRATEGIES]
    assert [one["name"] for one in listed if one["default"]] == [settings.strategy]
    assert answered["default"] == settings.strategy
    unknown = client.post("/api/v1/query", json={"question": "Who?", "strategy": "magic"})
    assert unknown.status_code == 422
    assert "guided-pagerank" in unknown.json["error"]["remedy"]


@pytest.mark.parametrize(
    ("name", "status"),
    [("iterative:dense", 200), ("iterative:densee", 422), ("iterative:iterative:dense", 422)],
)
def test_a_strategy_can_be_asked_in_steps(
    client: Any, questions: Any, name: str, status: int
) -> None:
    answered = client.post("/api/v1/query", json={"question": "Who?", "strategy": name})
    assert answered.status_code == status
    if status == 200:
        assert questions.asked[-1].strategy == name
    else:
        assert "Did you mean 'iterative:dense'?" in answered.json["error"]["remedy"]


def test_cards_come_with_the_answer_and_are_described(client: Any) -> None:
    asked = {"question": "Who founded it?", "strategy": "translator"}
    for path, of in (("query", lambda body: body["evidence"]), ("search", lambda body: body)):
        quotes, subgraph = of(client.post(f"/api/v1/{path}", json=asked).json)["explanation"]
        assert (quotes["kind"], subgraph["kind"]) == ("quotes", "subgraph")
        assert [(quote["text"], quote["after"]) for quote in quotes["quotes"]] == [
            ("Aurelia@@was built at ##", None),
            ("Seld Shipyard@@## was founded by ## in", 0),
        ]
        assert quotes["quotes"][0]["spans"][0]["chunk_id"] == "c1"
        assert subgraph["edges"][0]["kind"] == "MENTIONED_IN"
    schemas = client.get("/openapi.json").json["components"]["schemas"]
    cards = schemas["Evidence"]["properties"]["explanation"]["items"]
    assert {one["$ref"].rsplit("/", 1)[1] for one in cards["oneOf"]} == {
        "QuotesCard",
        "SubgraphCard",
        "RoundsCard",
    }
    assert cards["discriminator"]["propertyName"] == "kind"
    assert {"text", "label", "score", "spans", "chunk_ids", "tags", "after"} <= set(
        schemas["Quote"]["properties"]
    )
    assert "log-probability" in schemas["Quote"]["description"]
    assert {"number", "asked", "found", "decided", "seconds"} == set(schemas["Round"]["properties"])


def test_cards_and_rounds_are_streamed_as_they_are_told(
    client: Any, questions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Told] = [
        QuotesCard(title="Clues"),
        Round(number=1, asked="Who <b>founded</b> it?", found=(Found(id="c1", title="Aurelia"),)),
    ]
    later = questions._events

    def first(question: Question) -> Iterator[AskEvent]:
        yield from map(told_event, told)
        yield from later(question)

    monkeypatch.setattr(questions, "_events", first)
    response = client.post("/api/v1/query/stream", json={"question": "Who founded it?"})
    found = events(response.text)
    assert [kind for kind, _ in found[:3]] == ["card", "round", "trace"]
    assert [data for _, data in found[:2]] == [one.model_dump(mode="json") for one in told]


def test_upload_of_files_is_accepted_and_submitted(client: Any, clew: Any) -> None:
    files = [(io.BytesIO(b"# One"), "../../etc/one.md"), (io.BytesIO(b"two"), "two.txt")]
    response = client.post("/api/v1/documents", data={"corpus": "sample", "files": files})
    assert response.status_code == 202
    assert response.json["job_id"] == "j1"
    accept, submit = clew.calls
    assert [source.uri for source in accept[2]] == ["upload:etc/one.md", "upload:two.txt"]
    assert [source.data for source in accept[2]] == [b"# One", b"two"]
    assert all(source.path is None for source in accept[2])
    assert submit == ("submit", "sample", [one["id"] for one in response.json["documents"]])


def test_an_upload_may_be_knowledge_bases(client: Any, clew: Any) -> None:
    def upload(kind: str) -> Any:
        files = [(io.BytesIO(b"a\tb\tc"), "facts.tsv")]
        data = {"corpus": "sample", "as": kind, "files": files}
        return client.post("/api/v1/documents", data=data)

    assert upload("triples").status_code == 202
    assert clew.calls[0][3:] == ("triples",)
    assert upload("documents").status_code == 202
    assert [call[3:] for call in clew.calls if call[0] == "accept"] == [("triples",), ()]
    assert upload("nonsense").status_code == 422


def test_the_corpus_of_an_upload_stands_in_the_query_or_in_the_body(client: Any, clew: Any) -> None:
    def upload(query: str, **fields: str) -> Any:
        files = [(io.BytesIO(b"one"), "one.txt")]
        return client.post(f"/api/v1/documents{query}", data={**fields, "files": files})

    assert upload("?corpus=sample").status_code == 202
    assert upload("?corpus=sample", corpus="sample").status_code == 202
    assert [call[1] for call in clew.calls if call[0] == "submit"] == ["sample", "sample"]
    differing = upload("?corpus=sample", corpus="other")
    assert differing.status_code == 422
    assert "'other'" in differing.json["error"]["message"]
    assert upload("?korpus=sample").status_code == 422


def test_upload_of_records_and_of_an_address(client: Any, clew: Any) -> None:
    body = {
        "records": [{"title": "Aurelia", "text": "A ship."}, {"text": "No title", "uri": "x/1"}],
        "url": "https://93.184.216.34/page#part",
    }
    answer = client.post("/api/v1/documents", json=body)
    assert answer.status_code == 202
    titled, named = clew.calls[0][2]
    assert titled.uri == "record:Aurelia"
    assert json.loads(titled.data) == {"title": "Aurelia", "text": "A ship."}
    assert named.uri == "record:x/1"
    # the job fetches it: a page that comes slowly must not hold the request
    assert clew.calls[1][3] == ["https://93.184.216.34/page"]
    assert answer.json["fetching"] == ["https://93.184.216.34/page"]
    clew.calls.clear()
    assert client.post("/api/v1/documents", json={"url": body["url"]}).json["job_id"]
    assert [call[0] for call in clew.calls] == ["accept", "submit"]


@pytest.mark.parametrize("url", ["http://127.0.0.1/x", "http://169.254.169.254/", "http://[::1]/"])
def test_addresses_inside_are_refused_and_leave_nothing(client: Any, clew: Any, url: str) -> None:
    response = client.post("/api/v1/documents", json={"url": url})
    assert (response.status_code, response.json["error"]["code"]) == (403, "address_refused")
    assert clew.calls == []


@pytest.mark.parametrize("rest", ["a\nb", "a\nb#part", "a\tb", "a b", "\n"])
def test_addresses_with_blanks_are_refused_and_leave_nothing(
    client: Any, clew: Any, rest: str
) -> None:
    response = client.post("/api/v1/documents", json={"url": f"https://93.184.216.34/{rest}"})
    assert (response.status_code, response.json["error"]["code"]) == (422, "unreadable_source")
    assert clew.calls == []


def test_files_of_kinds_that_are_not_read_are_refused(client: Any, clew: Any) -> None:
    def upload(*files: tuple[str, bytes]) -> Any:
        parts = [(io.BytesIO(data), name) for name, data in files]
        return client.post("/api/v1/documents?corpus=sample", data={"files": parts})

    program = ("setup.exe", b"MZ\x90\x00")
    refused = upload(program)
    assert (refused.status_code, refused.json["error"]["code"]) == (415, "unsupported_media_type")
    assert clew.calls == []
    both = upload(program, ("one.txt", b"One."), ("scan", b"%PDF-1.7"))
    assert both.status_code == 202
    assert [one["uri"] for one in both.json["skipped"]] == ["upload:setup.exe"]
    assert [one["uri"] for one in both.json["documents"]] == ["upload:one.txt", "upload:scan"]


def test_addresses_are_not_fetched_where_that_is_off(
    clew: Any, questions: Any, tmp_path: Any
) -> None:
    settings = Settings(home=tmp_path, url_ingest=False)
    client: Any = create_app(clew, settings, questions).test_client()
    response = client.post("/api/v1/documents", json={"url": "https://example.org/"})
    assert response.status_code == 422
    assert "url_ingest" in response.json["error"]["remedy"]
    assert clew.calls == []


def test_documents_are_paged_filtered_shown_and_deleted(client: Any, clew: Any) -> None:
    page = client.get("/api/v1/documents?corpus=sample&limit=2&offset=2").json
    assert [document["id"] for document in page["documents"]] == ["d3", "d4"]
    assert page["more"] is True
    failed = client.get("/api/v1/documents?corpus=sample&status=failed&query=SCAN").json
    assert [document["error"] for document in failed["documents"]] == ["The PDF is broken."]
    shown = client.get("/api/v1/documents/d4?corpus=sample").json
    assert shown["chunks"][0]["text"].count("<script>") == 1
    assert client.delete("/api/v1/documents/d4?corpus=sample").json["documents"] == 1
    gone = client.get("/api/v1/documents/d4?corpus=sample")
    assert (gone.status_code, gone.json["error"]["code"]) == (404, "unknown_document")


def test_corpora_are_created_listed_and_deleted(client: Any) -> None:
    assert client.post("/api/v1/corpora", json={"name": "new "}).status_code == 201
    assert client.post("/api/v1/corpora", json={"name": "new"}).status_code == 200
    assert client.post("/api/v1/corpora", json={"name": "  "}).status_code == 422
    listed = client.get("/api/v1/corpora").json
    assert [corpus["name"] for corpus in listed["corpora"]] == ["default", "sample", "new"]
    assert listed["default"] == "default"
    assert client.get("/api/v1/corpora/sample").json["documents"] == 5
    assert client.delete("/api/v1/corpora/new").status_code == 200
    assert client.get("/api/v1/corpora/new").status_code == 404


def test_the_extractor_of_a_corpus_is_chosen_and_refused(client: Any, clew: Any) -> None:
    made = client.post("/api/v1/corpora", json={"name": "new", "extractor": "none"})
    assert (made.status_code, made.json["extractor"]) == (201, "none")
    changed = client.patch("/api/v1/corpora/new", json={"extractor": "rules"})
    assert (changed.status_code, changed.json["extractor"]) == (200, "rules")
    for body, said in (
        ({"extractor": "ruls"}, "rules, llm, model, none, file:PATH"),
        ({"extractor": "llm"}, "CLEW_LLM_MODEL"),
        ({"extractor": "file:/etc/passwd"}, "clew corpora set"),
        ({}, "extractor"),
    ):
        refused = client.patch("/api/v1/corpora/new", json=body)
        assert refused.status_code == 422
        assert said in refused.get_data(as_text=True)
    assert clew.extractors["new"] == "rules"
    assert client.patch("/api/v1/corpora/lost", json={"extractor": "none"}).status_code == 404


def test_a_document_tells_its_triples_and_what_it_cost(client: Any) -> None:
    found = client.get("/api/v1/documents/d1?corpus=sample").json
    assert [triple["predicate"] for triple in found["triples"]] == ["be", "build at"]
    assert found["triples"][1]["sentence"] == "She was built at the Seld Shipyard."
    costs = ("seconds", "llm_calls", "prompt_tokens", "completion_tokens")
    assert [found["document"][name] for name in costs] == [0.84, 2, 1840, 212]


def test_jobs_are_listed_shown_and_cancelled(client: Any, clew: Any) -> None:
    clew.submit("sample", ["d1"])
    assert [job["id"] for job in client.get("/api/v1/jobs?corpus=sample").json["jobs"]] == ["j1"]
    assert client.get("/api/v1/jobs/j1").json["progress"]["done"] == 1
    assert client.post("/api/v1/jobs/j1/cancel").json["state"] == "cancelled"
    assert client.get("/api/v1/jobs/j9").status_code == 404


def test_graph_around_an_entity_and_under_an_answer(client: Any, clew: Any) -> None:
    around = client.get("/api/v1/graph?corpus=sample&entity_id=e1&limit=3").json
    assert len(around["nodes"]) == 3
    unknown = client.get("/api/v1/graph?corpus=sample&entity_id=e0")
    assert (unknown.status_code, unknown.json["error"]["code"]) == (404, "not_found")
    client.get("/api/v1/graph?corpus=sample&chunk_ids=c1&chunk_ids=c2&entity_ids=e1")
    assert clew.calls[-1] == ("answer_graph", "sample", ["e1"], ["c1", "c2"], 60)
    assert client.get("/api/v1/graph?corpus=sample").status_code == 422
    assert client.get("/api/v1/graph?entity_id=e1&chunk_ids=c1").status_code == 422
    assert client.get("/api/v1/graph?entity_id=e1&limit=301").status_code == 422
    found = client.get("/api/v1/graph/entities?corpus=sample&text=aur").json
    assert found["entities"][0]["name"] == "Aurelia"


def test_health_names_what_is_missing(client: Any, clew: Any) -> None:
    assert client.get("/health").json == {"status": "ok"}
    assert client.get("/health/ready").status_code == 200
    clew.up = False
    response = client.get("/health/ready")
    assert response.status_code == 503
    assert response.headers["Retry-After"]
    missing = [service["name"] for service in response.json["services"] if not service["ok"]]
    assert missing == ["Neo4j", "Query worker"]


def test_openapi_describes_every_operation_and_both_uploads(app: Any, client: Any) -> None:
    described = client.get("/openapi.json").json
    upload = described["paths"]["/api/v1/documents"]["post"]["requestBody"]["content"]
    assert set(upload) == {"multipart/form-data", "application/json"}
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(("/api/", "/health")):
            path = rule.rule.replace("<", "{").replace(">", "}")
            methods = {method.lower() for method in rule.methods} - {"head", "options"}
            assert methods <= set(described["paths"][path]), path
    references = set(json.dumps(described).split('"#/components/schemas/')[1:])
    for reference in references:
        assert reference.split('"')[0] in described["components"]["schemas"]


def test_every_body_of_json_has_an_example_that_fits(client: Any) -> None:
    described = client.get("/openapi.json").json
    for path, item in described["paths"].items():
        for method, operation in item.items():
            kinds = operation.get("requestBody", {}).get("content", {})
            if "application/json" in kinds:
                body = kinds["application/json"]
                schema = {"components": described["components"], **body["schema"]}
                assert "example" in body, (method, path)
                jsonschema.validate(
                    body["example"], schema, format_checker=jsonschema.FormatChecker()
                )


def test_docs_need_nothing_from_elsewhere(client: Any) -> None:
    page = client.get("/docs").text
    assert "http://" not in page
    assert "https://" not in page
    with client.get("/docs/swagger-ui-bundle.js") as script:
        assert script.status_code == 200
    assert client.get("/docs/../app.py").status_code == 404


def test_a_page_of_documents_has_a_total(client: Any) -> None:
    page = client.get("/api/v1/documents?corpus=sample&limit=2").json
    assert (len(page["documents"]), page["more"], page["total"]) == (2, True, 5)
    some = client.get("/api/v1/documents?corpus=sample&limit=1&status=ready").json
    assert some["total"] == 4


def test_an_upload_that_makes_a_corpus_says_so(client: Any) -> None:
    body = {"records": [{"text": "x"}]}
    made = client.post("/api/v1/documents?corpus=smaple", json=body)
    assert (made.status_code, made.json["new_corpus"]) == (202, "smaple")
    again = client.post("/api/v1/documents?corpus=smaple", json=body)
    assert again.json["new_corpus"] is None


def test_openapi_says_every_status_and_pattern(app: Any, client: Any) -> None:
    described = client.get("/openapi.json").json
    schemas = described["components"]["schemas"]
    assert "models" in schemas["ModelList"]["properties"]
    assert "data" in schemas["ChatModelList"]["properties"]
    for path, item in described["paths"].items():
        for method, operation in item.items():
            said = operation["responses"]
            anyone = path.startswith("/health")
            assert {"400", "405", "413", "422", "431"} <= set(said), (method, path)
            assert anyone or {"401", "403", "404", "409", "429", "503"} <= set(said), (method, path)
            shape = "OpenAiError" if path.startswith("/v1/") else "ErrorModel"
            refused = said["422"]["content"]["application/json"]["schema"]["$ref"]
            assert refused.rsplit("/", 1)[1] == shape
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    assert parameter["schema"]["pattern"], (path, parameter["name"])
    assert (
        "Retry-After" in described["paths"]["/api/v1/query"]["post"]["responses"]["503"]["headers"]
    )
    for form in ("Upload", "BenchUpload"):  # which can leave a field out, and not send null
        assert '"null"' not in json.dumps(schemas[form]["properties"]), form
    question = schemas["Query"]["properties"]["question"]["pattern"]
    for text, fits in (("Who?", True), (" \n", False), ("a\x00", False), ("", False)):
        assert (re.search(question, text) is not None) == fits, text
        refused = client.post("/api/v1/search", json={"question": text})
        assert (refused.status_code == 200) == fits
