"""A small corpus to train on: films and the people who made them, and questions about them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clew.clew import Clew
from clew.settings import Settings
from clew_cypher.corpora import delete_corpus_content
from clew_cypher.store import GraphStore
from clew_ingest.reading.sources import Source

from ..running_clew import settings_in
from ..tiny_model import tiny_model

FILMS = "test-films"
FIRST = ("Alba", "Bruno", "Clara", "Dario", "Elsa", "Fabio", "Greta", "Hugo", "Irma", "Jonas")
LAST = ("Marlow", "Thorne", "Vale")
CITIES = ("Vienna", "Lisbon", "Dublin", "Oslo", "Prague")
WORKS = ("The Amber Door", "The Silent Harbour", "The Glass Garden", "The Red Orchard")
PEOPLE = tuple(f"{first} {last}" for last in LAST for first in FIRST)


def film_of(number: int) -> str:
    """Return the film of a person, by the person's place."""
    return f"{WORKS[number % 4]} of {LAST[number % 3]} {number}"


def city_of(number: int) -> str:
    """Return where a person was born, by the person's place."""
    return CITIES[number % 5]


def passages() -> Iterator[tuple[str, str]]:
    """Yield titles and texts: a passage for each person, and one for each film."""
    for number, person in enumerate(PEOPLE):
        film, city, year = film_of(number), city_of(number), 1900 + number
        yield person, f"{person} was born in {city} in {year}. {person} was a film director."
        yield film, f"{film} is a drama film directed by {person}."


def documents() -> Iterator[Source]:
    """The passages as records."""
    for title, text in passages():
        data = json.dumps({"title": title, "text": text}).encode()
        yield Source(uri=f"memory:{title}", name="record.json", data=data)


def musique_questions() -> list[dict[str, Any]]:
    """A question of two steps for each film, in MuSiQue's form."""
    texts = dict(passages())
    return [
        {
            "id": f"2hop__{number}_{number + 100}",
            "question": f"In which city was the director of {film_of(number)} born?",
            "answer": city_of(number),
            "answer_aliases": [],
            "answerable": True,
            "paragraphs": [
                {"idx": idx, "title": title, "paragraph_text": texts[title], "is_supporting": True}
                for idx, title in enumerate((film_of(number), person))
            ],
            "question_decomposition": [
                {
                    "id": number,
                    "question": f"{film_of(number)} >> director",
                    "answer": person,
                    "paragraph_support_idx": 0,
                },
                {
                    "id": number + 100,
                    "question": "Where was #1 born ?",
                    "answer": city_of(number),
                    "paragraph_support_idx": 1,
                },
            ],
        }
        for number, person in enumerate(PEOPLE)
    ]


def films_settings(store: GraphStore, cache_dir: Path, home: Path) -> Settings:
    """Return settings whose translator is a tiny model."""
    return settings_in(
        store.config,
        cache_dir,
        home,
        translator_model=str(tiny_model(home / "tiny")),
        translator_precision="float32",
    )


@contextmanager
def films_ingested(store: GraphStore, cache_dir: Path, home: Path) -> Iterator[str]:
    """Yield the corpus ``FILMS`` with the passages in it."""
    delete_corpus_content(store, FILMS)
    with Clew(films_settings(store, cache_dir, home)) as made:
        made.ingest(*documents(), corpus=FILMS)
    yield FILMS
    with Clew(films_settings(store, cache_dir, home)) as made:
        made.delete_corpus(FILMS)
