"""The questions of a set while it is read: no id twice, and none that cannot be scored."""

from collections.abc import Callable, Iterable

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.record_files import Place
from clew.results.data_set import BenchQuestion, RefusedQuestion

_NAMED = 3


class QuestionCollector:
    """Takes the questions of a file one by one; ``has``: whether the corpus has a key."""

    def __init__(self, has: Callable[[str], bool]) -> None:
        self._has = has
        self._taken: list[BenchQuestion] = []
        self._refused: list[RefusedQuestion] = []
        self._numbers: dict[str, int] = {}

    def add(self, question: BenchQuestion, place: Place) -> None:
        """Take a question, or refuse it with the reason; raises InvalidDataSet for its id."""
        keys = [*question.gold, *(key for path in question.gold_paths for key in path)]
        reason = no_gold(question) or absent(key for key in keys if not self._has(key))
        if reason:
            self.refuse(question.id, reason, place)
        else:
            self._claim(question.id, place)
            self._taken.append(question)

    def refuse(self, id_: str, reason: str, place: Place) -> None:
        """Leave a question out; raises InvalidDataSet where its id was there already."""
        self._claim(id_, place)
        self._refused.append(RefusedQuestion(id=id_, reason=reason))

    def finish(self, where: str) -> tuple[tuple[BenchQuestion, ...], tuple[RefusedQuestion, ...]]:
        """Return what was taken and what was refused; raises InvalidDataSet if none was taken."""
        if not self._taken:
            reasons = "; ".join(f"{r.id}: {r.reason}" for r in self._refused[:_NAMED])
            raise InvalidDataSet(
                f"{where}: none of its {len(self._refused)} questions can be scored. {reasons}",
                remedy="A question needs answers, or gold documents that are in the corpus.",
            )
        return tuple(self._taken), tuple(self._refused)

    def _claim(self, id_: str, place: Place) -> None:
        first = self._numbers.get(id_)
        if first is not None:
            whose = "a question of it" if first == place.number else f"record {first}"
            place.fail("id", f"{id_!r} is the id of {whose} already.")
        self._numbers[id_] = place.number


def no_gold(question: BenchQuestion) -> str:
    """Return why a question has nothing to be scored by; "" where it has."""
    if question.answers or question.gold or question.gold_paths or not question.answerable:
        return ""
    return "It has neither answers nor gold documents."


def absent(keys: Iterable[str]) -> str:
    """Return the reason to refuse a question whose gold names documents that are not there."""
    missing = list(dict.fromkeys(keys))
    if not missing:
        return ""
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    named = ", ".join(repr(key) for key in missing[:_NAMED])
    return f"Its gold is not in the corpus: {named}{more}."


def answers_of(first: str, aliases: Iterable[str] = ()) -> tuple[str, ...]:
    """Return an answer and its aliases, each once, without those that are empty."""
    return tuple(dict.fromkeys(text.strip() for text in (first, *aliases) if text.strip()))


def keywords(subject: str, relation: str) -> str:
    """Return a relation of a knowledge base as a question: its words as they stand.

    "Brand", "author" is "Brand author?". Relations are named so differently ("educated at",
    "date of birth") that no form of a whole sentence fits them all.
    """
    return f"{subject.strip()} {relation.strip()}?"
