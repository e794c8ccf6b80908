"""A question that leans on what was asked before, as one that stands alone.

    Where was Ada Lovelace born? London.  ▸  Who was her father?     her  → Ada Lovelace's
                                          ▸  Who designed its flag?  its  → London's
                                          ▸  In which year?          In which year was Ada … born?
                                          ▸  And Charles Babbage?    Where was Charles Babbage born?

What a word points back to is chosen by kind alone (a person, a place, another thing), newest first,
so it may be wrong: whoever asks is shown what was understood.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from clew.comprehension.annotation import AnnotatedSentence, Phrase, Token
from clew.comprehension.lexicon import LABELS, VALUE_LABELS, WH, AnswerClass, classes_of
from clew.comprehension.question_form import QuestionForm, phrase_text, understand

Kind = Literal["person", "place", "thing", "value", "unknown"]

PERSONS = frozenset({"he", "him", "his", "himself", "she", "her", "hers", "herself"})
THINGS = frozenset({"it", "its", "itself"})
ANY = frozenset({"they", "them", "their", "theirs", "themselves"})
THERE = "there"
POINTING = frozenset({"the", "this", "that", "these", "those"})
"""Determiners of "the city", where a city was the answer."""
ELLIPSIS = re.compile(r"\s*(?:and|but|or|so)?\s*(?:what|how)\s+about\s+|\s*(?:and|but|or)\s+", re.I)
SHORT_WORDS, SURELY_SHORT = 8, 3
"""An answer of more words, or with a verb, is a sentence: the names in it are pointed to, not the
whole. So few words are none, whatever the parser takes them for.
"""
CITATION = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True)
class AskedBefore:
    """A question that was answered, parsed; ``answer``: its words, parsed too, none where the
    evidence did not say.
    """

    question: AnnotatedSentence
    answer: AnnotatedSentence | None


@dataclass(frozen=True)
class _Name:
    """``sure``: the kind is not just what the parser takes a single word for."""

    text: str
    kind: Kind
    sure: bool


def without_citations(answer: str) -> str:
    """Return an answer's words without the marks of its citations."""
    return CITATION.sub("", answer).strip()


def standing_alone(
    sentences: Sequence[AnnotatedSentence], text: str, before: Sequence[AskedBefore]
) -> str:
    """Return the question ``text``, which was parsed to ``sentences``, with what it leaves to the
    questions before it put in, the newest of which is the last; unchanged where it leaves nothing.
    """
    if not sentences or not before:
        return text
    return _short_form(sentences, text, before[-1]) or _resolved(sentences, text, before)


def _short_form(sentences: Sequence[AnnotatedSentence], text: str, last: AskedBefore) -> str | None:
    """The question before with another asking word ("When?") or name ("And Charles Babbage?")."""
    if len(sentences) > 1:
        return None
    sentence, earlier = sentences[0], last.question
    if any(token.pos in {"VERB", "AUX"} for token in sentence.tokens):
        return None
    words = [token for token in sentence.tokens if token.pos not in {"PUNCT", "CCONJ"}]
    if words and _only_asks(words):
        asked = text[sentence.start + words[0].start : sentence.start + words[-1].end]
        return _asked_otherwise(asked[:1].upper() + asked[1:], last)
    found = ELLIPSIS.match(text)
    if found is None:
        return None
    other = text[found.end() :].strip(" ?.!,")
    inside = [token for token in sentence.tokens if token.start + sentence.start >= found.end()]
    if any(_kinds(token) or token.text.casefold() in WH for token in inside):
        return None
    if not any(token.pos in {"NOUN", "PROPN", "NUM"} for token in inside):
        return None
    if inside[0].pos == "ADP":
        return _with_phrase(earlier, sentence, inside[0], other)
    names = list(_named(earlier))
    kinds = {kind for _, kind in _named(sentence)}
    same = [phrase for phrase, kind in names if kind in kinds] or [phrase for phrase, _ in names]
    if not same:
        return None
    return _put(earlier, same[-1].first, same[-1].last, other)


def _only_asks(words: Sequence[Token]) -> bool:
    """Whether there is no more than "When?" or "In which year?"."""
    asking = words[1:] if words[0].pos == "ADP" else words
    if not asking or asking[0].text.casefold() not in WH:
        return False
    return len(asking) == 1 or (len(asking) == 2 and asking[1].pos == "NOUN")


def _asked_otherwise(word: str, last: AskedBefore) -> str | None:
    """The question before, asked by another word; who was asked for is known by now."""
    earlier = last.question
    if earlier.tokens[0].text.casefold() not in WH:
        return None
    asked = " ".join(token.text.casefold() for token in earlier.tokens[:2])
    end = next((phrase.last for phrase in earlier.noun_chunks if phrase.first == 0), 1)
    if asked == "how many" and end > 2 and (which := _which_of_them(word, earlier, end)):
        return which
    if asked.startswith("how ") and last.answer is not None and not _is_way(last.answer):
        return None
    rest = earlier.text[earlier.tokens[end - 1].end :]
    others = {phrase.first for phrase in earlier.noun_chunks}
    following = [token.pos for token in earlier.tokens[end : end + 1]]
    if following == ["AUX"] and end + 1 in others:
        return word + rest
    return f"{word} {last.answer.text.rstrip(' .')}{rest}" if last.answer is not None else None


