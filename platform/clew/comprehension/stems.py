"""Words of one family: "director" and "directed", "spouse" and "wife"."""

from functools import lru_cache

_ENDINGS = (
    "ations",
    "ation",
    "ators",
    "ator",
    "ates",
    "ate",
    "ings",
    "ing",
    "ions",
    "ion",
    "ers",
    "er",
    "ors",
    "or",
    "ists",
    "ist",
    "ments",
    "ment",
    "ness",
    "ance",
    "ence",
    "ies",
    "ied",
    "ed",
    "es",
    "s",
    "e",
    "y",
)

_FAMILIES = (
    "author writer write novelist pen",
    "spouse wife husband marry married marriage",
    "die death dead",
    "bear birth born birthplace native",
    "founder found establish creator create start",
    "population inhabitant people resident",
    "actor actress star play cast role appear",
    "singer performer perform sing record band",
    "city town",
    "kind type sort",
    "bear bore",
    "tall height high",
    "long length",
    "film movie",
    "phone telephone tel",
    "deliver delivery",
    "recover recovery",
    "discover discovery",
    "physician doctor",
    "teacher teach taught",
    "build built construct",
)


_IRREGULAR = {
    "child": ("children",),
    "man": ("men",),
    "woman": ("women",),
    "person": ("people", "persons"),
    "wife": ("wives",),
    "half": ("halves",),
    "criterion": ("criteria",),
}


def plurals(noun: str) -> tuple[str, ...]:
    """Return how a noun's plural may be written."""
    return f"{noun}s", f"{noun}es", f"{noun[:-1]}ies", *_IRREGULAR.get(noun, ())


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the word without its commonest ending; at least four letters are kept."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=20_000)
def family(word: str) -> frozenset[str]:
    """Return the stems that count as the word."""
    own = stem(word)
    return frozenset({own}).union(*(stems for stems in _stemmed() if own in stems))


@lru_cache(maxsize=1)
def _stemmed() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, words.split())) for words in _FAMILIES)
