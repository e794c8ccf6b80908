"""KC-2: the textual triplet (TTR), what the text says on how a triple's two entities are related.

TTR(T) = llm(Prompt, D, T) (KG-CQR, equation 2) where a language model is set, else the sentences
of the text that hold both entities.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clew_ingest.reading.text_decoding import clean_line
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.llm_calls import ListCaller
from clew_ingest.triples.prompts import TEXTUAL_TRIPLETS
from clew_ingest.triples.reply_cache import ReplyCache
from clew_models.language_model import LanguageModel, Message

LONGEST_PARAGRAPH = 2000
"""Characters of a written textual triplet; what is longer is cut."""

LIST = "paragraphs"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        LIST: {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"index": {"type": "integer"}, "text": {"type": "string"}},
                "required": ["index", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": [LIST],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class TripletTask:
    """The triples of one text, whose textual triplets are wanted; ``sentences``: the text's."""

    title: str
    text: str
    sentences: tuple[str, ...]
    triples: tuple[ExtractedTriple, ...]


@dataclass(frozen=True)
class TextualTriplets:
    """One text for each triple of a task, in their order.

    ``written``: which of them the model wrote; the others are sentences. ``malformed``: items of
    the reply that were dropped, by reason; ``failed``: why the reply could not be read at all,
    else "". Tokens are those spent now: none where the reply was ``cached``.
    """

    texts: tuple[str, ...]
    written: tuple[bool, ...]
    malformed: Mapping[str, int] = field(default_factory=dict)
    failed: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached: bool = False


def supporting_sentences(triple: ExtractedTriple, sentences: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the sentences a triple rests on, from 0; empty where none names it.

    Those that hold head and tail; else the triple's own; else the first with the head. Names are
    found whatever their case, as whole words.
    """
    heads = _holding(triple.head, sentences)
    tails = set(_holding(triple.tail, sentences))
    both = tuple(place for place in heads if place in tails)
    if both:
        return both
    if triple.sentence is not None and 0 <= triple.sentence < len(sentences):
        return (triple.sentence,)
    return tuple(heads[:1])


def located(triple: ExtractedTriple, sentences: Sequence[str]) -> ExtractedTriple:
    """Return a triple with the place of its sentence, for extractors that cannot say.

    That is the first one with head and tail, where there is one; a place that is known stays.
    """
    if triple.sentence is not None:
        return triple
    tails = set(_holding(triple.tail, sentences))
    both = (place for place in _holding(triple.head, sentences) if place in tails)
    return replace(triple, sentence=next(both, None))


def textual_triplet(triple: ExtractedTriple, text: str, sentences: Sequence[str] = ()) -> str:
    """Return a triple's textual triplet without a language model; never empty.

    The ``supporting_sentences`` joined, in the order of the text; where there are none, the
    triple itself as words. Without ``sentences``, the whole text counts as one.
    """
    sentences = sentences or (text,)
    found = supporting_sentences(triple, sentences)
    joined = " ".join(" ".join(sentences[place].split()) for place in found)
    return joined or f"{triple.head} {triple.predicate} {triple.tail}."


class TripletWriter:
    """Has a language model write textual triplets: one call a text for all its triples.

    The reply is checked by index; a triple whose paragraph is missing or malformed gets its
    sentences, and is counted. ``cache``: None asks every time; ``max_tokens``: the longest reply.
    """

    def __init__(
        self, model: LanguageModel, cache: ReplyCache | None, *, max_tokens: int = 4096
    ) -> None:
        self._caller = ListCaller(
            model,
            cache,
            prompt=TEXTUAL_TRIPLETS,
            schema=SCHEMA,
            list_name=LIST,
            max_tokens=max_tokens,
        )

    def write(self, task: TripletTask) -> TextualTriplets:
        """Return the textual triplets of one text; threads may share this.

        Raises LanguageModelUnavailable; what was done is in the cache.
        """
        if not task.triples:
            return TextualTriplets((), ())
        reply = self._caller.ask(_document(task), task.text)
        paragraphs, malformed = _paragraphs(reply.read.items, len(task.triples))
        malformed += Counter({"not JSON": reply.read.broken, "cut off": int(reply.read.cut_off)})
        texts = tuple(
            paragraphs.get(index) or textual_triplet(triple, task.text, task.sentences)
            for index, triple in enumerate(task.triples, 1)
        )
        return TextualTriplets(
            texts,
            tuple(index in paragraphs for index in range(1, len(texts) + 1)),
            dict(+malformed),
            reply.read.problem,
            reply.prompt_tokens,
            reply.completion_tokens,
            reply.seconds,
            reply.cached,
        )

    def messages(self, task: TripletTask) -> list[Message]:
        """Return what the model would be asked, for estimates of tokens."""
        return self._caller.messages(_document(task))

    def is_cached(self, task: TripletTask) -> bool:
        """Return whether this task costs nothing."""
        return not task.triples or self._caller.is_cached(_document(task))


def _document(task: TripletTask) -> dict[str, Any]:
    numbered = [
        {"index": index, "head": triple.head, "relation": triple.predicate, "tail": triple.tail}
        for index, triple in enumerate(task.triples, 1)
    ]
    return {"title": task.title, "text": task.text, "triples": numbered}


def _paragraphs(items: Iterable[Any], count: int) -> tuple[dict[int, str], Counter[str]]:
    """Return the paragraphs by index, from 1, and how many items were malformed by reason."""
    paragraphs: dict[int, str] = {}
    malformed: Counter[str] = Counter()
    for item in items:
        index = item.get("index") if isinstance(item, dict) else None
        text = item.get("text") if isinstance(item, dict) else None
        if not isinstance(item, dict):
            malformed["not an object"] += 1
        elif not isinstance(index, int) or isinstance(index, bool):
            malformed["index is not a number"] += 1
        elif not 1 <= index <= count:
            malformed["index of no triple"] += 1
        elif not isinstance(text, str) or not any(map(str.isalnum, text)):
            malformed["text is empty"] += 1
        elif index in paragraphs:
            malformed["index repeated"] += 1
        else:
            paragraphs[index] = clean_line(text, LONGEST_PARAGRAPH)
    return paragraphs, malformed


def _holding(name: str, sentences: Sequence[str]) -> list[int]:
    wanted = _folded(name)
    if not wanted:
        return []
    return [place for place, text in enumerate(sentences) if _holds(_folded(text), wanted)]


def _holds(text: str, name: str) -> bool:
    # by str.find and not by pattern: names are mostly new, and each would have to be compiled
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _in_word(text[at - 1 : at]) and not _in_word(text[end : end + 1]):
            return True
        at = text.find(name, at + 1)
    return False


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
