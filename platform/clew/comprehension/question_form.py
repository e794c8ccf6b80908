"""What a question asks for: the form and class of its answer, its focus, and what it names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

from clew.comprehension.annotation import AnnotatedSentence, Phrase, Token
from clew.comprehension.asked_noun import (
    asked_noun,
    first_noun,
    is_called,
    is_counted,
    is_plural,
    passive_verb,
)
from clew.comprehension.asking import asking_word, asks_yes_no, offers_choice, offers_names
from clew.comprehension.definitions import defined_by_question
from clew.comprehension.lexicon import (
    AT_ORGANISATIONS,
    CHARGED,
    DURATION,
    EXTREMES,
    HOW,
    MEASURED,
    MONEY_WORDS,
    PRICED,
    SUMS,
    VALUE_LABELS,
    WH,
    AnswerClass,
    classes_of,
)
from clew.comprehension.lines import COPIED
from clew.comprehension.naming import NAMED, bare
from clew.comprehension.stems import family, stem
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.mentions import capitalised_spans

CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
ASKING_AUXILIARIES = frozenset({"do", "will", "would", "can", "could", "may", "might", "should"})
_OF_MONEY = MONEY_WORDS | MEASURED.keys() | {"money", "cash"}
"""What "how much" asks a sum, or a share, of, and no span of time."""
LIGHT = frozenset(
    {"be", "do", "have", "get", "name", "many", "much", "same", "both", "other", "call"}
)
FEW = 2
"""Words of a question that tell something; fewer say too little where something is told before."""
_CLOCK_ASKED = re.compile(
    r"^what time (?:do|does|did|is|are|will|must|should|can)\b"
    r"|\b(?:at|by|until|till|before|after|from) (?:what|which) time\b(?! of)",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"\bhow far (?:in advance|ahead|beforehand)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
_NAMING = frozenset({"PROPN", "NUM", "X", "SYM"})
QUOTED = re.compile(r'"([^"]{2,120})"|“([^”]{2,120})”')


@dataclass(frozen=True)
class QuestionForm:
    """A question (or the noun phrase that stands for one), understood as far as words allow.

    ``kind``: yes/no, a choice between things it names, or open. ``classes``: what the answer may
    be, empty for anything; ``measures``: the entity types that a number asked for has, empty for
    any. ``focus``: the noun the answer is an instance of ("city"), or "".
    ``verb``: the lemma that governs the asked-for phrase; ``asks_subject``: the answer is that
    verb's subject. ``defined``: the key of what it wants to be told what it is, or "".
    ``names``: keys of what the question names, ``words``: its content lemmas. ``several``: more
    than one thing is asked for, "which films". ``story``: what is told before, where the question
    alone says too little to be answered.
    """

    text: str
    kind: Literal["open", "yes-no", "choice"]
    classes: frozenset[AnswerClass]
    focus: str
    verb: str
    asks_subject: bool
    asks_year: bool
    measures: frozenset[str]
    defined: str
    names: tuple[str, ...]
    words: tuple[str, ...]
    several: bool = False
    story: str = ""

    @property
    def read(self) -> str:
        """What is read for: the question, behind what is told before it."""
        return f"{self.story} {self.text}" if self.story else self.text

    @property
    def asks_sum(self) -> bool:
        """Whether a sum of money is asked for, or a share of one."""
        return self.measures == SUMS

    @cached_property
    def asks_how_many(self) -> bool:
        """Whether a number of things is asked for, which is no sum of money and no share."""
        things = self.focus not in MONEY_WORDS and self.focus not in MEASURED
        return things and _HOW_MANY.search(self.text) is not None

    @cached_property
    def asks_clock(self) -> bool:
        """Whether a time of day is asked for: "until what time"."""
        return self.focus == "time" and _CLOCK_ASKED.search(self.text) is not None

    @cached_property
    def kin(self) -> frozenset[str]:
        """The stems of the words that are of the focus's family."""
        return family(self.focus) if self.focus else frozenset()

    @cached_property
    def unnamed(self) -> tuple[str, ...]:
        """Its words without those of names."""
        named = {stem(word) for name in self.names for word in name.split()}
        return tuple(word for word in self.words if stem(word) not in named)

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The stems of the words that are of the verb's family, where it says something."""
        return family(self.verb) if self.verb not in {"be", "do", ""} else frozenset()


