"""A nested question, taken apart: the innermost description is asked for first.

"Who founded the shipyard that built the Aurelia?" holds "the shipyard that built the Aurelia";
once that is known to be the Seld Shipyard, "Who founded the Seld Shipyard?" is left to ask.
"Toad Hall is in a university located in what city?" goes the other way: first what the
description stands in, then "the Australian National University located in what city?".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.asked_noun import is_plural, passive_verb
from clew.comprehension.candidates import TITLE
from clew.comprehension.lexicon import HOW, NAMED_THINGS, WH, classes_of
from clew.comprehension.question_form import asking_word

CLAUSES = frozenset({"relcl", "acl"})
OF_ROLES = frozenset({"of", "for"})
"""Behind what somebody is, what for: "the account manager for the airport caterer"."""
PREPOSITIONS = frozenset({"of", "by", "in", "from", "for", "at", "to", "after", "on", "behind"})
REQUESTS = frozenset({"be", "i", "we", "me", "us", "please", "need", "want", "give", "show"})
"""With which one asks for a thing by no more than what it is: "I need the number of …"."""
POLITE = REQUESTS | frozenset({"can", "could", "may", "might", "will", "would", "like", "you"})
POLITE |= frozenset(
    {"have", "get", "tell", "let", "know", "find", "look", "name", "to", "for", "up"}
)
"""The same where no question word stands: "Can I have the number of …", "Tell me …"."""
NAMED_BY = frozenset({"the", "name", "of", "call"})
"""With which one asks for no more than what something is: "What is … called?"."""
_IS = frozenset({"is", "are", "was", "were"})
RELATIVES = frozenset({"who", "whose", "that", "which", "where"})
"""With which a clause about a thing begins."""
STATES = frozenset({"born", "located", "based", "situated", "founded", "formed", "from", "die"})


@dataclass(frozen=True)
class InnerPhrase:
    """A noun phrase that describes instead of naming: its text and what is left around it.

    ``head``: its noun (lemma), ``before`` and ``after``: the rest of the question.
    """

    text: str
    head: str
    before: str
    after: str

    @property
    def measured(self) -> bool:
        """Whether no more is asked than how high it is, or how much: a value of it answers that."""
        words = f"{self.before} {self.after}".casefold().strip(" ?.!").split()
        return len(words) == 3 and words[0] == "how" and words[1] in HOW and words[2] in _IS

    def replaced(self, name: str) -> str:
        """Return the question with a name in the phrase's place."""
        before = re.sub(r"\b([Tt]he|[Aa]n?)\s*$", "", self.before)
        text = " ".join(f"{before} {name} {self.after}".split())
        return re.sub(r"\s+([?,.'])", r"\1", text)


def inner_phrases(sentence: AnnotatedSentence) -> list[InnerPhrase]:
    """Return the describing noun phrases of a question, the one to resolve first in front."""
    wh = asking_word(sentence)
    forward = _forward(sentence, wh)
    if forward is not None:
        return [forward]
    found: dict[tuple[int, int], InnerPhrase] = {}
    tokens = sentence.tokens
    extraposed, boundary = _extraposed(sentence, wh)
    titles = _titles(sentence)
    passive = None if wh is None else passive_verb(sentence, wh)
    if passive is not None and tokens[passive].dep == "xcomp":
        passive = tokens[passive].head  # "What are they | asked to bring?"
    for index, token in enumerate(tokens):
        if token.pos not in {"NOUN", "PROPN"} or token.dep == "compound":
            continue
        describing = [child for child in sentence.children[index] if child != passive]
        if not any(_describes(sentence, child) for child in describing):
            continue
        owner = _owner(sentence, index)
        if owner is not None:
            found[owner[:2]] = _phrase(sentence, *owner)
            continue
        first, last = sentence.subtree(index)
        first = next((title[0] for title in titles if title[0] < first < title[1]), first)
        if passive is not None and first < passive < last:
            last = passive
        last = _trimmed(sentence, index, last)
        last -= tokens[last - 1].text in {"'s", "’s"}
        inside = [token.text for token in tokens[first:last]]
        if inside.count("(") > inside.count(")") and tokens[last : last + 1]:
            # a parse may leave out what closes "Polish-Russian War (film)"
            last += tokens[last].text == ")"
        if boundary is not None and first < boundary < last:
            continue
        if _acceptable(sentence, first, last, index, wh):
            found[(first, last)] = _phrase(sentence, first, last, index)
    if extraposed is not None:
        found[(-1, len(tokens))] = extraposed
    elif boundary is None:
        closing = _closing(sentence, wh)
        if closing is not None and not any(first >= closing[0] for first, _ in found):
            found[closing[:2]] = _phrase(sentence, *closing)
        whoever = _whoever(sentence)
        if whoever is not None:
            found[(-1, len(tokens))] = whoever
    order = sorted(found, key=lambda span: (span[1] - span[0], span))
    return [found[span] for span in order]


