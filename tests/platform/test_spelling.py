"""What is told of a question before its evidence: names that are not there, and which are meant;
languages that are not spoken; documents that are still to come."""

import itertools
from collections import Counter, deque
from collections.abc import Iterator

import pytest

from clew.answering.asking import ask
from clew.resources.resources import Resources
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.searching import search
from clew.strategies.spelling import MOST, edit_distance, spelt_right
from clew_cypher.corpora import delete_corpus, get_corpus
from clew_cypher.errors import UnknownCorpus
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import uploaded

TEXTS = (
    "The harbour of Stavanholm was built by Ines Halloran in 1911.",
    "Ines Halloran was born in Port Ellis. She was an engineer.",
    "The lighthouse of Port Ellis was designed by Tom Reyes.",
    "Mary Holm wrote of the sea. Mark Hulm painted it.",
)


FOREIGN = (
    "Welcher Ingenieur plante den Hafen, nachdem die Gemeinde beschlossen hatte, dass Fischerboote "
    "und Dampfschiffe nebeneinander anlegen sollten, und warum wurden die Arbeiten unterbrochen, "
    "obwohl die Verwaltung bereits mehrere Jahre daran gearbeitet hatte?"
)
STACK_TRACE = "\n".join(
    f'  File "/srv/app/handlers/module{letter}.py", line 4{n}, in dispatch_{letter * 7}\n'
    f"    raise Unexpected{letter.upper() * 3}Error(request_{letter * 6}, payload_{letter * 6})"
    for n, letter in enumerate("abcdefghijklmnop")
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FACTS = """\
Great Marlow\tpopulation\t14325
Harlow\tpopulation\t93300
Pinegate Bank\tdirector\tIda Kvist
Direktor Lane\tlocated in\tTarnby
"""


@pytest.fixture(scope="module")
def filled(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    name = corpus_names.popleft()
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    pipeline.accept(name, [uploaded(f"{n}.txt", t.encode()) for n, t in enumerate(TEXTS)])
    pipeline.process(name)
    yield name
    delete_corpus(resources.store, name)
    corpus_names.append(name)


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("Who built the harbour of Stavanholn?", "Who built the harbour of Stavanholm?"),
        ("Who built the harbour of Stvaanholm?", "Who built the harbour of Stavanholm?"),
        ("Where was Ines Haloran born?", "Where was Ines Halloran born?"),
        ("Where was Inez Haloran born?", "Where was Ines Halloran born?"),
        ("where was ines haloran born?", "where was ines Halloran born?"),
        ("Who designed the lighthouse of Port Elis?", "Who designed the lighthouse of Port Ellis?"),
        (  # half of its long words are there
            "harbour designed lighthouse engineer stavanholn zorblaxian quibbleton frobnicate",
            "harbour designed lighthouse engineer Stavanholm zorblaxian quibbleton frobnicate",
        ),
    ],
)
def test_a_misspelt_name_is_put_right(
    resources: Resources, filled: str, asked: str, right: str
) -> None:
    question, suggestions = spelt_right(resources, asked, get_corpus(resources.store, filled))
    assert question == right
    assert all(one.followed and one.question == right for one in suggestions)
    assert suggestions