def with_story(form: QuestionForm, sentences: Sequence[AnnotatedSentence]) -> QuestionForm:
    """Return the form of a question that says little itself with what ``sentences``, of which it is
    the last, tell before it: "My bike was stolen. Who should I call?".
    """
    others = [one for one in sentences if one.text != form.text]
    before = [one for one in others if not one.text.rstrip().endswith("?")]
    if not before or len(others) == len(sentences) or len(form.words) >= FEW:
        return form
    words = content_words(token for one in before for token in one.tokens)
    story = " ".join(one.text for one in before)
    return replace(form, story=story, words=tuple(dict.fromkeys((*form.words, *words))))


def understand(sentence: AnnotatedSentence, *, phrase_head: int | None = None) -> QuestionForm:
    """Return the form of a parsed question; ``phrase_head``: it is the noun phrase of that noun."""
    tokens = sentence.tokens
    if phrase_head is not None:
        lemma = tokens[phrase_head].lemma
        classes = classes_of(lemma) or _of_who(sentence, phrase_head)
        return _form(sentence, "open", classes, lemma, "be", False, ())
    wh = asking_word(sentence)
    if wh is None and (asks_yes_no(sentence)):
        either = offers_names(tokens)
        return _form(sentence, "choice" if either else "yes-no", frozenset(), "", "", False, ())
    if wh is None:
        focus = first_noun(sentence)
        lemma = tokens[focus].lemma if focus is not None else ""
        classes = _of_focus(sentence, focus) if focus is not None else frozenset()
        form = _form(sentence, "open", classes, lemma, "", False, ())
        told_to = tokens[0].pos == "VERB" and focus is not None  # "Name the members of …"
        return replace(form, several=told_to and is_plural(tokens[focus or 0]))
    word = tokens[wh].text.casefold()
    focus_at = asked_noun(sentence, wh, word)
    focus_lemma = tokens[focus_at].lemma if focus_at is not None else ""
    classes = _classes(sentence, wh, word, focus_at)
    asked = focus_at if focus_at is not None and tokens[wh].head == focus_at else wh
    verb_at = tokens[asked].head
    if (passive := passive_verb(sentence, wh)) is not None:
        verb_at = passive
    while tokens[verb_at].pos in {"ADP", "NOUN", "ADV", "ADJ"} and tokens[verb_at].head != verb_at:
        verb_at = tokens[verb_at].head
    subject = passive is None and tokens[asked].dep in {"nsubj", "nsubjpass"}
    kind: Literal["open", "choice"] = "choice" if offers_choice(sentence) else "open"
    skipped = () if focus_at is None else (focus_at,)
    defined = defined_by_question(sentence, wh)
    verb = tokens[verb_at].lemma
    form = _form(sentence, kind, classes, focus_lemma, verb, subject, skipped, defined)
    of = wh + 1 < len(tokens) and tokens[wh + 1].lemma == "of"  # "Which of the two films"
    plural = (
        focus_at is not None
        and (is_plural(tokens[focus_at]) or is_counted(sentence, focus_at))
        and not is_called(sentence, wh, focus_at)
    )
    several = plural and kind == "open" and "NUMBER" not in classes and not of
    return replace(form, several=several)


def named_keys(sentence: AnnotatedSentence) -> tuple[str, ...]:
    """Return the normalised names in a question, longest first: entities, capitals, quotations."""
    surfaces = [
        bare(sentence.slice(e.first, e.last))
        if e.label == NAMED
        else sentence.slice(e.first, e.last)
        for e in sentence.entities
        if e.label not in VALUE_LABELS
    ]
    titles = [
        normalise_name(sentence.slice(e.first, e.last))
        for e in sentence.entities
        if e.label == NAMED
    ]
    surfaces += [
        one
        for one in _capitalised(sentence)
        if not any(normalise_name(one) in title for title in titles)
    ]
    surfaces = [one for one in surfaces if not _is_a_role(one, sentence.text)]
    surfaces += [found.group(1) or found.group(2) for found in QUOTED.finditer(sentence.text)]
    copied = [found.group() for found in COPIED.finditer(sentence.text)]
    whole = [s for s in surfaces if not any(s != one and s in one for one in copied)]
    keys = {normalise_name(surface) for surface in whole + copied} - {"", *WH}
    return tuple(sorted(keys, key=lambda key: (-len(key), key)))


