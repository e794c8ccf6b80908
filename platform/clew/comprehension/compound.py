"""A compound question, taken apart into those that it asks, one after another.

    Who directed Spione, and where was he born?  ▸  Who directed Spione? · Where was he born?
    When and where was Ada Lovelace born?        ▸  When was Ada …? · Where was Ada …?
    Who founded Google and in which year?        ▸  Who founded Google? · In which year?
    What is the area and the capital of Peru?    ▸  What is the area of Peru? · What is …?

What a later one leaves to those before it is put in once they are answered (follow_up).
"""

from collections.abc import Sequence

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.asking import asking_word
from clew.comprehension.follow_up import AskedBefore, names_in, standing_alone
from clew.comprehension.lexicon import WH
from clew.comprehension.question_form import named_keys

PREDICATES = frozenset({"VERB", "AUX"})
_NAMING = frozenset({"NOUN", "PROPN", "PRON", "DET"})


def questions_in(sentences: Sequence[AnnotatedSentence]) -> list[str]:
    """Return the questions in a parsed text, in order; fewer than two where it asks one thing.

    Sentences that ask nothing stay with the question behind them.
    """
    found: list[str] = []
    context: list[str] = []
    for sentence in sentences:
        context.append(sentence.text)
        wh = asking_word(sentence)
        if wh is not None and sentence.text.endswith("?"):
            first, *others = _clauses(sentence, wh)
            found += [" ".join([*context[:-1], first]), *others]
            context = []
    return [one[:1].upper() + one[1:] for one in found]


def about_the_same(
    sentences: Sequence[AnnotatedSentence], text: str, before: Sequence[AskedBefore]
) -> str:
    """Return a later question as one that stands alone (follow_up): where it names nothing, it is
    about what the first names, "Who wrote the words?" of the song.
    """
    alone = standing_alone(sentences, text, before)
    if not before or alone != text or not sentences or named_keys(sentences[-1]):
        return alone
    name = next(names_in(before[0].question), None)
    last = next((t for t in reversed(sentences[-1].tokens) if t.pos != "PUNCT"), None)
    if name is None or last is None or last.pos != "NOUN":
        return alone
    return f"{text.rstrip(' ?')} of {name}?"


def _clauses(sentence: AnnotatedSentence, wh: int) -> list[str]:
    """Return the questions that one sentence asks: itself, or its clauses."""
    tokens = sentence.tokens
    start = wh - (wh == 1 and tokens[0].pos == "ADP")
    starts = [start, *(i for i in range(wh + 2, len(tokens)) if _begins_clause(sentence, i))]
    ends = [*starts[1:], len(tokens)]
    spans = [sentence.slice(one, end) for one, end in zip(starts, ends, strict=True)]
    if len(starts) == 1:
        return _of_two_nouns(sentence, wh) or [sentence.text]
    bare = [span.removesuffix("?").rstrip(" ,") for span in spans]
    bare = [one.removesuffix(" and").rstrip(" ,") for one in bare]
    first = next((i for i in range(wh, len(tokens)) if tokens[i].pos in PREDICATES), None)
    if first is not None and first > starts[-1]:  # "When and where was Ada Lovelace born?"
        common = sentence.slice(first, len(tokens)).removesuffix("?").rstrip()
        asked = [*bare[:-1], sentence.slice(starts[-1], first)]
        bare = [f"{one} {common}" for one in asked]
    return [f"{one}?" for one in bare]


def _begins_clause(sentence: AnnotatedSentence, index: int) -> bool:
    """Say whether a further question begins at a token, behind "and" or a comma."""
    tokens = sentence.tokens
    wh = index + (tokens[index].pos == "ADP")
    joined = tokens[index - 1].text.casefold()
    if wh >= len(tokens) or tokens[wh].text.casefold() not in WH or joined not in {"and", ","}:
        return False
    asks = _is_inverted(sentence, wh)
    if joined == ",":
        return asks and not _is_condition(sentence)
    return asks or not _is_relative(sentence, wh)


def _is_inverted(sentence: AnnotatedSentence, wh: int) -> bool:
    """A verb stands before who does it, as no clause has it that describes: "where was he"."""
    tokens = sentence.tokens
    at = next((i for i in range(wh + 1, len(tokens)) if tokens[i].pos in PREDICATES), None)
    if at is None or tokens[at].pos != "AUX" or at + 1 >= len(tokens):
        return False
    between = {token.pos for token in tokens[wh + 1 : at]}
    return between <= {"NOUN", "ADJ", "ADV"} and tokens[at + 1].pos in _NAMING


def _is_condition(sentence: AnnotatedSentence) -> bool:
    """It begins as "When it rains, …" does, which asks nothing."""
    adverb = sentence.tokens[0].text.casefold() in {"when", "where", "how"}
    return adverb and not _is_inverted(sentence, 0)


def _is_relative(sentence: AnnotatedSentence, wh: int) -> bool:
    """… the man who wrote Emma and *who* starred in it: the clause goes on with another."""
    tokens = sentence.tokens
    word = tokens[wh].text.casefold()
    others = (i for i in range(1, wh) if tokens[i].text.casefold() == word)
    if any(tokens[tokens[i].head].dep == "relcl" for i in others):
        return True
    at = wh
    while tokens[at].head != at:
        at = tokens[at].head
        if at < wh and tokens[at].dep in {"relcl", "acl", "advcl"}:
            return True
    return False


def _of_two_nouns(sentence: AnnotatedSentence, wh: int) -> list[str]:
    """… the area and the capital *of Peru*, or Peru's: what is asked of one thing; none else."""
    tokens = sentence.tokens
    if sentence.root != wh + 1 or tokens[sentence.root].lemma != "be":
        return []
    for index, token in enumerate(tokens):
        first = tokens[index].head
        if token.dep != "conj" or token.pos != "NOUN" or tokens[first].pos != "NOUN":
            continue
        if tokens[first].head != sentence.root or tokens[first].dep not in {"nsubj", "attr"}:
            continue
        others = [*sentence.children[first], *sentence.children[index]]
        of = [i for i in others if i > index and tokens[i].dep == "prep"]
        owner = [i for i in others if i < first and tokens[i].dep == "poss"]
        joint = next((i for i in range(first, index) if tokens[i].lemma == "and"), None)
        if joint is None or not (of or owner):
            continue
        asks = sentence.slice(wh, wh + 2)
        whose = sentence.slice(*sentence.subtree(owner[0])) if owner else "the"
        behind = sentence.slice(min(of), len(tokens)).removesuffix("?").rstrip() if of else ""
        nouns = [_noun(sentence, first, joint), _noun(sentence, index, index + 1)]
        return [" ".join(f"{asks} {whose} {noun} {behind}".split()) + "?" for noun in nouns]
    return []


def _noun(sentence: AnnotatedSentence, head: int, end: int) -> str:
    """Return a noun with what stands before it and belongs to it, without a determiner."""
    tokens = sentence.tokens
    first = head
    while tokens[first - 1].head == head and tokens[first - 1].dep in {"amod", "compound", "nmod"}:
        first -= 1
    return sentence.slice(first, min(head + 1, end))
