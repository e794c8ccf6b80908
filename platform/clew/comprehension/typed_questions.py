"""Questions as people type them, put as one writes them with care.

    "Hi team, when does it open?"      -> "when does it open?"
    "3) who leads skarvøya grid"       -> "who leads Skarvøya grid"
    "WHO CHAIRS THE AGM?"              -> "Who chairs the AGM?"
    "When Does The Salt Bride Begin?"  -> "When does The Salt Bride begin?"

What is told from small and capital letters, names above all, is told by those of the evidence
where the question has none of its own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable

from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import VALUE_LABELS, WH
from clew.comprehension.naming import QUALIFIER
from clew_ingest.parsing.entity_names import STOP_WORDS

_QUOTED = re.compile(r"[\"“«]([^\"“”«»]+)[\"”»]\W*")
_BEHIND = r"(?:(?:in|at|on|by|for|from|of|to|with|until|since) )?"
_WORDS = "|".join(sorted(WH))
_WHO = rf"(?={_BEHIND}(?:{_WORDS})\b)"
_ASKS = (
    rf"(?={_BEHIND}(?:{_WORDS}|what[’']?s|who[’']?s|is|are|was|were|do|does|did|can|could|may|must"
    r"|should|will|would|has|have|any|please|tell)\b)"
)
_ADDRESS = re.compile(
    r"(?:hi|hey|hello|dear|good (?:morning|afternoon|evening|day))\b"
    rf"(?:(?: [\w.’'-]+){{0,3}}\s*[,!:.–-]+)?\s+{_ASKS}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:urgent|important|help|(?:quick )?question|query|asap|fyi)\s*[:!,–-]+\s+{_ASKS}",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"[-–—*•>·]+\s+|\(?(?:\d{{1,2}}|[a-z])\)\s+|(?:\d{{1,2}}\.|q ?\d*[:.])\s+{_ASKS}|re:\s+",
    re.IGNORECASE,
)
_SOMEBODY = r"(?:you|u|someone|somebody|anyone|anybody)"
_LEADS = (
    rf"(?:can|could|would|will) {_SOMEBODY} (?:please |kindly )?"
    r"(?:tell (?:me|us)|let (?:me|us) know|remind me|say|explain|confirm)",
    rf"(?:do|does|would) {_SOMEBODY} (?:here |happen to )?know",
    r"i(?:[’']d| would) (?:just )?(?:like|love|be (?:glad|happy|grateful)) to"
    r" (?:know|learn|ask|hear|find out)",
    r"(?:may|can|could|might) (?:i|we) (?:please |just )?(?:ask|know)"
    r"|do we (?:already )?know|is it (?:already )?known",
    r"i (?:just )?(?:want|wanted|need) to (?:know|ask|find out)",
    r"i (?:(?:am|was) (?:just )?wondering|wonder)|i[’']m (?:just )?wondering",
    r"(?:tell|remind) me|any ideas?|anyone knows?",
)
_LEAD = re.compile(
    r"(?:(?:excuse me|sorry|thanks in advance|thank you in advance|please|ok(?:ay)?|so)[,:!.]*\s+)*"
    rf"(?:(?:{'|'.join(_LEADS)})[,:]?\s+)?{_WHO}",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"[\s,;.!–-]*\b(?:many thanks|thanks|thank you|thx|cheers|pls|please)"
    r"(?: (?:a lot|so much|in advance|for your help))?[\s.!]*$",
    re.IGNORECASE,
)
_END = 60
"""Characters at the end of a question in which thanks are looked for."""
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_LINKS = frozenset(
    {"a", "an", "the", "of", "in", "on", "at", "to", "for", "by", "and", "or", "with"}
)
"""Words that stay small where each word of a heading has a capital."""
_VERBS = frozenset({"is", "are", "was", "were", "do", "does", "did", "can", "may", "must", "will"})
_NEVER = STOP_WORDS | WH | {"may", "must", "might", "us", "ok", "okay", "please", "hi", "hello"}
"""What is a name only where the question itself writes it so."""


def plain(question: str) -> str:
    """Return a question without what stands around it: a number or a mark of a list, quotation
    marks, a form of address, "URGENT:", "Could you tell me …", "… Thanks!"."""
    text = question.strip()
    if (mark := _MARK.match(text)) is not None:
        text = text[mark.end() :]
    if (quoted := _QUOTED.fullmatch(text)) and " " in quoted[1]:
        text = quoted[1].strip()
    for before in (_ADDRESS, _LABEL, _LEAD):
        found = before.match(text)
        text = text[found.end() :] if found else text
    text = text[:-_END] + _LAST.sub("", text[-_END:])
    return text or question


def with_capitals(question: str, view: EvidenceView, usual: Callable[[str], bool]) -> str:
    """Return a question that tells no names by its capitals, having none, nothing else, or one in
    each word, with those that the evidence writes: names as a whole, and of these words that are
    not ``usual`` and that it has nowhere without.
    """
    words = _WORD.findall(question)
    rest = [word for word in words[1:] if word != "I"]
    whole = len(words) > 1 and question.isupper()
    small = {word for word in rest if word.islower()}
    asks = {word.casefold() for word in words} & (WH | _VERBS)
    each = bool(rest) and small <= _LINKS and bool(asks)
    if not rest or not (whole or each or len(small) == len(set(rest))):
        return question
    names, written = _names_written(view)

    def word_of(found: re.Match[str]) -> str:
        word = found.group()
        key = word.casefold()
        if key in written and key not in _NEVER and not usual(key):
            return written[key]
        if word == "I" or not (whole or each):
            return word
        return word.capitalize() if found.start() == 0 else key

    text = _WORD.sub(word_of, question)
    for name in sorted(names, key=len):
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
        text = text.replace(found.group(), name) if found else text
    return text


def _names_written(view: EvidenceView) -> tuple[set[str], dict[str, str]]:
    """Return the names of several words in the evidence, titles among them, and how it writes the
    words that it has only within names."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    small: set[str] = set()
    names: set[str] = set()
    for sentence in view.sentences:
        tokens = sentence.parse.tokens
        small |= {token.text for token in tokens if token.text.islower()}
        names.add(QUALIFIER.sub("", sentence.title))
        entities = () if sentence.fields else sentence.parse.entities  # "Bin: blue" names nothing
        for entity in entities:
            if entity.label not in VALUE_LABELS:
                names.add(sentence.parse.slice(entity.first, entity.last))
                for token in tokens[entity.first : entity.last]:
                    forms[token.text.casefold()][token.text] += 1
    written = {key: own.most_common(1)[0][0] for key, own in forms.items() if key not in small}

    def is_one(name: str) -> bool:
        keys = [key for key in map(str.casefold, _WORD.findall(name)) if key not in STOP_WORDS]
        return len(keys) > 1 and all(key in written for key in keys)

    return set(filter(is_one, names)), written