def _capitalised(sentence: AnnotatedSentence) -> list[str]:
    """Return the capitalised spans of a question, without a word that is no name and has its
    capital for beginning it: "Registration number of the van", "Price of the Ostra 450"."""
    first = sentence.tokens[0]
    named = any(e.first == 0 and e.label not in VALUE_LABELS for e in sentence.entities)
    if named or first.pos in _NAMING or not first.text[:1].isupper():
        return capitalised_spans(sentence.text)
    return capitalised_spans(sentence.text[: first.start] + sentence.text[first.end :])


def _is_a_role(surface: str, text: str) -> bool:
    """Say whether a short form is somebody's, and so the name of nothing: "our new CEO"."""
    short = surface.isupper() and surface.isalpha()
    own = rf"\b(?:my|our|your|their)\s+(?:[a-z]+\s+)?{re.escape(surface)}\b"
    return short and re.search(own, text) is not None


def content_words(tokens: Iterable[Token], copied: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the distinct lemmas that carry meaning, in order; those of ``copied`` do, whatever the
    parser takes them for.
    """
    lemmas = (
        lemma
        for token in tokens
        for lemma in token.lemma.split()  # a title's words (naming)
        if (token.pos in CONTENT or token.text in copied) and lemma not in LIGHT and lemma not in WH
    )
    return tuple(dict.fromkeys(lemma for lemma in lemmas if len(lemma) > 1))


def _form(
    sentence: AnnotatedSentence,
    kind: Literal["open", "yes-no", "choice"],
    classes: frozenset[AnswerClass],
    focus: str,
    verb: str,
    asks_subject: bool,
    skipped: tuple[int, ...],
    defined: str = "",
) -> QuestionForm:
    copied = [found.group() for found in COPIED.finditer(sentence.text)]
    words = content_words(
        (token for i, token in enumerate(sentence.tokens) if i not in skipped), copied
    )
    asks_year = "DATE" in classes and focus == "year"
    return QuestionForm(
        text=sentence.text,
        kind=kind,
        classes=classes,
        focus=focus,
        verb=verb,
        asks_subject=asks_subject,
        asks_year=asks_year,
        measures=_measures(sentence, focus) if "NUMBER" in classes else frozenset(),
        defined=defined,
        names=named_keys(sentence),
        words=words,
    )


def _measures(sentence: AnnotatedSentence, focus: str) -> frozenset[str]:
    """Return the entity types of the number that "how long", "what percentage" … asks for."""
    lemmas = [token.lemma for token in sentence.tokens]
    if _AHEAD.search(sentence.text):
        return frozenset({DURATION})
    if any(_asks_amount(sentence, at) for at in range(len(sentence.tokens))):
        return MEASURED["price"]
    for index, (word, after) in enumerate(pairwise(lemmas)):
        if word == "how" and after in HOW:
            of = sentence.tokens[index + 2 : index + 3]
            if after == "much" and of and of[0].pos in {"ADJ", "NOUN"} and focus not in _OF_MONEY:
                return frozenset({DURATION}) if focus == "time" else HOW[after] | {DURATION}
            priced = after == "much" and not PRICED.isdisjoint(lemmas)
            return HOW[after] - {"QUANTITY"} if priced else HOW[after]
    return MEASURED.get(focus, frozenset())


def _classes(
    sentence: AnnotatedSentence, wh: int, word: str, focus: int | None
) -> frozenset[AnswerClass]:
    tokens = sentence.tokens
    lemmas = [token.lemma for token in tokens[wh + 1 : wh + 5]]
    if word == "how":
        return frozenset({"NUMBER"}) if lemmas and lemmas[0] in HOW else frozenset()
    if focus is not None and (found := _of_focus(sentence, focus)):
        return found
    if _asks_amount(sentence, wh):
        return frozenset({"NUMBER"})
    most = word == "what" and lemmas[:3] in (["be", "the", "most"], ["be", "the", "least"])
    if most and tokens[wh + 3].dep != "advmod":  # "the most GitHub pays", not "the most common"
        return frozenset({"NUMBER"})
    at_work = not AT_ORGANISATIONS.isdisjoint(token.lemma for token in tokens)
    if word in {"who", "whom", "whose"}:
        either = focus is not None or at_work  # "Who does he work for?"
        return frozenset({"PERSON", "ORG"}) if either else frozenset({"PERSON"})
    if word == "where":
        return frozenset({"PLACE", "ORG"}) if at_work else frozenset({"PLACE"})
    if word == "when":
        return frozenset({"DATE"})
    if word == "why":
        return frozenset({"CAUSE"})
    return frozenset()


def _asks_amount(sentence: AnnotatedSentence, wh: int) -> bool:
    """Say whether "what" is what is paid or charged: "What do they charge for an amendment?"."""
    tokens = sentence.tokens
    asked = tokens[wh]
    if asked.text.casefold() != "what":
        return False
    verb = passive_verb(sentence, wh)
    if verb is None and asked.dep == "dobj":
        verb = asked.head
    return (verb is not None and tokens[verb].lemma in CHARGED) or _ends_in_cost(tokens[wh:])


def _of_who(sentence: AnnotatedSentence, noun: int) -> frozenset[AnswerClass]:
    """Return the class of a noun by the pronoun that describes it: "the one who leads it"."""
    tokens = sentence.tokens
    clauses = {i for i in sentence.children[noun] if tokens[i].dep == "relcl"}
    who = any(t.text.casefold() in {"who", "whom"} and t.head in clauses for t in tokens)
    return frozenset({"PERSON"}) if who else frozenset()


def _ends_in_cost(tokens: Sequence[Token]) -> bool:
    """Say whether a question of "what" ends in "cost", which a parser takes for a noun: "What will
    a new lock cost us?"."""
    said = [t for t in tokens if t.pos not in {"PUNCT", "SPACE"}]
    if len(said) < 4 or said[1].lemma not in ASKING_AUXILIARIES:
        return False
    last = said[-2] if said[-1].pos == "PRON" else said[-1]
    return last.text.casefold() == "cost"


def _of_focus(sentence: AnnotatedSentence, focus: int) -> frozenset[AnswerClass]:
    """Return the classes that a noun asks for, with what stands before it."""
    found = classes_of(sentence.tokens[focus].lemma)
    beside = [sentence.tokens[i] for i in sentence.children[focus]]
    compound = any(token.dep == "compound" or token.lemma == "serial" for token in beside)
    if found >= {"NUMBER", "CODE"} and not compound and _of_many(sentence, focus):
        return found - {"CODE"}  # "the number of seats", not "the classification number of"
    extreme = any(token.lemma in EXTREMES for token in beside)
    return found or (frozenset({"NUMBER"}) if extreme else found)


def _of_many(sentence: AnnotatedSentence, noun: int) -> bool:
    """Say whether a noun is that of many, or of a mass: "number of seats", "of staff", and not
    "number of the van"."""
    for of in sentence.children[noun]:
        if sentence.tokens[of].lemma != "of":
            continue
        for index in sentence.children[of]:
            token = sentence.tokens[index]
            if any(map(str.isdigit, token.text)):
                continue  # "EQ-018" is one
            bare = not any(
                sentence.tokens[i].dep in {"det", "poss"} for i in sentence.children[index]
            )
            return is_plural(token) or (token.pos == "NOUN" and bare)
        return True
    return False


def phrase_text(sentence: AnnotatedSentence, phrase: Phrase) -> str:
    """Return a phrase's characters without a leading determiner."""
    first = phrase.first
    while first < phrase.last - 1 and sentence.tokens[first].pos in {"DET", "PUNCT"}:
        first += 1
    return sentence.slice(first, phrase.last)