def _owner(sentence: AnnotatedSentence, index: int) -> tuple[int, int, int] | None:
    """Return [first, last) and the noun of who is described before what is theirs: "the director of
    Spione" of "the director of Spione's birthday"; "the mother of Ann's father" is no such.
    """
    tokens = sentence.tokens
    name = next((i for i in sentence.children[index] if tokens[i].dep == "poss"), 0)
    if name < 3 or tokens[name].pos != "PROPN" or tokens[name - 1].text != "of":
        return None
    head = name - 2
    if "PERSON" not in classes_of(tokens[head].lemma) or classes_of(tokens[index].lemma) & {
        "PERSON"
    }:
        return None
    first = head - 1 if tokens[head - 1].pos == "DET" else head
    return first, name + 1, head


def _titles(sentence: AnnotatedSentence) -> list[tuple[int, int]]:
    """Tokens [first, last) of the titles of works, which a parse cuts: "Apprentice to Murder's
    director" is no director of Murder's."""
    found = []
    for match in TITLE.finditer(sentence.text):
        start, end = match.span()
        inside = [i for i, t in enumerate(sentence.tokens) if start <= t.start < end]
        if inside and inside[0] > 0:
            first = inside[0]
            while first > 1 and sentence.tokens[first - 1].text[0].isupper():
                first -= 1
            found.append((first, inside[-1] + 1))
    return found


def _describes(sentence: AnnotatedSentence, child: int) -> bool:
    token = sentence.tokens[child]
    if token.dep in CLAUSES:
        return True
    if token.dep == "prep" and token.lemma in PREPOSITIONS:
        return any(
            sentence.tokens[inner].pos in {"NOUN", "PROPN"} for inner in sentence.children[child]
        )
    return token.dep == "poss" and token.pos in {"NOUN", "PROPN"}


def _acceptable(
    sentence: AnnotatedSentence, first: int, last: int, head: int, wh: int | None
) -> bool:
    tokens = sentence.tokens
    if last - first < 3 or (wh is not None and first <= wh < last):
        return False
    if first == 0 and (last >= len(tokens) - 1 or tokens[last].text.casefold() in {"whose", "who"}):
        return False  # the phrase itself is asked for, and described further
    if sum(token.text in {'"', "“", "”"} for token in tokens[first:last]) % 2:
        return False
    clause = any(tokens[child].dep in CLAUSES for child in sentence.children[head])
    if tokens[head].pos == "PROPN" or (tokens[head].text[0].isupper() and head > 0):
        return False
    if is_plural(tokens[head]) and not _is_one_of(sentence, head):
        return False  # no one name takes the place of "the musicians who …"
    names = any(
        token.pos in {"PROPN", "NUM"} or token.text in {'"', "“"}
        for index, token in enumerate(tokens[first:last], first)
        if index != head
    )
    noun = tokens[head].lemma
    if not clause and noun not in NAMED_THINGS and not classes_of(noun):
        return False
    if _only_asks_what([*tokens[:first], *tokens[last:]]):
        return False
    definite = tokens[first].text.casefold() == "the" or tokens[first].dep == "poss"
    of_role = "PERSON" in classes_of(noun) and any(
        tokens[child].dep == "prep" and tokens[child].lemma in OF_ROLES
        for child in sentence.children[head]
    )
    cut = last < len(tokens) and tokens[last].pos == "PROPN"  # "the founder of the band | Doves"
    return names or ((clause or (of_role and not cut)) and definite)


