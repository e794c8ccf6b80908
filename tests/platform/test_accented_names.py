"""Names with accents, asked for as any system types them: composed ("é"), or in two characters."""

import unicodedata
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from clew import Clew

from ..running_clew import OwnSettings

Form = Literal["NFC", "NFD"]
FORMS: list[Form] = ["NFC", "NFD"]


@pytest.fixture(scope="module")
def clew(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    with Clew(own_settings(tmp_path_factory.mktemp("home"))) as clew:
        yield clew


@pytest.fixture(scope="module")
def corpus(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"test-accents-{uuid.uuid4().hex[:8]}"
    folder: Path = tmp_path_factory.mktemp("accents")
    (folder / "a.md").write_text("# Jürgen Müßner\n\nJürgen Müßner was born in Zürich in 1931.\n")
    (folder / "b.tsv").write_text("José Peña\tspouse\tZoë Núñez\n")
    clew.ingest(folder / "a.md", corpus=name)
    clew.ingest(folder / "b.tsv", corpus=name, as_triples=True)
    yield name
    clew.delete_corpus(name)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("question", "strategy", "answer"),
    [
        ("Where was Jürgen Müßner born?", "chain-ranking", "Zürich"),
        ("Where was Jürgen Müßner born?", "bm25", "Zürich"),
    ],
)
def test_a_question_is_answered_however_its_letters_are_composed(
    clew: Clew, corpus: str, question: str, strategy: str, answer: str, form: Form
) -> None:
    typed = unicodedata.normalize(form, question)
    found = clew.ask(typed, corpus=corpus, strategy=strategy)
    assert (found.short, found.question) == (answer, question)
    if strategy == "chain-ranking":
        assert [seed.name for seed in found.evidence.seeds] == ["Jürgen Müßner"]


@pytest.mark.parametrize("name", ["Zürich", "Jürgen Müß", "José Peña", "the Zoë"])
def test_an_entity_is_found_by_its_name_as_it_is_shown(clew: Clew, corpus: str, name: str) -> None:
    apart = unicodedata.normalize("NFD", name)
    bare = "".join(one for one in apart if not unicodedata.combining(one))
    for typed in (name, apart, bare):
        (found,) = clew.find_entities(corpus, typed)
        assert found.name.startswith(name.removeprefix("the "))
