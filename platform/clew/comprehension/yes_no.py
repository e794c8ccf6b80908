"""Yes or no, where one sentence says nearly all that is asked, and that it is so, or is not:
"Can backups be encrypted?" by "Backups can be encrypted with a password."
"""

import re
from collections.abc import Iterator, Sequence

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.candidates import EvidenceSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import content_words
from clew.comprehension.sections import is_heading, yes_or_no
from clew.comprehension.stems import family

LEAST_SAID, LEAST_SAID_HERE = 0.85, 0.6
"""The share of what is asked, by weight, that a sentence says with what it stands under, the least,
and that it says itself; one that begins with "yes" or "no" answers the heading."""
NEAR = 0.1
"""By how much less than another one a sentence may say, and still contradict it."""
FEWEST = 2
"""Words that tell something of a question, the fewest."""
MAY = frozenset({"allow", "permit", "possible", "able", "can", "may", "could", "ok", "okay"})
MUST = frozenset({"need", "must", "require", "necessary", "should", "shall", "obligatory"})
"""Words by which something may be done, and has to be."""
_DENYING = frozenset(
    {"no", "not", "never", "none", "nobody", "nothing", "neither", "without"}
    | {"forbid", "prohibit", "ban", "exclude", "refuse", "deny", "impossible"}
)
_RESERVING = frozenset(
    {"if", "unless", "except", "only", "but", "however", "until", "some", "unlike", "whether"}
    | {"most", "hardly", "rarely", "sometimes", "usually", "although", "though", "otherwise"}
)
"""Words by which a sentence says more than yes or no."""
_APART = re.compile(r"^\W*(?:A(?:nswer)?[:.)] ?)?(?:yes|no)\b ?[,.;:!–—-]", re.IGNORECASE)
_DIVIDING = frozenset({",", ";", ":", "–", "and", "yet", "or", "while"})
"""What clauses are divided by."""
_STRICT = frozenset({"PROPN", "NUM"})
"""What a sentence has to say, however much else it says."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_BOUND = re.compile(
    r"\b(?:before|after|within|until|till|since|over|under|above|below|beyond"
    r"|(?:more|less|fewer|later|earlier|other) than|at (?:least|most)|up to)\b",
    re.IGNORECASE,
)
"""What says on which side of a number or a day something is so."""


def told_by_a_sentence(asked: AnnotatedSentence, view: EvidenceView) -> tuple[str, int] | None:
    """Return "yes" or "no" and the number of the sentence that says it; None where none does, or
    where two of them say different things.
    """
    words = _words(asked)
    if len(words) < FEWEST or _denials(asked.tokens) or _reserves(asked):
        return None
    found = sorted(_told(asked, words, view), key=lambda one: -one[0])
    near = [one for one in found if one[0] >= found[0][0] - NEAR]
    if len({said for _, said, _ in near}) != 1:
        return None
    _, said, place = near[0]
    return said, place


def _told(
    asked: AnnotatedSentence, words: Sequence[str], view: EvidenceView
) -> Iterator[tuple[float, str, int]]:
    """Yield how much of what is asked a sentence says, whether it is so, and its number."""
    numbers, bounds = set(_NUMBER.findall(asked.text)), _bounds(asked.text)
    strict = [t.lemma for t in asked.tokens if t.pos in _STRICT and t.lemma in words]
    total = sum(map(view.weight, words))
    said_of = asked.tokens[asked.root].lemma
    for place, sentence in enumerate(view.sentences):
        if len(sentence.fields) > 1 or is_heading(view, place):
            continue
        own, around = view.lemmas[place], view.context_lemmas[place]
        whole = own | around
        if any(not family(word) & whole for word in strict):
            continue
        text = sentence.parse.text
        if not numbers <= set(_NUMBER.findall(f"{text} {sentence.context_key}")):
            continue
        if (numbers or bounds) and bounds != _bounds(text):
            continue  # "after 1 November" of "before 1 November"
        said = sum(view.weight(word) for word in words if family(word) & whole) / total
        here = sum(view.weight(word) for word in words if family(word) & own) / total
        begun = yes_or_no(sentence.parse.text)
        if said_of in words and not begun and not family(said_of) & own:
            continue  # "paid" of "Is lunch paid?" stands in the heading alone, "Holiday pay"
        if said < LEAST_SAID or (not begun and here < LEAST_SAID_HERE):
            continue
        if begun and here >= LEAST_SAID_HERE and turns(begun, sentence.parse):
            continue
        told = begun or _so(asked, words, sentence)
        if told:
            yield said + here, told, place


def _so(asked: AnnotatedSentence, words: Sequence[str], sentence: EvidenceSentence) -> str:
    """Return "yes" or "no", as a sentence denies what is asked or not; "" where it says more, or of
    another thing: what may be done for what has to be.
    """
    if _reserves(sentence.parse) or sentence.parse.text.rstrip().endswith("?"):
        return ""
    denials = _denials(_clause(sentence.parse, words))
    if denials > 1:
        return ""
    so = "no" if denials else "yes"
    wanted, told = _mode(asked), _mode(sentence.parse)
    if wanted == told or (wanted == "may" and not told):
        return so
    return "no" if (wanted, told, so) == ("may", "must", "no") else ""


def turns(begun: str, parse: AnnotatedSentence) -> bool:
    """Say whether what follows "Yes," or "No," says the other of what is asked, so that the
    question above was put the other way round: "No, you may pay in parts."
    """
    denials = _denials(parse.tokens) - (begun == "no")
    apart = _APART.match(parse.text) is not None  # and not "No dogs"
    return apart and (denials < 1) == (begun == "no")


def _clause(parse: AnnotatedSentence, words: Sequence[str]) -> Sequence[Token]:
    """Return the tokens of the clause that says all of ``words`` that the sentence says, but for
    its subject; those of the sentence where none does: "They take no notes and don't give change."
    """
    clauses: list[list[int]] = [[]]
    for at, token in enumerate(parse.tokens):
        if token.text in _DIVIDING or token.lemma in _DIVIDING:
            clauses.append([])
        clauses[-1].append(at)
    own: list[list[int]] = []
    for clause in clauses:
        tokens = [parse.tokens[at] for at in clause]
        stands = any(t.pos == "AUX" or t.dep in {"nsubj", "nsubjpass", "neg"} for t in tokens)
        if own and not stands:
            own[-1] += clause  # "you may not eat, drink or smoke"
        else:
            own.append(list(clause))

    def said(places: Sequence[int]) -> set[str]:
        stems = {parse.stems[at] for at in places}
        return {word for word in words if family(word) & stems}

    every = range(len(parse.tokens))
    subjects = said([at for at in every if parse.tokens[at].dep in {"nsubj", "nsubjpass"}])
    most = max(own, key=lambda clause: len(said(clause)))
    best = most if said(most) | subjects == said(every) else every
    return [parse.tokens[at] for at in best]


def _mode(parse: AnnotatedSentence) -> str:
    lemmas = _lemmas_but_nouns(parse)
    if lemmas & MUST or " have to " in f" {' '.join(token.lemma for token in parse.tokens)} ":
        return "must"
    return "may" if lemmas & MAY else ""


def _bounds(text: str) -> set[str]:
    return {found.casefold() for found in _BOUND.findall(text)}


def _words(asked: AnnotatedSentence) -> list[str]:
    left = (MAY | MUST) & _lemmas_but_nouns(asked)
    return [word for word in content_words(asked.tokens) if word not in left]


def _lemmas_but_nouns(parse: AnnotatedSentence) -> set[str]:
    return {token.lemma for token in parse.tokens if token.pos != "NOUN"}  # "a permit"


def _denials(tokens: Sequence[Token]) -> int:
    return sum(token.dep == "neg" or token.lemma in _DENYING for token in tokens)


def _reserves(parse: AnnotatedSentence) -> bool:
    return any(token.lemma in _RESERVING for token in parse.tokens)
