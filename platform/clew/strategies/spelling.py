"""Names of a question that the corpus does not have: which ones are meant, by their spelling.

A word of a name is taken for misspelt where it stands nowhere in the corpus, in no name and no
relation either, and the name of an entity has a word that differs by a letter (by two in words of
nine letters or more: a letter wrong, missing, too many, or two exchanged). The question is then
asked with the right word. Where nothing is spelt alike, the nearest name by embedding is suggested
and not followed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.results.evidence import NameSuggestion
from clew.strategies.seeds import entities_named, nearest_named
from clew_cypher.corpora import Corpus
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.searching.entities import entities_spelt_like
from clew_cypher.searching.words import known_words, word_in_relations
from clew_ingest.parsing.entity_names import normalise_name

if TYPE_CHECKING:
    from clew.resources.resources import Resources

SHORTEST = 4
"""Letters of the shortest word that can be misspelt: shorter ones are too near to others."""
SHORTEST_PLAIN = 6
"""The same for a word that is not written as a name."""
LONG = 9
"""From so many letters on, two may be wrong."""
MOST = 10
"""Words that are looked up at most, those of names first: each is a search, or two."""
FEW = 3
"""More plain words than these are misspelt only where the corpus has most of the question's: else
they are of another language, or of a log."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class _Misspelt:
    """A word as it stands in the question, and the name it stands in."""

    word: str
    name: str
    wrong: int


@dataclass(frozen=True)
class _Correction:
    asked: str
    word: str
    right: str
    name: str
    entity_id: str


def spelt_right(
    resources: "Resources", question: str, corpus: Corpus
) -> tuple[str, tuple[NameSuggestion, ...]]:
    """Return the question with its misspelt names put right, and what was or may be meant."""
    if not corpus.revision:
        return question, ()
    mentions = resources.parser.question_mentions(question)
    missing = _without_entity(resources, corpus, mentions)
    misspelt = _misspelt(resources, corpus.name, question, mentions, missing)
    corrections: dict[str, _Correction] = {}
    unsettled: list[str] = []
    for one in misspelt:
        found = _corrected(resources, corpus.name, one)
        if found is not None:
            corrections.setdefault(one.word, found)
        elif one.name != one.word or one.word in missing:
            unsettled.append(one.name)
    right = question
    for made in corrections.values():
        right = _replaced(right, made.word, made.right)
    followed = tuple(
        NameSuggestion(
            asked=made.asked,
            name=made.name,
            entity_id=made.entity_id,
            question=right,
            followed=True,
        )
        for made in corrections.values()
    )
    return right, (*followed, *_nearest(resources, corpus, right, unsettled))


def _without_entity(resources: "Resources", corpus: Corpus, mentions: Sequence[str]) -> list[str]:
    """Return the names that no entity goes by."""
    keys = {mention: normalise_name(mention) for mention in mentions}
    found = entities_named(resources, corpus, filter(None, keys.values()))
    known = {row["asked"] for row in found}
    return [mention for mention, key in keys.items() if key and key not in known]


def _misspelt(
    resources: "Resources",
    corpus: str,
    question: str,
    mentions: Sequence[str],
    missing: Sequence[str],
) -> list[_Misspelt]:
    """Return the words that the corpus does not have, at most ``MOST``: of names without an entity,
    and of the rest of the question where they are long and it has most of them."""
    named: dict[str, _Misspelt] = {}
    for name in missing:
        for word in _words(name):
            if len(word) >= SHORTEST:
                wrong = 2 if len(word) >= LONG else 1
                named.setdefault(word, _Misspelt(word, name, wrong))
    in_names = {word for mention in mentions for word in _words(mention)}
    plain = {
        word: _Misspelt(word, word, 1)
        for word in _words(question)
        if len(word) >= SHORTEST_PLAIN and word not in in_names
    }
    keys = {word: normalise_name(word) for word in (*named, *plain)}
    known = known_words(resources.store, corpus, keys)
    found = [one for word, one in named.items() if word not in known]
    unknown = [one for word, one in plain.items() if word not in known]
    if len(unknown) <= FEW or 2 * len(unknown) <= len(plain):
        found += unknown
    return found[:MOST]


def _corrected(resources: "Resources", corpus: str, misspelt: _Misspelt) -> _Correction | None:
    """Return the word of an entity's name that is meant; None for none, or where two are."""
    bad = normalise_name(misspelt.word)
    others = [key for word in _words(misspelt.name) if (key := normalise_name(word)) != bad]
    wanted = {bad: misspelt.wrong}
    # with the rest of the name if that leads anywhere, else by the word alone
    attempts = [wanted | dict.fromkeys(others, 0), wanted] if others else [wanted]
    for words in attempts:
        rows = [
            row
            for row in entities_spelt_like(resources.store, corpus, words)
            if row["type"] not in VALUE_TYPES
        ]
        best = _best(rows, bad, misspelt.wrong)
        if best is not None:
            if word_in_relations(resources.store, corpus, misspelt.word):
                return None
            word, row = best
            return _Correction(misspelt.name, misspelt.word, word, row["name"], row["id"])
    return None


def _best(rows: Iterable[dict], bad: str, wrong: int) -> tuple[str, dict] | None:
    found: dict[str, tuple[tuple[int, int, str], str, dict]] = {}
    for row in rows:
        for word in _words(row["name"]):
            key = normalise_name(word)
            if key == bad:
                return None
            distance = edit_distance(bad, key, wrong)
            if distance <= wrong:
                rank = (distance, -row["chunk_count"], row["id"])
                if key not in found or rank < found[key][0]:
                    found[key] = (rank, word, row)
    ranked = sorted(found.values(), key=lambda one: one[0])
    if not ranked:
        return None
    if len(ranked) > 1 and ranked[0][0][0] == ranked[1][0][0]:
        return None  # Holm or Hulm: nobody can say
    return ranked[0][1], ranked[0][2]


def _nearest(
    resources: "Resources", corpus: Corpus, question: str, names: Sequence[str]
) -> tuple[NameSuggestion, ...]:
    """Return the nearest entity of each name by embedding, where it is near enough."""
    if not names:
        return ()
    distinct = list(dict.fromkeys(names))
    suggestions = []
    keys = [normalise_name(name) for name in distinct]
    found = nearest_named(resources, corpus, keys, resources.embedder.embed(keys))
    for name, row in zip(distinct, found, strict=True):
        if row is not None:
            suggestions.append(
                NameSuggestion(
                    asked=name,
                    name=row["name"],
                    entity_id=row["id"],
                    question=_replaced(question, name, row["name"]),
                    followed=False,
                )
            )
    return tuple(suggestions)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _replaced(question: str, word: str, right: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: right, question)


def edit_distance(a: str, b: str, most: int) -> int:
    """Return how many letters are wrong, missing, too many or exchanged with their neighbour
    (Damerau–Levenshtein, optimal string alignment); ``most`` + 1 for more than that.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return min(row[-1], most + 1)
