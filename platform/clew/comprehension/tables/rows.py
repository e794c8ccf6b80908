"""An answer that a table's row tells: the row that is asked about, in the column that is asked for.

A row says nothing in a sentence's grammar, so it is looked up: whatever a question says must be
found in the row's other cells, in what its columns are called, and in what the table stands under.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from clew.comprehension.candidates import SHORT_CELL, Candidate, as_a_whole, without_marks
from clew.comprehension.dates import MONTHS, with_dates
from clew.comprehension.eligibility import CLOCK, classes_called, counts_goods, counts_money
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lines import COPIED, Field
from clew.comprehension.naming import calls_document, folded, initialled
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import family, stem
from clew.comprehension.tables.joining import MOST_ALIKE
from clew.comprehension.tables.row_columns import (
    RowColumn,
    abbreviates,
    fits,
    is_called,
    meant_by,
    name_stems,
    name_words,
    names_a_sum,
    row_columns,
    singular,
    types_asked,
)
from clew_ingest.parsing.entity_names import STOP_WORDS, normalise_name

LEAST = 0.75
"""The least share of a question, by weight, that a row and its table say."""
LEAST_NAMED = 0.5
"""The same where the row has all names that the question has, or is joined to one that says more of
it, and the column is called what is asked for."""
NEAR = 0.1
"""By how much less, at most, another row says that may be meant as well, where neither says
LEAST."""
AROUND = 0.5
"""What a word counts that another line of the row's passage says."""
CALLED = 4
"""The rank of a column that is called what is asked for, by all its words; above: by its noun."""
BY_CLASS = 3
"""The rank of a column that is called as things of the class that is asked for are."""
SURELY_CALLED = CALLED / (CALLED + 1)
"""What is told of a value, at least, whose column is called what is asked for."""
_NOW = frozenset({"present", "current", "currently", "now", "today"})
"""Words of what is asked for as it is now, which no row says."""
_MONTHS = frozenset(map(str.casefold, MONTHS))
_INITIAL = re.compile(r"\w\.")
_OF_NUMBER = re.compile(
    r"\b(?!what|which|the|this|that|your|our|its|his|her|their)([^\W\d_]{3,}) number\b",
    re.IGNORECASE,
)
"""What the number is of that is asked for: "telephone number"."""
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:-[^\W\d_]+)+")


@dataclass(frozen=True)
class _Cell:
    """A value of sentence ``row``; ``rank``: how surely it is what is asked for, the greater the
    surer; ``share``: of the question that its row says, with row ``by`` where it is joined to that
    by an identifier; ``named``: all names that are in the question are there; ``called``: how many
    words of the column's name the question says, less one for each that it does not.
    """

    row: int
    field: Field
    rank: int
    share: float
    named: bool
    called: int
    by: int = -1


def told_in_a_row(form: QuestionForm, view: EvidenceView) -> Candidate | None:
    """Return what the one row tells that says most of a question; ``told``: the share that it says.

    Where no row says LEAST of it, or in no column that is called what is asked for, two that are
    joined may, as by an identifier: the part that a data sheet calls "SK-417" has its price in the
    price list. None where several tell different things.
    Of several things that are asked for, a cell of one row tells all where the row has all names
    of the question, and the column is called what is asked for: "On which days is Jo in?".
    """
    if form.kind != "open" or form.defined:
        return None
    asked = _Asked(form, view)
    if form.several:
        named = [one for one in asked.cells() if one.named and one.rank > CALLED]
        one = _only(named, asked) if form.names else None
        return one or _only([one for one in asked.joined() if one.rank > CALLED], asked)
    one = _only(list(asked.cells()), asked)
    if one is not None and one.called >= SURELY_CALLED:
        return one
    joined = _only(list(asked.joined()), asked)
    if one is None or joined is None:
        return one or joined
    # "Returned" of the loans before a day of the stock's for "When was … returned?"
    return joined if joined.called >= SURELY_CALLED and joined.told >= one.told else one


