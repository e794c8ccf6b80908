"""The Ask page in real Chromium: stream, citations, graph, trace, stop, sharing."""

import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from clew.errors import WorkerUnavailable
from clew.results.evidence import LONGEST_ANSWER, MOST_TURNS, EvidenceTriple, ScoredChunk

from .drawing import Drawing

SUPPORTED = "Who founded the shipyard that built the Aurelia?"
LINE = EvidenceTriple(
    id="t1",
    head_id="e1",
    head="Aurelia",
    relation="home port",
    tail_id="e10",
    tail="Port Ansel",
    text="Aurelia home port Port Ansel.",
    score=0.4,
    document_id="d4",
    title="ships.tsv",
    line=700,
)
"""Far down in a knowledge base."""


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the evidence of each question has instead of its own."""
    from . import conftest

    plain, instead = conftest.evidence_for, dict[str, Any]()
    monkeypatch.setattr(conftest, "evidence_for", lambda q: plain(q).model_copy(update=instead))
    return instead


@pytest.fixture
def asked(address: str, open_page: Any) -> Any:
    """The page after an answer has come."""
    page = open_page(address, "/ask?corpus=sample")
    page.get_by_label("Your question").fill(SUPPORTED)
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    return page


def test_an_answer_with_confidence_evidence_and_trace(asked: Any, questions: Any) -> None:
    expect(asked.locator("#answer-body .answer-short")).to_have_text("Victor Ferrand")
    expect(asked.locator("#answer-body .answer-text")).to_contain_text("founded in 1874")
    meter = asked.locator("meter")
    assert meter.get_attribute("value") == "90"
    expect(asked.locator("#evidence-list > li")).to_have_count(3)
    expect(asked.locator("#evidence-count")).to_have_text("3 passages")
    expect(asked.locator("#evidence-notices")).to_contain_text("the fake's")
    steps = asked.locator("#trace li")
    expect(steps).to_have_count(4)
    widths = [
        steps.nth(index).locator(".trace-bar > i").bounding_box()["width"] for index in range(4)
    ]
    assert widths == sorted(widths)
    assert widths[3] > 5 * widths[0] > 0
    expect(asked.locator("#trace-total")).to_have_text("61 ms in all")
    assert questions.asked[0].corpus == "sample"


@pytest.mark.parametrize("triples", [(), (LINE,)], ids=["passages", "and a triple"])
def test_what_the_reader_found_for_parts_of_the_question_joins_the_evidence(
    address: str, open_page: Any, questions: Any, found: dict[str, Any], triples: Any
) -> None:
    found["triples"] = triples
    other = {"id": "c9", "title": "Marenza"}
    questions.further = (ScoredChunk(**other, document_id="d9", text="A town.", score=0.5),)
    one = {"number": 1, "asked": "Where was Victor Ferrand born?", "found": [other]}
    one |= {"decided": "asked once Victor Ferrand was known", "seconds": None}
    title = "Parts of the question"
    questions.rounds = ({"kind": "rounds", "title": title, "summary": "", "rounds": [one]},)
    page = open_page(address, "/ask?corpus=sample")
    page.get_by_label("Your question").fill(SUPPORTED)
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    expect(page.locator("#evidence-list > li")).to_have_count(4 + len(triples))
    expect(page.locator("[data-chunk=c9]")).to_contain_text("Marenza")
    expect(page.locator("[data-chunk=c2]").get_by_text("cited as 2")).to_have_count(1)
    card = page.locator("#cards [data-kind=rounds]")
    expect(card).to_contain_text("Where was Victor Ferrand born?")
    card.get_by_role("button", name="Marenza").click()
    expect(page.locator("[data-chunk=c9]")).to_have_attribute("open", "")
    drawing = Drawing(page)
    drawing.has(1, "node[id = 'c9']")
    drawing.has(4, "node.on-path")  # what was drawn before is there as it was


def test_a_citation_opens_its_passage_with_the_quote_marked(asked: Any) -> None:
    asked.get_by_role("button", name="Citation 2: Seld Shipyard").first.click()
    passage = asked.locator("[data-chunk=c2]")
    expect(passage).to_have_attribute("open", "")
    expect(passage.locator("mark")).to_have_text("founded by Victor Ferrand in 1874")
    expect(passage.locator("summary")).to_be_focused()
    expect(passage.get_by_text("cited as 2")).to_be_visible()


def test_triples_alone_are_evidence_and_lead_to_their_lines(
    address: str, open_page: Any, found: dict[str, Any]
) -> None:
    found |= {"chunks": (), "paths": (), "triples": (LINE,)}
    page = open_page(address, f"/ask?corpus=sample&q={SUPPORTED}")
    expect(page.get_by_text("The evidence is triples alone, which are not drawn.")).to_be_visible()
    page.locator("[data-chunk=t1] summary").click()
    page.get_by_role("link", name="Open the document").click()
    expect(page.locator("#line-700")).to_be_visible()


def test_the_graph_shows_the_path_and_grows_where_it_is_clicked(asked: Any) -> None:
    drawing = Drawing(asked)
    drawing.has(7, "node")
    drawing.has(4, "node.on-path")
    drawing.has(3, "edge.on-path")
    drawing.has(0, "edge.on-path.dim")  # all lead to cited chunks
    drawing.settled()
    asked.mouse.click(*drawing.on_page("e1"))
    drawing.has(11, "node")
    expect(asked.locator(".graph-detail")).to_contain_text("“The Aurelia is a research ship.”")


def test_a_node_that_could_not_grow_grows_when_it_is_chosen_again(asked: Any) -> None:
    drawing = Drawing(asked)
    drawing.has(7, "node")
    node = asked.locator(".graph-keys [data-node=e3]")
    asked.route("**/api/v1/graph?*", lambda route: route.abort())
    node.press("Enter")
    expect(asked.locator(".graph-message")).to_contain_text("cannot be reached")
    asked.unroute("**/api/v1/graph?*")
    node.press("Enter")
    drawing.has(11, "node")


def test_the_graph_by_keyboard_and_as_a_list(asked: Any) -> None:
    expect(asked.locator(".graph-keys button")).to_have_count(7)
    node = asked.locator(".graph-keys [data-node=e2]")
    assert node.get_attribute("aria-label") == "Entity (organisation): Seld Shipyard"
    node.focus()
    asked.keyboard.press("Enter")
    expect(asked.locator(".graph-detail strong").first).to_have_text("Seld Shipyard")
    asked.get_by_text("The same as a list").click()
    entries = asked.locator(".graph-list li")
    expect(entries.first).to_contain_text("on the path")
    asked.locator(".graph-list button", has_text="Victor Ferrand").click()
    expect(asked.locator(".graph-detail strong").first).to_have_text("Victor Ferrand")


def test_a_question_asked_while_the_graph_grows(
    app: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    slow = threading.Event()
    grow = clew.neighbourhood

    def neighbourhood(*arguments: Any) -> Any:
        slow.wait(1)
        return grow(*arguments)

    clew.neighbourhood = neighbourhood
    page = open_page(serve(app), f"/ask?corpus=sample&q={SUPPORTED}")
    expect(page.get_by_text("High confidence")).to_be_visible()
    page.locator(".graph-keys [data-node=e3]").focus()
    page.keyboard.press("Enter")
    page.locator(".graph-keys [data-node=e10]").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Your question").fill("Nothing that is known?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The evidence does not say")).to_be_visible()
    page.wait_for_timeout(1500)  # the late answer must neither break nor show anything


def test_the_evidence_does_not_say(address: str, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample&q=Where+did+she+marry%3F")
    expect(page.get_by_text("The evidence does not say")).to_be_visible()
    expect(page.locator("meter")).to_have_count(0)


def test_the_address_can_be_shared(asked: Any, address: str, open_page: Any) -> None:
    shared = parse_qs(urlsplit(asked.url).query)
    assert shared == {"q": [SUPPORTED], "corpus": ["sample"], "strategy": ["chain-ranking"]}
    again = open_page(address, asked.url.removeprefix(address))
    expect(again.get_by_text("High confidence")).to_be_visible()
    expect(again.get_by_label("Your question")).to_have_value(SUPPORTED)


def test_stop_cancels_the_question(app: Any, questions: Any, serve: Any, open_page: Any) -> None:
    go_on = threading.Event()
    questions.pause = lambda: go_on.wait(0.2)
    page = open_page(serve(app), "/ask?corpus=sample")
    page.get_by_label("Your question").fill(SUPPORTED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#evidence-list > li")).to_have_count(3)  # before the answer is there
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    for _ in range(50):
        if questions.closed:
            break
        page.wait_for_timeout(100)
    assert questions.closed == 1
    assert page.locator("meter").count() == 0


def test_another_question_ends_the_one_before_without_a_word(
    address: str, questions: Any, open_page: Any
) -> None:
    go_on = threading.Event()
    questions.searching = lambda: go_on.wait(20)
    page = open_page(address, "/ask?corpus=sample")
    for question in ("Who founded it?", SUPPORTED):
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        expect(page.locator("#trace li")).to_have_count(3)
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator("#answer-card")).to_have_attribute("aria-busy", "true")
    expect(page.get_by_text("Stopped.")).to_have_count(0)
    go_on.set()
    expect(page.get_by_text("High confidence")).to_be_visible()


def test_errors_say_what_to_do(address: str, questions: Any, open_page: Any) -> None:
    questions.error = WorkerUnavailable("No worker took the question.", remedy="Run `clew up`.")
    page = open_page(address, "/ask?corpus=sample&q=Who%3F")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("No worker took the question.")
    expect(alert).to_contain_text("The home page shows what is running")
    expect(page.get_by_role("heading", name="How it was found")).to_be_hidden()
    page.get_by_label("Your question").fill("x" * 9000)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("too long")
    for card in ("Evidence", "The thread", "How it was found"):
        expect(page.get_by_role("heading", name=card)).to_be_hidden()
    assert page.get_by_label("Your question").bounding_box()["height"] < 450
    questions.error = None
    page.get_by_label("Your question").fill(SUPPORTED)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="How it was found")).to_be_visible()


def test_text_runs_as_its_script_does(address: str, open_page: Any, found: dict[str, Any]) -> None:
    text, other = "تأسست الجامعة عام 1925.", "The university is old."
    passages = {"c1": text, "c2": other}
    found["chunks"] = tuple(
        ScoredChunk(id=id_, document_id="d1", title="T", text=words, score=0.5)
        for id_, words in passages.items()
    )
    page = open_page(address, f"/ask?corpus=sample&q={text}")
    runs = "element => getComputedStyle(element).direction"
    assert page.get_by_label("Your question").evaluate(runs) == "rtl"
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert page.locator("[data-chunk=c1] .text").evaluate(runs) == "rtl"
    assert page.locator("[data-chunk=c2] .text").evaluate(runs) == "ltr"


def test_why_nothing_was_found_is_said_once_in_the_answer(
    address: str, questions: Any, open_page: Any, found: dict[str, Any]
) -> None:
    answered = questions.answer
    why = "No document of the corpus fits: 'zzz*'."
    found |= {"chunks": (), "paths": (), "seeds": (), "notices": (why,)}
    said = {"text": "The evidence does not say.", "supported": False, "citations": ()}
    questions.answer = lambda question: answered(question).model_copy(update=said)
    page = open_page(address, "/ask?corpus=sample&q=Who%3F")
    notice = page.locator("#answer-body .notice")
    expect(notice).to_have_text(f"The evidence does not say{why}")
    expect(page.get_by_text(why)).to_have_count(1)
    expect(page.locator("#evidence-list")).to_have_text("Nothing was found.")


def test_a_refusal_leads_to_what_comes_nearest(
    address: str, questions: Any, open_page: Any
) -> None:
    answered = questions.answer
    text = (
        "The evidence does not say. The nearest it comes: “She was built at the Seld Shipyard.” [1]"
    )
    said = {"text": text, "short": "", "supported": False}
    questions.answer = lambda question: answered(question).model_copy(update=said)
    page = open_page(address, "/ask?corpus=sample&q=Who%3F")
    notice = page.locator("#answer-body .notice")
    expect(notice).to_contain_text("The nearest it comes")
    expect(notice).not_to_contain_text("[1]")
    notice.get_by_role("button", name="Citation 1").click()
    expect(page.locator("[data-chunk=c1] mark")).to_be_visible()


@pytest.mark.parametrize(
    ("scores", "wide"),
    [
        ((0.8, 0.4, 0.2), (100, 50, 25)),
        ((2.0, 1.0, -2.0), (100, 75, 2)),  # log-odds, where nothing is no end of the scale
        ((-1.0, -3.0, -5.0), (100, 50, 2)),
    ],
)
def test_bars_are_as_long_as_scores_are_good(
    address: str, open_page: Any, found: dict[str, Any], scores: tuple[float, ...], wide: Any
) -> None:
    found["chunks"] = tuple(
        ScoredChunk(id=f"c{at}", document_id="d1", title="Ship", text="Text.", score=score)
        for at, score in enumerate(scores, start=1)
    )
    page = open_page(address, "/ask?corpus=sample&q=Who%3F")
    bars = page.locator(".evidence .score-bar > i")
    expect(bars).to_have_count(3)
    assert [bar.evaluate("i => parseFloat(i.style.width)") for bar in bars.all()] == list(wide)


def test_the_trace_tells_times_and_counts_in_words(address: str, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample")
    shown = page.evaluate(
        """async () => {
          const { duration, Trace } = await import("/static/js/trace.js");
          new Trace().add({ name: "question_entities", seconds: 0.01, detail: { mentions: [] } });
          return [0.00001, 0.0042, 0.0999, 0.9994, 0.9996, 12.3].map(duration);
        }"""
    )
    assert shown == ["< 0.1 ms", "4.2 ms", "100 ms", "999 ms", "1.00 s", "12.30 s"]
    assert page.locator("#trace .detail").text_content() == "mentions: none"


@pytest.mark.parametrize(
    ("confidence", "words"),
    [(0.8497, "High confidence85 %"), (0.844, "Medium confidence84 %"), (0.444, "Low")],
)
def test_a_confidence_is_judged_as_it_is_shown(
    address: str, questions: Any, open_page: Any, confidence: float, words: str
) -> None:
    answered = questions.answer
    questions.answer = lambda asked: answered(asked).model_copy(update={"confidence": confidence})
    page = open_page(address, "/ask?corpus=sample&q=Who%3F")
    expect(page.locator(".confidence")).to_contain_text(words)
    meter = page.locator("meter")
    assert meter.evaluate("meter => [meter.low, meter.high]") == [45, 85]


def test_examples_ask_the_sample_corpus(
    address: str, sample_question: str, open_page: Any, questions: Any
) -> None:
    page = open_page(address, "/ask?corpus=default")
    page.get_by_role("button", name=sample_question).click()
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert (questions.asked[0].question, questions.asked[0].corpus) == (sample_question, "sample")


def test_what_documents_hold_is_shown_as_text(asked: Any) -> None:
    assert asked.locator("#evidence-list b").count() == 0
    expect(asked.locator("#evidence-list")).to_contain_text("<b>Not bold</b>")
    asked.locator("[data-chunk=c3] summary").click()
    expect(asked.locator("[data-chunk=c3] .text")).to_contain_text("<script>alert(1)</script>")
    assert asked.locator("#result script").count() == 0


def test_copy_as_json(asked: Any) -> None:
    asked.context.grant_permissions(["clipboard-read", "clipboard-write"])
    asked.get_by_role("button", name="Copy as JSON").click()
    expect(asked.get_by_role("button", name="Copied")).to_be_visible()
    copied = asked.evaluate("async () => JSON.parse(await navigator.clipboard.readText())")
    assert copied["short"] == "Victor Ferrand"


def test_going_back_shows_the_answer_and_does_not_ask_again(
    address: str, questions: Any, open_page: Any
) -> None:
    page = open_page(address, "/ask?corpus=sample")
    for question in (SUPPORTED, "Nothing that is known?"):
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Copy as JSON")).to_be_visible()
    expect(page.get_by_text("The evidence does not say")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("High confidence")).to_be_visible()
    expect(page.locator("#evidence-list > li")).to_have_count(3)
    expect(page.get_by_text("As it was answered before in this tab.")).to_be_visible()
    Drawing(page).has(4, "node.on-path")
    # another page, and back
    page.get_by_role("link", name="Data").click()
    page.go_back()
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert len(questions.asked) == 2
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("As it was answered before in this tab.")).to_be_hidden()
    expect(page.get_by_text("High confidence")).to_be_visible()
    assert len(questions.asked) == 3


def test_a_question_further_leans_on_the_answer_before_it(asked: Any, questions: Any) -> None:
    questions.meant = {"Where was he born?": "Where was Victor Ferrand born?"}
    first = asked.url
    expect(asked.locator("#turns-before")).to_be_hidden()
    asked.get_by_label("Ask further").fill("Where was he born?")
    asked.keyboard.press("Enter")
    said = asked.locator("#understood")
    expect(said).to_have_text(
        "“Where was he born?” was understood as “Where was Victor Ferrand born?”"
    )
    expect(asked.get_by_label("Your question")).to_have_value("Where was Victor Ferrand born?")
    expect(asked.locator("#turns li")).to_have_text([f"{SUPPORTED} — Victor Ferrand"])
    expect(asked.get_by_label("Ask further")).to_have_value("")
    (turn,) = questions.asked[-1].history
    assert (turn.question, turn.answer) == (SUPPORTED, "Victor Ferrand")
    address = parse_qs(urlsplit(asked.url).query)
    assert address["q"] == ["Where was Victor Ferrand born?"]

    asked.locator("#asked-here > summary").click()
    listed = asked.locator("#asked-here-list li")
    expect(listed).to_have_text(
        ["Where was Victor Ferrand born? — Victor Ferrand", f"{SUPPORTED} — Victor Ferrand"]
    )
    times = len(questions.asked)
    asked.reload()
    expect(asked.get_by_text("High confidence")).to_be_visible()
    expect(asked.locator("#turns li")).to_have_count(1)  # of this tab, without asking anew
    expect(said).to_contain_text("“Where was he born?” was understood as")
    asked.locator("#turns a").click()
    expect(asked.get_by_text("High confidence")).to_be_visible()
    assert asked.url == first
    expect(asked.locator("#turns-before")).to_be_hidden()
    expect(said).to_be_hidden()
    assert len(questions.asked) == times

    asked.get_by_label("Your question").fill("Who was Edda?")
    asked.keyboard.press("Enter")
    expect(asked.locator("#asked-here-list li")).to_have_count(3)
    assert questions.asked[-1].history == ()  # asked anew, it leans on nothing


def test_a_question_further_that_has_no_answer_can_be_asked_again(
    asked: Any, questions: Any
) -> None:
    further = asked.get_by_label("Ask further")
    questions.error = WorkerUnavailable("No worker took the question.", remedy="Wait.")
    further.fill("Where was he born?")
    further.press("Enter")
    expect(asked.get_by_role("alert")).to_contain_text("No worker")
    expect(further).to_have_value("Where was he born?")
    questions.error = None
    go_on = threading.Event()
    questions.searching = lambda: go_on.wait(0.5)
    further.press("Enter")
    asked.get_by_role("button", name="Stop").click()
    expect(asked.get_by_text("Stopped.")).to_be_visible()
    questions.searching = None
    further.press("Enter")
    expect(asked.get_by_text("High confidence")).to_be_visible()
    assert [[turn.question for turn in one.history] for one in questions.asked[1:]] == [
        [SUPPORTED]
    ] * 3
    # what leans on nothing is asked by the button above
    questions.error = WorkerUnavailable("No worker took the question.", remedy="Wait.")
    asked.get_by_role("button", name="Ask", exact=True).click()
    expect(asked.get_by_role("alert")).to_contain_text("No worker")
    expect(further).to_be_hidden()


def test_of_a_long_conversation_as_much_is_told_as_the_server_takes(
    asked: Any, questions: Any
) -> None:
    asked.evaluate(
        """([turns, length]) => {
          const [key] = Object.keys(sessionStorage);
          const answer = "🧵".repeat(length);
          const before = Array.from({ length: turns }, (_, n) => ({ question: `${n}?`, answer }));
          const kept = JSON.parse(sessionStorage.getItem(key));
          sessionStorage.setItem(key, JSON.stringify({ ...kept, turns: before }));
        }""",
        [MOST_TURNS, LONGEST_ANSWER + 1],
    )
    asked.reload()
    asked.get_by_label("Ask further").fill("Where was he born?")
    asked.keyboard.press("Enter")
    expect(asked.locator("#turns li")).to_have_count(MOST_TURNS + 1)
    expect(asked.get_by_text("High confidence")).to_be_visible()
    history = questions.asked[-1].history
    assert [turn.question for turn in history] == [f"{n}?" for n in range(1, 20)] + [SUPPORTED]
    assert history[0].answer == "🧵" * LONGEST_ANSWER