def test_names_are_looked_up_once_a_question(
    resources: Resources, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: Counter[str] = Counter()
    read = resources.store.read

    def counted(name: str, /, **params: object) -> list[dict]:
        statements[name] += 1
        return read(name, **params)

    monkeypatch.setattr(resources.store, "read", counted)
    # a name that is there, and one that neither stands anywhere nor is spelt like another
    search(resources, "Did Ines Halloran meet Zoltan Quibble?", filled, "chain-ranking")
    assert statements["entities_named"] == 1
    assert statements["nearest_entities_each"] == 1


@pytest.mark.parametrize(
    ("question", "named", "most"),
    [
        (FOREIGN, True, 2 * MOST),
        (STACK_TRACE, True, 2 * MOST),
        (" ".join(f"Zorblax{n * 3} Quibbleton{n * 3}" for n in LETTERS), True, 2 * MOST),
        (FOREIGN, False, 0),
        (STACK_TRACE, False, 0),
    ],
)
def test_a_long_question_is_looked_up_in_few_statements(
    resources: Resources,
    filled: str,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    named: bool,
    most: int,
) -> None:
    """``named``: with what the parser takes for names in it."""
    if not named:
        monkeypatch.setattr(resources.parser, "question_mentions", lambda _: [])
    statements: Counter[str] = Counter()
    read = resources.store.read

    def counted(name: str, /, **params: object) -> list[dict]:
        statements[name] += 1
        return read(name, **params)

    known = get_corpus(resources.store, filled)
    monkeypatch.setattr(resources.store, "read", counted)
    spelt_right(resources, question, known)
    assert statements["search_entities"] <= most
    assert statements["known_words"] == 1


@pytest.mark.parametrize(
    "question",
    [
        "Who built the harbour of Stavanholm?",
        "Where was Ines Halloran born?",
        "When was the harbour built?",
        "What did Mary paint?",  # is there, and is not Mark
        "Where was Zoltan Quibble born?",  # nothing is spelt alike
        "Who wrote of Hylm?",  # Holm or Hulm: nobody can say
        "Who is Tom?",
    ],
)
def test_what_is_there_or_is_like_nothing_is_left_alone(
    resources: Resources, filled: str, question: str
) -> None:
    corpus = get_corpus(resources.store, filled)
    right, suggestions = spelt_right(resources, question, corpus)
    assert right == question
    assert not [one for one in suggestions if one.followed]


@pytest.mark.parametrize("text", ["", "The library of Tarnby opens at ten, not at nine."])
def test_words_of_knowledge_bases_are_known(
    resources: Resources, corpus_names: deque[str], text: str
) -> None:
    name = corpus_names.popleft()
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    pipeline.accept(name, [uploaded("facts.tsv", FACTS.encode())], as_triples=True)
    if text:
        pipeline.accept(name, [uploaded("library.txt", text.encode())])
    pipeline.process(name)
    try:
        corpus = get_corpus(resources.store, name)
        for question in (
            "What is the population of Marlow?",  # is there, and is not Harlow
            "Who is the director of Pinegate Bank?",  # a relation, and no Direktor
        ):
            assert spelt_right(resources, question, corpus)[0] == question
        asked = "What is the population of Harlov?"
        assert spelt_right(resources, asked, corpus)[0] == "What is the population of Harlow?"
    finally:
        delete_corpus(resources.store, name)
        corpus_names.append(name)


@pytest.mark.parametrize(
    "name", [spec.name for spec in STRATEGIES if not (spec.training or spec.models)]
)
def test_the_evidence_is_for_the_name_that_is_there(
    resources: Resources, filled: str, name: str
) -> None:
    asked = "Who built the harbour of Stavanholn?"
    evidence = search(resources, asked, filled, name, 2)
    meant = search(resources, "Who built the harbour of Stavanholm?", filled, name, 2)
    assert [chunk.id for chunk in evidence.chunks] == [chunk.id for chunk in meant.chunks]
    assert evidence.question == meant.question
    (one,) = evidence.suggestions
    assert (one.asked, one.name, one.followed) == ("Stavanholn", "Stavanholm", True)
    assert meant.suggestions == ()


def test_a_letter_does_not_kill_a_right_answer(resources: Resources, filled: str) -> None:
    answer = ask(resources, "Who built the harbour of Stavanholn?", filled)
    assert (answer.supported, answer.short) == (True, "Ines Halloran")


def test_another_form_of_a_name_is_suggested_and_not_followed(
    resources: Resources, filled: str
) -> None:
    corpus = get_corpus(resources.store, filled)
    question, (one,) = spelt_right(resources, "Which tower is by Thomas Reyes?", corpus)
    assert question == "Which tower is by Thomas Reyes?"
    assert (one.asked, one.name, one.followed) == ("Thomas Reyes", "Tom Reyes", False)
    assert one.question == "Which tower is by Tom Reyes?"


def test_a_foreign_question_is_told(resources: Resources, filled: str) -> None:
    notices = search(resources, "Wer baute den Hafen von Stavanholm?", filled, "bm25").notices
    assert "seems to be in German" in notices[0]
    assert search(resources, "Who built Stavanholm?", filled, "bm25").notices == ()


def test_documents_that_are_still_to_be_indexed_are_told(resources: Resources, filled: str) -> None:
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    question = "Who founded Karrow?"
    notices = []
    for count in (1, 2):
        text = f"Karrow was founded by Ada Lind in {1900 + count}."
        pipeline.accept(filled, [uploaded(f"late-{count}.txt", text.encode())])
        notices.append(search(resources, question, filled, "bm25").notices)
    assert notices == [
        ("1 document is still to be indexed: what it says is not found yet.",),
        ("2 documents are still to be indexed: what they say is not found yet.",),
    ]
    counted = resources.store.read("asked_corpus", corpus=filled, ids=None, limit=1)
    assert counted[0]["waiting"] == 1
    pipeline.process(filled)
    assert search(resources, question, filled, "bm25").notices == ()


def test_an_unknown_corpus_is_refused(resources: Resources) -> None:
    with pytest.raises(UnknownCorpus):
        search(resources, "Who?", "no such corpus", "bm25")


def test_the_distance_is_damerau_s() -> None:
    def slow(a: str, b: str) -> int:
        if not a or not b:
            return len(a) + len(b)
        found = [
            slow(a[1:], b) + 1,
            slow(a, b[1:]) + 1,
            slow(a[1:], b[1:]) + (a[0] != b[0]),
        ]
        if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
            found.append(slow(a[2:], b[2:]) + 1)
        return min(found)

    words = ["".join(letters) for n in range(5) for letters in itertools.product("ab", repeat=n)]
    for a, b in itertools.product(words, repeat=2):
        assert edit_distance(a, b, 9) == slow(a, b), (a, b)
        assert edit_distance(a, b, 1) == min(slow(a, b), 2)
