"""A nested question, taken apart: the innermost description is asked for first.

"Who founded the shipyard that built the Aurelia?" holds "the shipyard that built the Aurelia";
once that is known to be the Seld Shipyard, "Who founded the Seld Shipyard?" is left to ask.
"Toad Hall is in a university located in what city?" goes the other way: first what the
description stands in, then "the Australian National University located in what city?".
"""

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.asked_noun import is_plural, passive_verb
from clew.comprehension.asking import asking_word
from clew.comprehension.candidates import TITLE
from clew.comprehension.hidden_descriptions import (
    at_the_end,
    before_its_verb,
    closing,
    extraposed,
    is_base_form,
    whoever,
)
from clew.comprehension.inner_phrase import (
    PREPOSITIONS,
    InnerPhrase,
    only_asks_what,
    phrase_of,
    without_punctuation,
)
from clew.comprehension.lexicon import NAMED_THINGS, WH, classes_of

CLAUSES = frozenset({"relcl", "acl"})
OF_ROLES = frozenset({"of", "for"})
"""Behind what somebody is, what for: "the account manager for the airport caterer"."""
STATES = frozenset({"born", "located", "based", "situated", "founded", "formed", "from", "die"})


def inner_phrases(sentence: AnnotatedSentence) -> list[InnerPhrase]:
    """Return the describing noun phrases of a question, the one to resolve first in front."""
    wh = asking_word(sentence)
    forward = _forward(sentence, wh)
    if forward is not None:
        return [forward]
    found: dict[tuple[int, int], InnerPhrase] = {}
    tokens = sentence.tokens
    apart, boundary = extraposed(sentence, wh)
    titles = _titles(sentence)
    passive = None if wh is None else passive_verb(sentence, wh)
    if passive is not None and tokens[passive].dep == "xcomp":
        passive = tokens[passive].head  # "What are they | asked to bring?"
    for index, token in enumerate(tokens):
        if token.pos not in {"NOUN", "PROPN"} or token.dep == "compound":
            continue
        describing = [
            child
            for child in sentence.children[index]
            if child != passive and _describes(sentence, child)
        ]
        if not describing:
            continue
        owner = _owner(sentence, index)
        if owner is not None:
            found[owner[:2]] = phrase_of(sentence, *owner)
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
        if not any(first <= child < last for child in describing):
            continue  # "the singer Anna Lind | born"
        if _acceptable(sentence, first, last, index, wh):
            found[(first, last)] = phrase_of(sentence, first, last, index)
    end = without_punctuation(sentence, len(tokens))
    hidden = (
        None if apart is not None else before_its_verb(sentence, wh) or at_the_end(sentence, wh)
    )
    if hidden is not None:
        first = hidden[0]
        parsed = (last for one, last in found if one == first and last < end)
        if hidden[1] == end or not any(is_base_form(tokens[last]) for last in parsed):
            found = {span: phrase for span, phrase in found.items() if span[0] != first}
            found[hidden[:2]] = phrase_of(sentence, *hidden)
    if apart is not None:
        found[(-1, len(tokens))] = apart
    elif boundary is None:
        last_one = closing(sentence, wh)
        if last_one is not None and not any(first >= last_one[0] for first, _ in found):
            found[last_one[:2]] = phrase_of(sentence, *last_one)
        unnamed = whoever(sentence)
        if unnamed is not None:
            found[(-1, len(tokens))] = unnamed
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
    if only_asks_what([*tokens[:first], *tokens[last:]]):
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


def _trimmed(sentence: AnnotatedSentence, head: int, last: int) -> int:
    """Leave out closing punctuation, and the main predicate where it was parsed into the phrase:
    "Where was the architect who designed the museum | born?"."""
    tokens = sentence.tokens
    end = without_punctuation(sentence, len(tokens))
    last = min(last, without_punctuation(sentence, last))
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


def _stands_alone(sentence: AnnotatedSentence, index: int) -> bool:
    """A verb or preposition without a subject of its own."""
    if sentence.tokens[index].pos not in {"VERB", "ADP"}:
        return False
    return all(
        sentence.tokens[child].dep not in {"nsubj", "nsubjpass"}
        for child in sentence.children[index]
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
            end = without_punctuation(sentence, len(tokens))
            clause = start + (tokens[start].text.casefold() in {*WH, "that"} and start != wh)
            return InnerPhrase(
                text=sentence.slice(0, start),
                head=tokens[parent].lemma,
                before="",
                after=f"{sentence.slice(clause, end)}?",
            )
        at = parent
    return None