def _only(cells: Sequence[_Cell], asked: "_Asked") -> Candidate | None:
    most = max((cell.share for cell in cells), default=0.0)
    best = [cell for cell in cells if cell.share > most - 1e-6]
    # the row of M. Dube before that of whom she manages
    best = [cell for cell in best if asked.is_about(cell.row)] or best
    # "Status: Final" of the document that is asked about before that of another
    best = [cell for cell in best if asked.names_of_document(cell.row)] or best
    surest = max((cell.rank for cell in best), default=0)
    named = asked.names_things and surest >= CALLED and any(cell.named for cell in best)
    named = named or (surest >= CALLED and all(cell.by in asked.picked for cell in best))
    if most < (LEAST_NAMED if named else LEAST):
        return None
    best = [cell for cell in best if cell.rank == surest]
    called = max((cell.called for cell in best), default=0)  # "Serial no." before "No."
    likely = [cell for cell in best if cell.called == called]
    if most < LEAST:  # "the opening night of …" is none of two nights for sure
        names = {cell.field.key for cell in likely}
        near = (cell for cell in cells if most - NEAR <= cell.share < most - 1e-6)
        likely += [cell for cell in near if cell.field.key in names and cell.rank == surest]
    told = map(asked.candidate, likely)
    found = [one for one in told if one is not None]
    return found[0] if len({one.key for one in found}) == 1 else None