def _which_of_them(word: str, counted: AnnotatedSentence, end: int) -> str | None:
    """… "Which ones?", where they were counted, [2, end) in the question; None for other words."""
    tokens = counted.tokens
    rest = counted.text[tokens[end - 1].end :]
    if word.casefold() == "who":
        return word + rest
    noun = tokens[end - 1].text.casefold()
    if word.casefold() in {"which", "which ones", f"which {noun}"}:
        return f"Which {counted.text[tokens[2].start :]}"
    return None


def _is_way(answer: AnnotatedSentence) -> bool:
    """Say whether an answer to "how" tells no number."""
    return not any(token.pos == "NUM" or token.text.isdecimal() for token in answer.tokens)


def _with_phrase(
    earlier: AnnotatedSentence, sentence: AnnotatedSentence, preposition: Token, other: str
) -> str:
    """… "And in Paris?": where the question before has such a phrase, this one takes its place."""
    label = _label(sentence, 0, len(sentence.tokens))
    found: list[tuple[bool, int, int, int]] = []
    for index, token in enumerate(earlier.tokens):
        if token.pos == "ADP" and token.lemma == preposition.lemma and earlier.children[index]:
            first, last = earlier.subtree(index)
            if not any(token.text.casefold() in WH for token in earlier.tokens[first:last]):
                found.append((_label(earlier, first, last) != label, last - first, first, last))
    if not found:
        return f"{earlier.text.rstrip(' ?')} {other}?"
    _, _, first, last = min(found)
    return _put(earlier, first, last, other)


def _label(sentence: AnnotatedSentence, first: int, last: int) -> str:
    """Return the label of what is named first in [first, last)."""
    inside = (one.label for one in sentence.entities if first <= one.first < last)
    return next(inside, "")


def _put(sentence: AnnotatedSentence, first: int, last: int, words: str) -> str:
    while first < last - 1 and sentence.tokens[first].pos in {"DET", "PUNCT"}:
        first += 1
    start, end = sentence.tokens[first].start, sentence.tokens[last - 1].end
    return sentence.text[:start] + words + sentence.text[end:]


def _resolved(
    sentences: Sequence[AnnotatedSentence], text: str, before: Sequence[AskedBefore]
) -> str:
    """Put names for the words that point back; what a name in the question stands for is left."""
    put: list[tuple[int, int, str]] = []
    own: list[Kind] = []
    done: set[frozenset[Kind]] = set()
    for sentence in sentences:
        named = {phrase.first: kind for phrase, kind in _named(sentence)}
        pointing = dict(_pointing_phrases(sentence))
        for index, token in enumerate(sentence.tokens):
            if index in named:
                own.append(named[index])
            start, end = sentence.start + token.start, sentence.start + token.end
            if index in pointing:
                last = sentence.tokens[pointing[index] - 1]
                answer = _answer_that_is(last.lemma, token.text.casefold(), before)
                if answer:
                    put.append((start, sentence.start + last.end, answer))
                continue
            kinds = _kinds(token)
            if not kinds or kinds in done or any(kind in kinds for kind in own):
                continue
            name = _pointed_to(kinds, before)
            if name is None:
                continue
            done.add(kinds)
            put.append((start, end, _in_place_of(token, name.text)))
    for start, end, words in reversed(put):
        text = text[:start] + words + text[end:]
    return text[:1].upper() + text[1:] if put else text


def _kinds(token: Token) -> frozenset[Kind]:
    """Return what a word may point back to; empty for words that point to nothing."""
    word = token.text.casefold()
    if word == THERE:
        return frozenset({"place"} if token.dep != "expl" else ())
    if token.pos not in {"PRON", "DET", "ADJ"}:
        return frozenset()
    if word in PERSONS:
        return frozenset({"person"})
    if word in THINGS:
        return frozenset({"thing", "place"} if token.dep != "expl" else ())
    return frozenset({"person", "thing", "place"}) if word in ANY else frozenset()


def _in_place_of(token: Token, name: str) -> str:
    word = token.text.casefold()
    if word == THERE:
        return f"in {name}"
    if word in {"his", "hers", "its", "their", "theirs"} or (word == "her" and token.dep == "poss"):
        return f"{name}'s"
    return name


def _pointed_to(kinds: frozenset[Kind], before: Sequence[AskedBefore]) -> _Name | None:
    """Return the newest name of one of the kinds; else the newest of which the kind is unknown."""
    names = [name for turn in reversed(before) for name in _names(turn)]
    for wanted in (kinds, frozenset({"unknown"})):
        for name in names:
            if name.kind in wanted:
                return name
    return next((name for name in names if not name.sure), None)