def _is_one_of(sentence: AnnotatedSentence, head: int) -> bool:
    """Whether one of several is meant: "one of the stars of the film"."""
    of = sentence.tokens[sentence.tokens[head].head]
    return of.lemma == "of" and sentence.tokens[of.head].lemma in {"one", "which"}


def _only_asks_what(rest: Sequence[Token]) -> bool:
    """Around a phrase stands no more than "What is …?" or "I need …": the phrase itself is the
    question.
    """
    asked = any(t.text.casefold() in WH for t in rest)
    said = WH | NAMED_BY | (REQUESTS if asked else POLITE)
    return all({t.text.casefold(), t.lemma.casefold()} & said or t.pos == "PUNCT" for t in rest)


def _trimmed(sentence: AnnotatedSentence, head: int, last: int) -> int:
    """Leave out closing punctuation, and the main predicate where it was parsed into the phrase:
    "Where was the architect who designed the museum | born?"."""
    tokens = sentence.tokens
    end = _without_punctuation(sentence, len(tokens))
    last = min(last, _without_punctuation(sentence, last))
    if last < end:
        return last
    bare = tokens[sentence.root].lemma in {"be", "do"}
    for index in range(last - 1, head + 1, -1):
        stands = tokens[index].text in STATES and tokens[index].dep in CLAUSES
        if bare and stands and tokens[index - 1].pos != "AUX":
            return index  # "Were Ann and the maker of the violin | born in the same city?"
    while last - 1 > head + 1 and (
        (tokens[last - 1].text in STATES and tokens[last - 2].pos != "AUX")
        or (bare and tokens[last - 2].pos != "AUX" and _stands_alone(sentence, last - 1))
    ):
        last -= 1
    return last


def _without_punctuation(sentence: AnnotatedSentence, last: int) -> int:
    while last > 1 and sentence.tokens[last - 1].text in {"?", ".", ",", "!"}:
        last -= 1
    return last


def _stands_alone(sentence: AnnotatedSentence, index: int) -> bool:
    """A verb or preposition without a subject of its own."""
    if sentence.tokens[index].pos not in {"VERB", "ADP"}:
        return False
    return all(
        sentence.tokens[child].dep not in {"nsubj", "nsubjpass"}
        for child in sentence.children[index]
    )


def _phrase(sentence: AnnotatedSentence, first: int, last: int, head: int) -> InnerPhrase:
    tokens = sentence.tokens
    return InnerPhrase(
        text=sentence.slice(first, last),
        head=tokens[head].lemma,
        before=sentence.text[: tokens[first].start].strip(),
        after=sentence.text[tokens[last - 1].end :].strip(),
    )


def _forward(sentence: AnnotatedSentence, wh: int | None) -> InnerPhrase | None:
    """… a noun with a clause that asks: everything before the clause describes the noun."""
    tokens = sentence.tokens
    if wh is None or wh < 4:
        return None
    at = wh
    while tokens[at].head != at:
        parent = tokens[at].head
        if tokens[at].dep in CLAUSES and tokens[parent].pos == "NOUN" and parent < wh:
            start = sentence.subtree(at)[0]
            if start <= parent or start > wh:
                return None
            end = _without_punctuation(sentence, len(tokens))
            clause = start + (tokens[start].text.casefold() in {*WH, "that"} and start != wh)
            return InnerPhrase(
                text=sentence.slice(0, start),
                head=tokens[parent].lemma,
                before="",
                after=f"{sentence.slice(clause, end)}?",
            )
        at = parent
    return None


