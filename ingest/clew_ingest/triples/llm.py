"""KC-1: triples by a language model, a call a text (KG-CQR, section 3.1.1 and figure 5)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.llm_calls import ListCaller, in_order
from clew_ingest.triples.llm_triples import LIST, SCHEMA, triples_of
from clew_ingest.triples.prompts import TRIPLES
from clew_ingest.triples.reply_cache import ReplyCache
from clew_models.language_model import LanguageModel, Message


@dataclass(frozen=True)
class TextTriples:
    """The triples of one text, and what they cost.

    ``dropped``: items of the reply that are no triple, counted by reason ("cut off": the reply
    ended within an item); ``failed``: why the reply could not be read at all, else "". Tokens are
    those spent now: none where the reply was ``cached``.
    """

    triples: tuple[ExtractedTriple, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    failed: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached: bool = False


class LanguageModelExtractor:
    """Extracts triples with any language model; the reply is held to a JSON schema where it can.

    ``cache``: None asks every time. ``concurrency``: calls at once. ``max_tokens``: the longest
    reply, in tokens; of a longer one the whole triples are kept.

    Differs from the paper: types are the parser's, so that both kinds of extractor agree, and the
    text goes as quoted JSON, so that nothing in it can pass for an instruction.
    """

    name = "llm"

    def __init__(
        self,
        model: LanguageModel,
        cache: ReplyCache | None,
        *,
        concurrency: int = 8,
        max_tokens: int = 2048,
    ) -> None:
        self._concurrency = concurrency
        self._caller = ListCaller(
            model, cache, prompt=TRIPLES, schema=SCHEMA, list_name=LIST, max_tokens=max_tokens
        )

    def extract(
        self,
        texts: Iterable[tuple[str, str]],
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[TextTriples]:
        """Yield the triples of each (title, text), in the order of the texts.

        A reply that cannot be read costs that text. Raises LanguageModelUnavailable where the
        model cannot be reached or refuses: what was done until then is in the cache, so a second
        run goes on from there. Raises IngestCancelled.
        """
        return in_order(
            texts,
            lambda item: self.extract_one(*item),
            concurrency=self._concurrency,
            cancelled=cancelled,
        )

    def extract_one(self, title: str, text: str) -> TextTriples:
        """Return the triples of one text; threads may share this. Raises as ``extract``."""
        if not text.strip():
            return TextTriples(())
        reply = self._caller.ask(_document(title, text), text)
        triples, dropped = triples_of(reply.read.items)
        dropped += Counter({"not JSON": reply.read.broken, "cut off": int(reply.read.cut_off)})
        return TextTriples(
            tuple(triples),
            dict(+dropped),
            reply.read.problem,
            reply.prompt_tokens,
            reply.completion_tokens,
            reply.seconds,
            reply.cached,
        )

    def messages(self, title: str, text: str) -> list[Message]:
        """Return what the model would be asked about a text, for estimates of tokens."""
        return self._caller.messages(_document(title, text))

    def is_cached(self, title: str, text: str) -> bool:
        """Return whether this text costs nothing."""
        return self._caller.is_cached(_document(title, text))


def _document(title: str, text: str) -> dict[str, str]:
    return {"title": title, "text": text}