def _names(turn: AskedBefore) -> Iterator[_Name]:
    """Yield what can be pointed to: the answer, then what the question names."""
    form = understand(turn.question)
    if turn.answer is not None:
        if _is_short(turn.answer):
            kind = _kind_of_answer(form, turn.answer)
            yield _Name(turn.answer.text.rstrip(" ."), kind, kind != "unknown")
        else:
            yield from _as_names(turn.answer)
    yield from _as_names(turn.question)


def names_in(question: AnnotatedSentence) -> Iterator[str]:
    """Yield the names in a question, in order."""
    return (name.text for name in _as_names(question))


def _is_short(answer: AnnotatedSentence) -> bool:
    words = len(answer.tokens)
    verb = answer.tokens[answer.root].pos in {"VERB", "AUX"}
    return words <= SURELY_SHORT or (words <= SHORT_WORDS and not verb)


def _as_names(sentence: AnnotatedSentence) -> Iterator[_Name]:
    for phrase, kind in _named(sentence):
        text = phrase_text(sentence, phrase).removesuffix("'s").removesuffix("’s")
        yield _Name(text, kind, kind == "person" and " " in text)


def _kind_of_answer(form: QuestionForm, answer: AnnotatedSentence) -> Kind:
    """Return the kind that was asked for, where the answer does not look like another."""
    if form.kind == "yes-no":
        return "value"
    asked = {_kind_of_class(name) for name in form.classes}
    named = [kind for _, kind in _named(answer) if kind != "unknown"]
    if not named and not asked and any(token.pos == "NUM" for token in answer.tokens):
        return "value"
    # who builds a ship may be a company, but where somebody was born is no person, whatever the
    # parser takes the name for
    if asked == {"place"} or (len(asked) == 1 and not (named and named[0] not in asked)):
        return asked.pop()
    return named[0] if named and not asked else "unknown"


def _kind_of_class(name: AnswerClass) -> Kind:
    if name == "PERSON":
        return "person"
    if name == "PLACE":
        return "place"
    return "value" if name in {"DATE", "NUMBER", "GROUP"} else "thing"


def _named(sentence: AnnotatedSentence) -> Iterator[tuple[Phrase, Kind]]:
    """Yield the names in a sentence with their kinds, values left out, in order.

    A proper noun that the parser does not label is a name of unknown kind.
    """
    found = {
        index: phrase
        for phrase in sentence.entities
        if phrase.label not in VALUE_LABELS
        for index in range(phrase.first, phrase.last)
    }
    seen: set[int] = set()
    for phrase in sentence.noun_chunks:
        labelled = [index for index in range(phrase.first, phrase.last) if index in found]
        if not labelled and any(
            token.pos == "PROPN" for token in sentence.tokens[phrase.first : phrase.last]
        ):
            found |= dict.fromkeys(range(phrase.first, phrase.last), phrase)
    for index in sorted(found):
        phrase = found[index]
        if phrase.first not in seen:
            seen.add(phrase.first)
            yield phrase, _kind_of_label(phrase.label)


def _kind_of_label(label: str) -> Kind:
    for name, labels in LABELS.items():
        if label in labels:
            return _kind_of_class(name)
    return "unknown"


def _pointing_phrases(sentence: AnnotatedSentence) -> Iterator[tuple[int, int]]:
    """Yield [first, last) of each "the city", "that film" that nothing describes further."""
    tokens = sentence.tokens
    for index, (determiner, noun) in enumerate(pairwise(tokens)):
        following = tokens[index + 2] if index + 2 < len(tokens) else None
        # "the film studio", but not "What did the film cost?", whose verb is taken for a noun
        goes_on = noun.dep == "compound" and following is not None and following.dep != "ROOT"
        if (
            determiner.text.casefold() in POINTING
            and noun.pos == "NOUN"
            and not goes_on
            and not any(child > index + 1 for child in sentence.children[index + 1])
        ):
            yield index, index + 2


def _answer_that_is(noun: str, determiner: str, before: Sequence[AskedBefore]) -> str | None:
    """Return the newest answer to a question for such a thing; after "this" and "that" a noun of
    the same class will do.
    """
    for turn in reversed(before):
        if turn.answer is None:
            continue
        form = understand(turn.question)
        label = _label(turn.answer, 0, len(turn.answer.tokens))
        classes = form.classes | {name for name, labels in LABELS.items() if label in labels}
        wanted = classes_of(noun)
        who = form.classes == {"PERSON"} and not form.focus and wanted == {"PERSON"}
        if form.focus == noun or who or (determiner != "the" and classes & wanted):
            if _is_short(turn.answer):
                return turn.answer.text.rstrip(" .")
            return next((name.text for name in _as_names(turn.answer)), None)
    return None
