"""Corpora as life has them: what people put in on their first day, a handful of documents each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.sources import Source


@dataclass(frozen=True)
class RealCorpus:
    """Files, a question about them, and words of the passage that answers it ("" for none).

    ``chunk_tokens``: the budget of a chunk.
    """

    name: str
    sources: Sequence[Source]
    question: str
    answer: str
    chunk_tokens: int = IngestLimits().chunk_tokens


def _file(name: str, text: str) -> Source:
    return Source(uri=f"memory:{name}", name=name, data=text.encode())


def _record(key: str, text: str, title: str | None = None) -> Source:
    fields = {"text": text} if title is None else {"title": title, "text": text}
    return Source(uri=f"memory:{key}", name=f"{key}.json", data=json.dumps(fields).encode())


_MINUTES = (
    "paint the {n}th hall green",
    "buy {n} chairs for the reading room",
    "close the {n}th gate at night",
    "mend the roof over shed {n}",
    "plant {n} pear trees by the wall",
)
_CAPITALS = (
    "NOTICE TO ALL TENANTS. THE WATER IN BRAMLEY HOUSE WILL BE TURNED OFF ON MONDAY. MR JONAS "
    "FELL OF THE HOUSING OFFICE HAS THE KEYS TO THE CELLAR."
)
_CHINESE = (
    "李明出生在杭州。他在上海的一所大学学习建筑。后来他设计了西湖旁边的一座图书馆。",
    "杭州是浙江省的省会。西湖在杭州市的西边, 每年有很多人来看。",
)
_TABLE = (
    "# Harbour dues\n\n| ship | owner | dues |\n|---|---|---|\n"
    "| Merrow | Tolland Line | 120 |\n| Kestrel | Ines Varga | 80 |\n| Sandpiper | | 40 |\n"
)
_WORDS = "rope sail tar plank nail oar mast deck keel hull"

REAL_CORPORA = (
    RealCorpus("empty", (), "Who designed the Marlow Observatory?", ""),
    RealCorpus(
        "one chunk",
        [_file("note.txt", "Ada Thorne designed the Marlow Observatory in 1911.")],
        "Who designed the Marlow Observatory?",
        "Ada Thorne",
    ),
    RealCorpus(
        "some chunks without entities",
        [
            _record("a", "where are you may refer to:", "Where Are You"),
            _record("b", "what we have is what it was.", "What Is It"),
            _record("c", "Ada Thorne designed the Marlow Observatory.", "Ada Thorne"),
        ],
        "Who designed the Marlow Observatory?",
        "Ada Thorne",
    ),
    RealCorpus(
        "no entities at all",
        [
            _record("a", "where are you may refer to:", "Where Are You"),
            _record("b", "knead the dough, then let it rest until it has risen.", "How To"),
        ],
        "how long does dough rest?",
        "knead the dough",
    ),
    RealCorpus(
        "one giant chunk",
        [
            _file(
                "log.txt",
                f"Ada Thorne kept the log of the Merrow in Port Ellis {f'{_WORDS} ' * 250}end",
            )
        ],
        "Who kept the log of the Merrow?",
        "Ada Thorne",
        chunk_tokens=8000,
    ),
    RealCorpus(
        "fifty documents of one title",
        [
            _record(
                f"m{n}",
                f"The council of Selby met. It was agreed to {_MINUTES[n % 5].format(n=n)}.",
                "Minutes",
            )
            for n in range(50)
        ],
        "How many pear trees will the council of Selby plant by the wall?",
        "pear trees",
    ),
    RealCorpus(
        "no titles",
        [
            _record("x1", "Ada Thorne designed the Marlow Observatory. It stands in Selby."),
            _record("x2", "The herring market of Port Ellis opens at five in the morning."),
        ],
        "When does the herring market open?",
        "opens at five",
    ),
    RealCorpus(
        "all in capitals",
        [
            _file("NOTICE.TXT", _CAPITALS),
            _file("BINS.TXT", "THE BINS OF BRAMLEY HOUSE ARE EMPTIED ON FRIDAY."),
        ],
        "Who has the keys to the cellar of Bramley House?",
        "JONAS FELL",
    ),
    RealCorpus(
        "Chinese",
        [_file("李明.txt", _CHINESE[0]), _file("杭州.txt", _CHINESE[1])],
        "李明出生在哪里?",
        "李明出生在杭州",
    ),
    RealCorpus("a table", [_file("dues.md", _TABLE)], "Who owns the Kestrel?", "Ines Varga"),
    RealCorpus(
        "duplicates",
        [
            _file(f"copy {n}.txt", "Ada Thorne designed the Marlow Observatory in 1911.")
            for n in range(5)
        ],
        "Who designed the Marlow Observatory?",
        "Ada Thorne",
    ),
)