class _Asked:
    """What a question says, by words and their weight, and which rows say it."""

    def __init__(self, form: QuestionForm, view: EvidenceView) -> None:
        words = [word for word in form.words if not _INITIAL.fullmatch(word) and word not in _NOW]
        words += [form.focus] if form.focus else []
        self.form = form
        self.view = view
        self.words = {word: meant_by(word) for word in dict.fromkeys(words)}
        self._stems = frozenset[str]().union(*self.words.values())
        self._total = sum(map(view.weight, self.words)) or 1.0
        self._names = frozenset(filter(None, map(without_marks, form.names)))
        named = {word for name in self._names for word in name.split()}
        self._months = not named.isdisjoint(_MONTHS)
        self.names_things = not self._names <= _MONTHS
        self._written = frozenset(name_words(form.text)) - named  # "Who went" is "went", not "go"
        copies = form.focus == "number" and "CODE" in form.classes  # not "number of seats"
        of_number = _OF_NUMBER.search(form.text) if copies else None
        self._numbered = of_number.group(1).casefold() if of_number else ""
        copied = [name for name in self._names if COPIED.fullmatch(name)]
        copied += _COMPOUND.findall(form.text.casefold())
        self._copied = {w: n for n in copied for w in self.words if w.casefold() in n}
        plain = [meant for word, meant in self.words.items() if word not in self._copied]
        self._plain = frozenset[str]().union(*plain)
        self._rows = [
            (i, one, own) for i, one in enumerate(view.sentences) if (own := row_columns(one))
        ]
        self._passages: dict[int, frozenset[str]] = {}
        self._texts: dict[int, str] = {}
        self._called: dict[int, frozenset[str]] = {}
        self._document_names: dict[int, frozenset[str]] = {}
        self._wanted = types_asked(form)
        self._typed: defaultdict[tuple[int, str], list[Candidate]] = defaultdict(list)
        self._otherwise = set[tuple[int, str]]()
        for one in view.candidates if self._wanted or form.asks_how_many else ():
            of_sums = form.asks_sum and counts_goods(one)
            money = counts_money(one) or one.label == "PERCENT"
            if one.field and (of_sums or (form.asks_how_many and money)):
                self._otherwise.add((one.sentence, one.field))
            elif one.field and one.label in self._wanted:
                self._typed[one.sentence, one.field].append(one)
        columns = Counter(index for index, _ in self._typed)
        self.picked = {place for pair in view.joined for place in pair}
        self._rows_typed = frozenset(columns) if form.measures else frozenset[int]()
        self._only_of_type = {key for key in self._typed if columns[key[0]] == 1}

    def cells(self) -> Iterator[_Cell]:
        """Yield the values that may be what is asked for, of rows that say something of it."""
        for index, _, columns in self._rows:
            if not self._stems & (self.view.lemmas[index] | self.view.context_lemmas[index]):
                continue
            for column in columns:
                rank = self._rank(index, column)
                if rank and self._tells(index, column, rank):
                    names, said = self._said(index, column)
                    yield self._cell(index, column, rank, names, said)

    def _tells(self, index: int, column: "RowColumn", rank: int) -> bool:
        """Say whether a row's other cells say something of what is asked, not only what it stands
        under, and with the column's name half of it where that is not called so; what is called as
        is asked for may stand alone.
        """
        row = self.view.sentences[index]
        if column.label or (len(row.fields) < 2 and rank >= BY_CLASS):
            return True
        if rank >= CALLED and self.names_of_document(index):
            return True
        others = [one for one in row.fields if one != column.field]
        tokens = zip(row.parse.tokens, row.parse.stems, strict=True)
        stems = {own for token, own in tokens if any(one.holds(token.start) for one in others)}
        if not self._stems & stems or rank >= BY_CLASS:
            return bool(self._stems & stems)
        stems |= name_stems(column.field.name)
        said = [word for word, meant in self.words.items() if meant & stems]
        return sum(map(self.view.weight, said)) >= self._total / 2

    def joined(self) -> Iterator[_Cell]:
        """Yield such values of rows that have an identifier of another row, or are joined to it as
        tables are, that says of it what they do not.
        """
        of: defaultdict[str, list[int]] = defaultdict(list)
        for index, row, _ in self._rows:
            for one in row.fields:
                value = row.parse.text[one.start : one.end]
                if COPIED.fullmatch(value) and any(map(str.isdigit, value)):
                    of[value].append(index)
        alike = [(value, rows) for value, rows in of.items() if 1 < len(rows) <= MOST_ALIKE]
        if self.form.focus or self.form.classes:
            alike += [("", list(pair)) for pair in self.view.joined]
        joined = {index for _, rows in alike for index in rows}
        columns = {index: found for index, _, found in self._rows if index in joined}
        says = {index: self._said(index, None) for index in columns}
        told = {
            index: [
                (one, rank, *self._said(index, one))
                for one in own
                if (rank := self._rank(index, one)) and self._may_join(one, rank)
            ]
            for index, own in columns.items()
        }
        for value, rows in alike:
            for index, other in permutations(dict.fromkeys(rows), 2):
                if index not in columns or other not in columns or self._done_by(other, index):
                    continue
                row, (other_names, more) = self.view.sentences[index], says[other]
                for column, rank, names, said in told[index]:
                    own = row.parse.text[column.field.start : column.field.end]
                    if own != value and more - said:
                        yield self._cell(
                            index, column, rank, names | other_names, said | more, other
                        )

    def _may_join(self, column: "RowColumn", rank: int) -> bool:
        """Say whether a column may tell what is asked of another row's thing: where a noun is asked
        for, one that is called by another word of the question may be that thing, "the van"."""
        beside = rank == CALLED and bool(self.form.focus) and not column.label
        return (rank >= BY_CLASS and not beside) or self._does(column)

    def _does(self, column: "RowColumn") -> bool:
        """Say whether a column is called by the verb: "Borrower" of "Who borrowed …?"."""
        return bool(self.form.verbs & name_stems(column.field.name))

    def _done_by(self, row: int, other: int) -> bool:
        """Say whether a row says the question's verb, which another one does not."""
        own, its = self.view.lemmas[row], self.view.lemmas[other]
        return bool(self.form.verbs & own) and self.form.verbs.isdisjoint(its)

    def _cell(
        self,
        index: int,
        column: "RowColumn",
        rank: int,
        names: frozenset[str],
        said: frozenset[str],
        by: int = -1,
    ) -> _Cell:
        around = self._passage(self.view.sentences[index].chunk)
        asked = rank > CALLED or self._does(column)
        weight = 0.0
        for word, meant in self.words.items():
            known = word in said or (asked and word == self.form.focus)
            half = bool(meant & around) and word not in self._copied
            weight += self.view.weight(word) * (1.0 if known else AROUND * half)
        share = weight / self._total
        words = _telling_words(column.field.name)
        called = sum(1 if self._says(word) else -1 for word in words)
        named = names | self.names_of_document(index) >= self._names
        return _Cell(index, column.field, rank, share, named, called, by)

    def is_about(self, index: int) -> bool:
        """Say whether a row's first cell is what the question names."""
        row = self.view.sentences[index]
        if not row.fields:
            return False
        first = normalise_name(row.parse.text[row.fields[0].start : row.fields[0].end])
        return any(name == first or initialled(name, f" {first} ") for name in self._names)

    def names_of_document(self, index: int) -> frozenset[str]:
        """Return the names in the question by which a row's document is called: by its title, by
        its number before that ("PEP-8: Style Guide"), in a line of the same passage or in the row
        itself ("PEP: 8").
        """
        if index not in self._document_names:
            self._document_names[index] = self._names_of_document(index)
        return self._document_names[index]

    def _names_of_document(self, index: int) -> frozenset[str]:
        row = self.view.sentences[index]
        if row.chunk not in self._called:
            alone = (s for s in self.view.sentences if s.chunk == row.chunk and len(s.fields) == 1)
            lines = (s.parse.text[: s.fields[0].end] for s in alone)
            self._called[row.chunk] = frozenset(map(folded, [row.title_key, *lines]))
        own = (
            f"{one.name} {row.parse.text[one.start : one.end]}" for one in row.fields if one.name
        )
        called = self._called[row.chunk] | frozenset(map(folded, own))
        return frozenset(
            name
            for name in self._names
            if folded(name) in called or calls_document(name, row.title_key)
        )

    def _said(
        self, index: int, column: "RowColumn | None"
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Return the question's names and words that a row says, without the value of a column."""
        row = self.view.sentences[index]
        text = self._text(index)
        names = {n for n in self._names if f" {n} " in text or initialled(n, text)}
        names |= {n for n in self._copied.values() if n in text or n.replace("-", " ") in text}
        stems = set(self.view.lemmas[index] | self.view.context_lemmas[index])
        if column is not None:
            field = column.field
            tokens = zip(row.parse.tokens, row.parse.stems, strict=True)
            stems = {own for token, own in tokens if not field.holds(token.start)}
            stems |= self.view.context_lemmas[index] | name_stems(field.name)
            value = row.parse.text[field.start : field.end].casefold()
            names = {n for n in names if n not in value and not initialled(n, f" {value} ")}
        held = {stem(word) for name in names for word in name.split()}
        said = {
            word
            for word, meant in self.words.items()
            if (self._copied[word] in names if word in self._copied else meant & (stems | held))
        }
        return frozenset(names), frozenset(said)

    def _rank(self, index: int, column: "RowColumn") -> int:
        """How surely a column is what is asked for: by the noun that is asked for, by all that it
        is called, by its class, by the verb or the value's type, by a part of what it is called; 0:
        it is not.
        """
        form, field, row = self.form, column.field, self.view.sentences[index]
        value = row.parse.text[field.start : field.end].strip()
        classes = form.classes
        if form.focus and classes.isdisjoint({"DATE", "NUMBER"}) and is_called(field, form.focus):
            classes = frozenset()  # "Model: PX-520" is a model, and nobody who models
        if not fits(classes, value) and self._typed_in(index, field, value) is None:
            return 0
        if (index, field.key) in self._otherwise:
            return 0  # "3 cartons" is no price, and "3 euros" no number of cartons
        if without_marks(normalise_name(value)) in self._names:
            return 0  # nobody asks for what he names
        if form.asks_clock and not CLOCK.search(value):
            return 0
        called = _telling_words(field.name)
        stems = name_stems(field.name)
        said = {word for word in called if self._says(word)}
        if column.label:
            unnamed = frozenset[str]().union(*map(meant_by, (*form.unnamed, form.focus)))
            label = _telling_words(column.label)
            if form.focus and not form.classes:
                unnamed = meant_by(form.focus)
            called_so = name_stems(column.label) | stems
            if form.focus and meant_by(form.focus).isdisjoint(called_so):
                return 0  # who looks after the mower, of "the address of who looks after it"
            whole = label and all(map(self._says, label)) and unnamed & name_stems(column.label)
            return CALLED if whole and (column.alone or len(said) == len(called)) else 0
        if self._numbered:  # "Phone: 43-165" is a telephone number, "Account no." is none
            if not any(map(str.isdigit, value)):
                return 0
            return (CALLED + 1) * any(map(self._is_numbered, called))
        if form.focus and (
            meant_by(form.focus) & stems or any(abbreviates(word, form.focus) for word in called)
        ):
            return CALLED + 1
        if form.focus and not form.classes:  # a column of another name
            return BY_CLASS - 1 if self._does(column) and value[:1].isupper() else 0
        own_type = (index, field.key) in self._typed
        # "Plot: 2" of a plot's fee; but "Looked after by" of the person who looks after it
        asked = "PERSON" not in form.classes and bool(form.focus or form.measures)
        beside = asked and not own_type and not self._does(column)
        if called and len(said) == len(set(called)):
            return 1 if beside else CALLED
        typed = own_type or index not in self._rows_typed
        sum_named = "MONEY" in form.measures and names_a_sum(field.name)
        if typed and (sum_named or form.classes & classes_called(field.name)):
            sums = not form.asks_sum or (index, field.key) in self._typed
            return BY_CLASS if sums or sum_named else BY_CLASS - 1
        if form.verbs & stems or (index, field.key) in self._only_of_type:
            return BY_CLASS - 1
        return int(bool(said))

    def _typed_in(self, index: int, field: Field, value: str) -> Candidate | None:
        """Return the one value that a cell of many words has of what is asked for, or None."""
        found = self._typed.get((index, field.key), [])
        long = len(value.split()) > SHORT_CELL
        return found[0] if long and len({one.key for one in found}) == 1 else None

    def candidate(self, cell: _Cell) -> Candidate | None:
        """Return a cell's value as an answer; None where no word of the parse begins in it."""
        sentence, field = self.view.sentences[cell.row], cell.field
        value = sentence.parse.text[field.start : field.end].strip()
        found = self._typed_in(cell.row, field, value) or _whole(cell, self.view)
        called = cell.rank / (CALLED + 1)
        return found and replace(found, told=cell.share, called=called, by=cell.by)

    def _says(self, word: str) -> bool:
        """Say whether the question has a word of a column's name, or what it is short for."""
        own = family(word) | family(singular(word))
        whole = word in self._copied.values() or bool(self._plain & own) or word in self._written
        return whole or any(abbreviates(word, one) for one in self.words)

    def _is_numbered(self, word: str) -> bool:
        """Say whether a word of a column's name is that of the number that is asked for."""
        own = family(word) | family(singular(word))
        return bool(meant_by(self._numbered) & own) or abbreviates(word, self._numbered)

    def _text(self, index: int) -> str:
        """Return what a row says with what it stands under, normalised, between spaces."""
        if index not in self._texts:
            row = self.view.sentences[index]
            text = f" {row.key} {row.context_key} "
            if self._months:
                text += f"{normalise_name(with_dates(row.parse.text))} "  # "09/06/2025" is of June
            self._texts[index] = text
        return self._texts[index]

    def _passage(self, chunk: int) -> frozenset[str]:
        if chunk not in self._passages:
            own = (i for i, one in enumerate(self.view.sentences) if one.chunk == chunk)
            self._passages[chunk] = frozenset[str]().union(*(self.view.lemmas[i] for i in own))
        return self._passages[chunk]


def _telling_words(name: str) -> list[str]:
    return [word for word in name_words(name) if word not in STOP_WORDS]


def _whole(cell: _Cell, view: EvidenceView) -> Candidate | None:
    plain = as_a_whole(cell.field, view.sentences[cell.row], cell.row)
    if plain is None:
        return None
    place = plain.sentence, plain.first, plain.last
    known = (
        one
        for one in view.candidates
        if (one.sentence, one.first, one.last) == place and not one.implicit
    )
    return next(known, plain)
