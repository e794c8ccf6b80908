"""What a sentence says that something is: after "is" or "means", beside a name ("Adler, the singer,
…"), behind a term and a colon.
"""

from collections.abc import Iterator

from clew.comprehension.annotation import AnnotatedSentence, Phrase, Token
from clew.comprehension.lexicon import DEFINITION
from clew.comprehension.lines import WORDS_OF_NAME, fields
from clew.comprehension.naming import QUALIFIER
from clew_ingest.parsing.entity_names import STOP_WORDS, normalise_name

NAMES = {"NOUN", "PROPN"}
LONGEST = 12
"""Words of an answer."""
LONGEST_DEFINITION = 30
"""Words of one that says what something is."""
_MEANS, _MEANS_OVER = {"mean", "denote", "signify"}, {"refer", "stand", "define"}
"""Verbs after which a term's definition stands, the latter over "to", "for" or "as"."""
DEFINING = frozenset(
    {"definition", "description", "explanation", "meaning", "purpose", "stands for", "summary"}
    | {f"what it {verb}" for verb in ("does", "is", "means", "says")}
)
"""What a glossary's column of meanings is called."""
_DASHES = frozenset("-–—")
_OF_SENTENCES = frozenset({"AUX", "PRON", "VERB"})
"""Parts of speech that a term of several words has none of."""
_QUOTES = "'\"‘’“” "
_PARTS = {"DET", "ADJ", "NOUN", "PROPN", "NUM"}
"""What a name or a kind of things is called by, and no more is asked of it."""
_FURTHER = {"prep", "relcl", "acl", "advcl", "appos"}
"""How what only adds to a definition hangs on it."""


