"""Short forms in a chunk: "Lovelace" gets the key of Ada Lovelace where the chunk names her."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clew_ingest.parsing.chunking import TextChunk
from clew_ingest.parsing.entity_names import (
    aliases_of,
    is_entity_name,
    normalise_name,
    without_honorifics,
)
from clew_ingest.parsing.mentions import Mention
from clew_ingest.parsing.parser import ParsedSentence
from clew_ingest.resolution.types import FAMILIES
from clew_ingest.resolution.within_document import (
    DocumentMention,
    NameGroup,
    join_short_forms,
)


@dataclass(frozen=True)
class Naming:
    """A chunk's sentences, the keys of their mentions made one for each thing.

    ``mentions``: all that were joined or not, by the key of their surface, with the place of
    their sentence; each has the key of its thing.
    """

    sentences: tuple[ParsedSentence, ...]
    mentions: Mapping[str, Sequence[tuple[int, Mention]]]

    def key_of(self, name: str, sentence: int | None, type_: str) -> str:
        """Return the key of what a name stands for here: a mention's, else its own.

        Where the name stands for two things, that of its sentence and then of its type counts.
        """
        key = normalise_name(without_honorifics(name) if type_ == "PERSON" else name)
        found = self.mentions.get(key)
        if not found:
            return key
        near = [item for item in found if item[0] == sentence] or found
        fitting = [item for item in near if item[1].type == type_] or near
        counts = Counter(mention.key for _, mention in fitting)
        return min(counts, key=lambda candidate: (-counts[candidate], candidate))


def named(chunk: TextChunk, title: str) -> Naming:
    """Return the chunk's sentences with short forms joined to full names.

    The title's own name is the key of what the text surely begins with ("Gerald Lee McRaney"
    under "Gerald McRaney"), so that other documents' mentions of the title mean it too.
    """
    joined = _joined(chunk, title)
    sentences = []
    mentions: dict[str, list[tuple[int, Mention]]] = {}
    cursor = 0
    for place, sentence in enumerate(chunk.sentences):
        start = cursor = max(chunk.text.find(sentence.text, cursor), cursor)
        changed = []
        for mention in sentence.mentions:
            key = joined.get((mention.surface, mention.type, start + mention.start), mention.key)
            changed.append(mention if key == mention.key else replace(mention, key=key))
            mentions.setdefault(mention.key, []).append((place, changed[-1]))
        sentences.append(replace(sentence, mentions=tuple(changed)))
        cursor += len(sentence.text)
    return Naming(tuple(sentences), mentions)


def _joined(chunk: TextChunk, title: str) -> dict[tuple[str, str, int], str]:
    """Return the key of each mention that was joined, by surface, type and place in the chunk."""
    things = []
    cursor = 0
    for sentence in chunk.sentences:
        start = cursor = max(chunk.text.find(sentence.text, cursor), cursor)
        things += [
            DocumentMention(mention.surface, mention.type, start + mention.start)
            for mention in sentence.mentions
            if mention.type in FAMILIES
        ]
        cursor += len(sentence.text)
    return {
        (mention.surface, mention.type, mention.position): key
        for group in join_short_forms(things, chunk.text, title)
        if (key := _key(group, title))
        for mention in group.mentions
    }


def _key(group: NameGroup, title: str) -> str:
    # A title with a qualifier ("Ian Barry (director)") is not what other documents call the thing.
    is_subject = title in group.aliases and is_entity_name(title) and not aliases_of(title)
    key = normalise_name(title if is_subject else group.name)
    return key if is_entity_name(key) else ""