def _extraposed(
    sentence: AnnotatedSentence, wh: int | None
) -> tuple[InnerPhrase | None, int | None]:
    """Where was the chemist born who isolated …: the clause stands apart from its noun.

    Also returns where the clause begins.
    """
    tokens = sentence.tokens
    for index in range(3, len(tokens)):
        if index == wh or tokens[index].text.casefold() not in RELATIVES:
            continue
        start = index
        if tokens[index - 1].pos == "ADP" and tokens[index].text in {"which", "whose"}:
            start -= 1
        if not _stands_apart(sentence, start):
            continue
        for phrase in reversed(sentence.noun_chunks):
            if phrase.last < start and phrase.first > 0 and tokens[phrase.first].pos == "DET":
                if tokens[phrase.first].text.casefold() in WH:
                    break
                head = sentence.phrase_head(phrase.first, phrase.last)
                if _only_asks_what([*tokens[: phrase.first], *tokens[phrase.last : start]]):
                    return None, start
                end = _without_punctuation(sentence, len(tokens))
                noun = sentence.slice(phrase.first, phrase.last)
                found = InnerPhrase(
                    text=f"{noun} {sentence.slice(start, end)}",
                    head=tokens[head].lemma,
                    before=sentence.text[: tokens[phrase.first].start].strip(),
                    after=f"{sentence.slice(phrase.last, start)}?",
                )
                return found, start
        return None, None
    return None, None


def _stands_apart(sentence: AnnotatedSentence, start: int) -> bool:
    """Whether a clause that begins with a token follows no noun that it could describe: a verb,
    which a parse may take for a noun behind its subject ("does the colleague | work | who …"), or
    what a verb left behind ("is the boy in | who …").
    """
    before = sentence.tokens[start - 1]
    if before.pos in {"VERB", "AUX", "ADJ", "ADV"}:
        return True
    if before.pos == "ADP":
        return sentence.tokens[start].text == "who"
    within = any(one.first < start <= one.last for one in sentence.noun_chunks)
    return before.pos == "NOUN" and not within and sentence.tokens[start - 2].pos == "NOUN"


def _whoever(sentence: AnnotatedSentence) -> InnerPhrase | None:
    """Return who is described without a noun at a question's end: "… of | whoever was on duty"."""
    tokens, end = sentence.tokens, _without_punctuation(sentence, len(sentence.tokens))
    for index in range(1, end - 1):
        if tokens[index].text.casefold() in {"whoever", "whomever"}:
            if _only_asks_what([*tokens[:index], *tokens[end:]]):
                return None
            described = f"the person who {sentence.slice(index + 1, end)}"
            return replace(_phrase(sentence, index, end, index), text=described, head="person")
    return None


def _closing(sentence: AnnotatedSentence, wh: int | None) -> tuple[int, int, int] | None:
    """Return [first, last) and the noun of a description that a question ends with, whatever a
    parse makes of it: "How many animals are on | the farm whose road the county no longer grits?";
    "the lady from the builders who …" is no builders.
    """
    tokens = sentence.tokens
    end = _without_punctuation(sentence, len(tokens))
    for index in range(3, end - 1):
        if index == wh or tokens[index].text.casefold() not in RELATIVES:
            continue
        chunk = next((one for one in sentence.noun_chunks if one.last == index), None)
        if chunk is None or tokens[chunk.first].text.casefold() != "the":
            continue
        first, head = chunk.first, sentence.phrase_head(chunk.first, chunk.last)
        if is_plural(tokens[head]):
            outer = next((one for one in sentence.noun_chunks if one.last == first - 1), None)
            joined = tokens[first - 1].pos == "ADP" and outer is not None
            if not joined or outer is None or tokens[outer.first].text.casefold() != "the":
                continue
            first, head = outer.first, sentence.phrase_head(outer.first, outer.last)
        verb = tokens[first - 1]
        # "did the man who … | leave?": the clause ends before the verb; "what is the …": is asked
        asked = verb.pos == "AUX" and (verb.lemma != "be" or first - 2 == wh)
        if first == 0 or asked or is_plural(tokens[head]) or tokens[head].pos == "PROPN":
            continue
        if not _only_asks_what([*tokens[:first], *tokens[end:]]):
            return first, end, head
    return None