def definitions(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield each definition, "our invoice, accounting, and identity system", with the normalised
    words for what it is of; "" for a pronoun. One of more than LONGEST_DEFINITION words ends before
    what only adds to it: "a tool" of "a tool for storing, searching, …".
    """
    for index, token in enumerate(parse.tokens):
        if token.pos not in NAMES or not token.text[:1].isalpha():
            continue
        if token.dep == "appos" and parse.tokens[token.head].pos == "PROPN":
            subject: int | None = token.head
        elif token.dep == "attr" and parse.tokens[token.head].lemma == "be":
            subject = next(
                (i for i in parse.children[token.head] if parse.tokens[i].dep == "nsubj"), None
            )
        else:
            continue
        if subject is not None:
            yield Phrase(*_extent(parse, index), DEFINITION), _words(parse, subject)
    yield from _meant(parse)
    yield from _spelt_out(parse)
    yield from _in_row(parse)
    yield from _behind_a_dash(parse)


def _behind_a_dash(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield what a glossary's line says behind a term of few words and a dash, "SLIP - Ship Lift
    Inspection Plan"; what has a verb or a pronoun before the dash is a sentence, and no term.
    """
    tokens = parse.tokens
    at = next((i for i, t in enumerate(tokens) if t.text in _DASHES and _apart(parse, t)), 0)
    term = tokens[:at]
    sentence = len(term) > 1 and any(token.pos in _OF_SENTENCES for token in term)
    if not 0 < at <= WORDS_OF_NAME or at + 1 == len(tokens) or sentence:
        return
    last = _cut(parse, at + 1, len(tokens))
    while last > at + 2 and tokens[last - 1].pos in {"ADV", "PUNCT"}:
        last -= 1  # of "…, also", where the parser cuts the sentence
    named = QUALIFIER.sub("", parse.slice(0, at)).strip(_QUOTES)
    yield Phrase(at + 1, last, DEFINITION), normalise_name(named)


def _apart(parse: AnnotatedSentence, token: Token) -> bool:
    """Say whether a token has blanks around it."""
    return f" {token.text} " == parse.text[max(0, token.start - 1) : token.end + 1]


def _in_row(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield what a row of terms says in the column of what they mean."""
    row = fields(parse.text)
    for one in row[1:]:
        if normalise_name(one.name) in DEFINING:
            inside = [i for i, token in enumerate(parse.tokens) if one.holds(token.start)]
            if inside:
                term = QUALIFIER.sub("", parse.text[row[0].start : row[0].end])
                end = _cut(parse, inside[0], inside[-1] + 1)
                yield Phrase(inside[0], end, DEFINITION), normalise_name(term)


def as_fragment(parse: AnnotatedSentence) -> Phrase | None:
    """Return a line that says in no sentence what its heading is, "Our system for travel."."""
    if parse.tokens[parse.root].pos not in NAMES | {"PRON"} or fields(parse.text):
        return None
    phrase = Phrase(0, _cut(parse, 0, len(parse.tokens)), DEFINITION)
    return phrase if phrase.last - phrase.first > 1 else None


def _meant(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield what stands behind a term: "Term" means …, a term is where …, Term: …"""
    tokens = parse.tokens
    own = fields(parse.text, LONGEST_DEFINITION)
    if len(own) == 1:
        first = next((i for i, t in enumerate(tokens) if t.start >= own[0].start), None)
        if first:
            end = _cut(parse, first, len(tokens))
            yield Phrase(first, end, DEFINITION), normalise_name(own[0].name)
    for index, token in enumerate(tokens[:-1]):
        following = tokens[index + 1].lemma
        over = token.lemma in _MEANS_OVER and following in {"to", "for", "as"}
        means = token.pos == "VERB" and (over or token.lemma in _MEANS)
        if not means and not (token.lemma == "be" and following in {"where", "when"}):
            continue
        follows = index + 2 if means and over else index + 1
        subject = next(
            (i for i in parse.children[index] if tokens[i].dep in {"nsubj", "nsubjpass"}), None
        )
        if subject is not None and subject < index and follows < len(tokens):
            end = _cut(parse, follows, len(tokens))
            yield Phrase(follows, end, DEFINITION), _words(parse, subject)


def _spelt_out(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield what short forms stand for, "Leave Without Pay (LWOP)" and "LWOP (Leave Without Pay)":
    the shortest words beside it that have its letters in order and begin with its first (Schwartz
    and Hearst 2003).
    """
    tokens = parse.tokens
    for at in range(1, len(tokens) - 2):
        if tokens[at].text != "(":
            continue
        if tokens[at + 2].text == ")" and _is_short_form(short := tokens[at + 1].text):
            begin = _long_form(parse, at, short)
            if begin is not None:
                yield Phrase(begin, at, DEFINITION), normalise_name(short)
        elif _is_short_form(short := tokens[at - 1].text):
            close = next((i for i in range(at + 2, len(tokens)) if tokens[i].text == ")"), at)
            if _long_form(parse, close, short) == at + 1:
                yield Phrase(at + 1, close, DEFINITION), normalise_name(short)


def spells_out(short: str, words: str) -> bool:
    """Say whether a short form's letters stand in several words in order, each of which begins with
    one of them, but for "of", "the" …: "Leave Without Pay" of "LWOP".
    """
    said = [word for word in words.casefold().split() if word not in STOP_WORDS]
    letters, text = iter(short.casefold()), iter(words.casefold())
    begun = all(word[0] in letters for word in said)
    in_order = all(letter in text for letter in short.casefold())
    return len(said) > 1 and said[0][0] == short[0].casefold() and begun and in_order


def _is_short_form(text: str) -> bool:
    return len(text) > 1 and text.isalpha() and text.isupper()


def _long_form(parse: AnnotatedSentence, end: int, short: str) -> int | None:
    """Return the token from which those before ``end`` are the long form; None where none are."""
    tokens, left = parse.tokens, list(short)
    for index in range(end - 1, max(-1, end - 1 - min(len(short) + 5, 2 * len(short))), -1):
        token = tokens[index]
        begins = token.pos in {*NAMES, "ADJ", "VERB"} or token.text[:1].isupper()
        for place in range(len(token.text) - 1, -1, -1):
            if token.text[place].upper() == left[-1] and (len(left) > 1 or (begins and place == 0)):
                left.pop()
                if not left:
                    return index
    return None


def _extent(parse: AnnotatedSentence, head: int) -> tuple[int, int]:
    first, last = parse.subtree(head)
    if last - first <= LONGEST_DEFINITION:
        return first, last
    further = [
        parse.subtree(child)[0]
        for child in parse.children[head]
        if child > head
        and parse.tokens[child].dep in _FURTHER
        and parse.tokens[child].lemma != "of"
    ]
    cut = min((place for place in further if place > head), default=last)
    return first, _cut(parse, first, cut)


def _cut(parse: AnnotatedSentence, first: int, last: int) -> int:
    """Return where tokens [first, last) end, at the last comma before they are too many."""
    if last - first > LONGEST_DEFINITION:
        commas = (i for i in range(first + 1, first + LONGEST_DEFINITION) if _is_comma(parse, i))
        last = max(commas, default=last)
    while last > first + 1 and parse.tokens[last - 1].pos in {"PUNCT", "CCONJ"}:
        last -= 1
    return last


def _is_comma(parse: AnnotatedSentence, index: int) -> bool:
    return parse.tokens[index].text in {",", ";"}


def defined_under(heading: AnnotatedSentence) -> str:
    """Return the key of what a heading says is explained under it: "What is Beacon?", "Beacon"."""
    asks = heading.tokens[0].text.casefold() in {"what", "who"}
    return defined_by_question(heading, 0) if asks else normalise_name(heading.text)


def defined_by_question(sentence: AnnotatedSentence, wh: int) -> str:
    """Return the normalised words for what a question wants to be told what it is, "What is a
    cycle?", "Who was Irene Adler?", "What does 'cycle' mean in …?"; "" where it asks for more.
    """
    tokens = sentence.tokens
    if tokens[wh].lemma not in {"what", "who"} or wh + 2 >= len(tokens):
        return ""
    asked = list(tokens[wh + 2 :])
    if tokens[wh + 1].lemma == "do":
        while asked and asked[-1].pos == "PUNCT":
            asked.pop()
        verbs = _MEANS | _MEANS_OVER
        ends = (i for i, token in enumerate(asked) if token.lemma in verbs)
        does = len(asked) - 1 if asked and asked[-1].lemma == "do" else 0  # "What does X do?"
        asked = asked[: next(ends, does)]
    elif tokens[wh + 1].lemma != "be":
        return ""
    named = [token for token in asked if token.pos != "PUNCT" and token.text not in _QUOTES]
    if not named or not all(
        token.pos in _PARTS or token.text[:1].isupper() or _is_compound(sentence.text, token)
        for token in named
    ):
        return ""
    kind = named[0].lemma in {"a", "an"} or named[0].pos != "DET"
    if kind or named[-1].text[:1].isupper():
        return normalise_name(sentence.text[named[0].start : named[-1].end])
    return ""


def _is_compound(text: str, token: Token) -> bool:
    """Say whether a word is joined to another by a hyphen, "follow-me", or looks like code."""
    beside = text[max(0, token.start - 1) : token.start] + text[token.end : token.end + 1]
    return "-" in (beside + token.text) or "_" in token.text


def _words(parse: AnnotatedSentence, token: int) -> str:
    if parse.tokens[token].pos == "PRON":
        return ""
    chunk = next((c for c in parse.noun_chunks if c.first <= token < c.last), None)
    first, last = (token, token + 1) if chunk is None else (chunk.first, chunk.last)
    while last + 1 < len(parse.tokens) and parse.tokens[last].text == "-":
        last += 2  # "follow-me"
        while last < len(parse.tokens) and parse.tokens[last].pos in {"NOUN", "PROPN"}:
            last += 1
    return normalise_name(parse.slice(first, last).strip(_QUOTES))
