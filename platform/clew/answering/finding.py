"""The ways to an answer, and which of them is surest."""

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.answering.ages import age_at_death
from clew.answering.calibration import log_odds
from clew.answering.comparison.changes import (
    asks_change,
    asks_more,
    asks_times,
    changed,
    tells_change,
)
from clew.answering.comparison.comparing import compare
from clew.answering.comparison.differences import asks_difference, difference
from clew.answering.comparison.durations import lasted, tells_length
from clew.answering.comparison.order import asks_order, came_first, clauses_in_order
from clew.answering.comparison.outcome import Compared
from clew.answering.comparison.superlatives import which_of_several
from clew.answering.counted_lists import counted_list
from clew.answering.found import OF_TABLE, Finding
from clew.answering.sureness import POSSIBLE
from clew.answering.told_sections import (
    told_by_a_rule,
    told_by_a_verdict,
    told_in_steps,
    yes_or_no_told,
)
from clew.comprehension.asked_noun import in_full
from clew.comprehension.candidates import Candidate
from clew.comprehension.chains import Chain, answer_chains, parsed_question, understood
from clew.comprehension.definitions import spells_out
from clew.comprehension.eligibility import in_other_unit
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.features import FEATURES
from clew.comprehension.leads import read_led
from clew.comprehension.lexicon import COUNT, DEFINITION
from clew.comprehension.lines import COPIED
from clew.comprehension.names_held import held_otherwise, names_found, things_named, unowned
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.respelling import respelt
from clew.comprehension.scorer import Asked
from clew.comprehension.sections import asks_how
from clew.comprehension.several import clashes, things_asked_for
from clew.comprehension.stems import stem
from clew.comprehension.tables.answers import answer_of_tables
from clew.comprehension.tables.asked import asked_of_a_table
from clew.comprehension.tables.rows import SURELY_CALLED
from clew.results.words import listed
from clew_ingest.parsing.entity_names import normalise_name

MOST_QUOTED = 10
"""Items of which the sentences are quoted."""
BY_NOW = re.compile(
    r"\b(?:(?<!what is )now(?! known| called)|nowadays|currently|presently|at present"
    r"|at the moment|these days|latest|any ?more)\b",
    re.IGNORECASE,
)
"""Who asks so knows that it was otherwise before."""
DENIED = re.compile(
    r"\b(?:not|never|without|except|cannot|neither|nor|nobody|no (?:one|longer))\b|n[’']t\b",
    re.IGNORECASE,
)
"""Who asks so wants to know what is not."""
_CONDITION = re.compile(r"^if\b[^,]*,|(?<!^)\b(?:if|once|unless|until|when)\b[^,?]*", re.IGNORECASE)
"""Under what condition something is asked, which may well be that something is not so."""
_HOW_MANY_OF = re.compile(r"^how many of\b.*(?:,.*\b(?:and|or)\b|\bthan\b)", re.IGNORECASE)
"""Who asks so wants some things counted, "of A, B and C", which a number that is told does not."""
NAMED_CLASSES = frozenset({"PERSON", "PLACE", "ORG", "WORK"})
"""Classes whose things have names."""


def find(question: str, read: ReadEvidence) -> Finding | None:
    """Return the best answer, however unsure; None where nothing can be one."""
    question = respelt(question, read.view, read.is_usual)
    asked = parsed_question(question, read)
    if (whole := in_full(asked)) != asked.text:
        question = whole
    form = understood(question, read)
    if (of_table := told_by_a_table(question, form, read)) is not None:
        return of_table
    in_steps = told_in_steps(question, asked, form, read) if asks_how(form) else None
    if in_steps is not None:
        return in_steps
    if form.kind == "yes-no" and (in_section := yes_or_no_told(asked, read.view)) is not None:
        return in_section
    computed, kind = _computed(question, form, read)
    if computed is None and asks_difference(form):
        return None  # no value of one of the two is the answer
    if computed is not None:
        return _of_values(computed, kind, form, read.view)
    if form.kind == "yes-no":
        said = told_by_a_rule(question, asked, read.view)
        said = said or told_by_a_verdict(question, asked, form, read)
        if said is not None and (asks_order(form) or asks_times(form)):
            return replace(said, of_other=True)  # what is to be computed was not found
        return said
    found = taken_apart(question, form, read)
    if (found is None or found.doubtful) and read.open_heads(form.names):
        found = taken_apart(question, form, read)
    unsure = found is None or found.doubtful or found.values.get("called", 1.0) < SURELY_CALLED
    if form.kind == "open" and unsure and read.join_rows(question, form.words):
        found = taken_apart(question, form, read)
    if found is not None and form.kind == "open" and not form.several and found.doubtful:
        led = led_finding(question, form, read)
        found = found if led is None else surer(found, led)
    if found is not None:
        other = in_other_unit(form, found.short) or _HOW_MANY_OF.search(form.text) is not None
        other = other or asks_times(form) or _of_other(form, found.carriers, read.view)
        found = replace(found, of_other=other)
    if found is not None and asks_change(form):
        told = read.view.sentences[found.carriers[0]].parse.text
        if tells_change(found.short, told):
            return found
        return replace(found, of_other=True) if asks_more(form) else None
    if (found is None or found.confidence < POSSIBLE or not tells_length(found.short)) and (
        long := lasted(form, read)
    ) is not None:
        computed_one = _of_values(long, "choice", form, read.view)
        if found is None or computed_one.confidence > found.confidence:
            return computed_one
    return counted_list(question, form, found, read.view, lambda which: find(which, read))


def _of_values(computed: Compared, kind: str, form: QuestionForm, view: EvidenceView) -> Finding:
    """Return what values of the evidence tell as a finding."""
    return Finding(
        computed.short,
        kind,
        {"score": computed.score, "told": computed.told, "guessed": float(computed.guessed)}
        | ({} if computed.span is None else {"least_span": computed.span}),
        computed.carriers,
        computed.steps,
        of_other=_of_other(form, computed.carriers, view),
    )


def _computed(question: str, form: QuestionForm, read: ReadEvidence) -> tuple[Compared | None, str]:
    """Return what is computed of values of the evidence, and the kind of answer that it is."""
    several = which_of_several(form, read)
    if several is not None:
        return several, "choice"
    if (moved := changed(form, read)) is not None:
        return moved, "yes-no" if form.kind == "yes-no" else "choice"
    if asks_times(form):
        return None, form.kind
    if asks_difference(form):
        return difference(form, read), "choice"
    if form.kind == "yes-no" and (ordered := clauses_in_order(form, read)) is not None:
        return ordered, "yes-no"
    if form.kind == "open":  # an age is computed, as what is to be chosen is
        return age_at_death(question, read), "choice"
    compared = compare(question, form, read)
    if compared is None or compared.score < 1:
        compared = came_first(form, read) or compared
    return compared, form.kind


def told_by_a_table(question: str, form: QuestionForm, read: ReadEvidence) -> Finding | None:
    """Return what a whole table tells, of which the evidence has rows, or else what the fields of
    all documents do: how many, which is the largest, what they sum to; None where nothing of this
    is asked for, or told for sure.
    """
    asked = asked_of_a_table(form, parsed_question(question, read))
    if asked is None:
        return None
    told = answer_of_tables(asked, read.tables())
    told = told or answer_of_tables(asked, read.tables_of_fields())
    if told is None:
        return None
    carriers = read.read_rows(told.rows[:MOST_QUOTED], question, told.basis)
    step = {"asked": question, "found": told.short, "table": told.basis}
    left = len(told.rows) > MOST_QUOTED
    basis = f"{told.basis} The first {MOST_QUOTED} of them are quoted." if left else told.basis
    return Finding(
        told.short,
        "table",
        {},
        tuple(carriers),
        (step,),
        items=told.items,
        basis=basis,
        sure=OF_TABLE,
    )


def taken_apart(question: str, form: QuestionForm, read: ReadEvidence) -> Finding | None:
    """Return what is found where each part of the question is asked for by itself."""
    chains = answer_chains(question, read)
    if not chains:
        return None
    best = _first_named(chains)
    assert best.form is not None
    found = _finding(form, best, read.view)
    more = found.by == "about" or (best.form.several and not found.items)
    if more and read.look_further(best.question):
        found = _finding(form, best, read.view)
    return found


def led_finding(question: str, form: QuestionForm, read: ReadEvidence) -> Finding | None:
    """Return the best answer that is read beside sentences of other passages, which may tell what
    the question describes; None where there is none.
    """
    (vector,) = read.embedded([question])
    best = read_led(Asked(form, vector, (normalise_name(question),)), read.view)
    if best is None:
        return None
    told = _finding(form, Chain(question, answer=best.answer, form=form), read.view)
    carriers = tuple(dict.fromkeys((*told.carriers, *best.joined)))
    beside = [read.view.sentences[place].parse.text for place in best.leads]
    step = {"asked": question, "beside": beside, "found": told.short}
    values = {**told.values, "held": best.held}
    return replace(told, kind="led", values=values, carriers=carriers, steps=(step,))


def surer(apart: Finding, led: Finding) -> Finding:
    """Return the surer one of what was found by taking the question apart and what was read beside
    sentences that lead there."""
    return max(checked(apart, led), key=lambda found: found.confidence)


def checked(apart: Finding, led: Finding) -> tuple[Finding, Finding]:
    """Return both as they are once the other is known: either is surer where they agree."""
    odds = {one.kind: log_odds(one.kind, one.values) for one in (apart, led)}
    one, other = f" {normalise_name(apart.short)} ", f" {normalise_name(led.short)} "
    known = {**odds, "agrees": float(one in other or other in one)}
    return (
        replace(apart, values={**apart.values, **known}),
        replace(led, values={**led.values, **known}),
    )


def _of_other(form: QuestionForm, carriers: Sequence[int], view: EvidenceView) -> bool:
    """Say whether it is asked for as it is now, or as it is not, and no sentence says this; or
    whether none, and no passage of theirs, has any of the names in the question. Of what has a
    document of its own only the sentences of one passage count: it stands beside others there.
    """
    said = [view.sentences[index].parse.text for index in carriers]
    question = _CONDITION.sub("", form.text)
    for words in (BY_NOW, DENIED):
        if words.search(question) is not None and not any(map(words.search, said)):
            return True
    carrying = [view.sentences[index] for index in carriers]
    here = unowned("".join(f" {one.context_key} {one.key} " for one in carrying))
    passages = {one.chunk for one in carrying}
    around = unowned("".join(view.passages[number] for number in passages))
    titles = {one.title_key for one in view.sentences} if len(passages) == 1 else set()
    names = things_named(form)
    named = any(
        f" {name} " in here
        if name in titles
        else f" {name.split()[-1]} " in around or held_otherwise(name, around)
        for name in names
    )
    return bool(names) and not named


def _first_named(chains: Sequence[Chain]) -> Chain:
    """Return the best way to an answer; where several things are asked for, the best to one of
    them, not to how many or what they are, "three children", or to a thing of another kind.
    """
    return next((chain for chain in chains if _is_a_thing(chain)), chains[0])


def _is_a_thing(chain: Chain) -> bool:
    assert chain.form is not None
    assert chain.answer is not None
    form, one = chain.form, chain.answer.candidate
    if not form.several:
        return True
    if clashes(form, one):
        return False
    counted = one.label in {COUNT, "CARDINAL"}
    numbered = any(map(str.isdigit, one.key))  # "bays 21 to 24"
    kin = not numbered and form.kin & {stem(word.removesuffix("s")) for word in one.key.split()}
    wants_names = bool(form.classes & NAMED_CLASSES)
    return one.text[:1].isupper() or not (counted or kin or (wants_names and not numbered))


def _finding(form: QuestionForm, best: Chain, view: EvidenceView) -> Finding:
    assert best.answer is not None
    assert best.form is not None
    things = things_asked_for(best.form, best.answer.candidate, view)
    items = things.items
    carriers = [items[0].sentence, *([items[0].by] if items[0].by >= 0 else [])]
    carriers += [step.found.candidate.sentence for step in reversed(best.steps)]
    carriers += [item.sentence for item in items[1:MOST_QUOTED]]
    whole = best.answer.candidate
    kind = "row" if whole.told else "open" if things.by == "reader" else "list"
    # the items of a list share what is likely among them
    ways = [step.found for step in best.steps] if kind == "list" else best.found
    values = {
        **dict(zip(FEATURES, best.answer.features, strict=True)),
        "score": best.score,
        "told": whole.told,
        "called": whole.called,
        "probability": best.answer.probability,
        "least_probability": min((found.probability for found in ways), default=1.0),
        "steps": float(len(best.steps)),
        "unresolved": float(best.unresolved),
        "weakest": min(found.span for found in best.found),
        "coverage": view.covered(form.words, carriers),
        "names": names_found(form, view),
        "defined": float(_defines(best.form, whole) or _spells_out(form, whole)),
        **_told_of(best, view),
    }
    asked = [(step.asked, step.found) for step in best.steps] + [(best.question, best.answer)]
    steps = tuple({"asked": text, "found": found.candidate.text} for text, found in asked)
    texts = tuple(item.text for item in items)
    return Finding(
        _bare(whole.text, form) if all(whole.holds(one) for one in items) else listed(texts),
        kind,
        values,
        tuple(dict.fromkeys(carriers)),
        steps,
        items=texts if len(texts) > 1 else (),
        by=things.by,
    )


def _bare(text: str, form: QuestionForm) -> str:
    """Leave out the noun that is asked for where it stands before what is copied: "flag --dry-run"
    of "which flag"."""
    noun, _, rest = text.partition(" ")
    return rest if stem(noun.casefold()) in form.kin and COPIED.fullmatch(rest) else text


def _defines(form: QuestionForm, answer: Candidate) -> bool:
    """Say whether it is told what the very thing is that the question wants to be told of."""
    return answer.label == DEFINITION and bool(form.defined) and answer.of == form.defined


def _spells_out(form: QuestionForm, answer: Candidate) -> bool:
    """Say whether it is told what a short form that the question names stands for."""
    named = answer.label == DEFINITION and answer.of in form.names
    return named and spells_out(answer.of, answer.key)


def _told_of(chain: Chain, view: EvidenceView) -> dict[str, float]:
    """How much of what is asked last, beside names, the answer's sentence and its passage say."""
    assert chain.answer is not None
    assert chain.form is not None
    asked = chain.form.unnamed
    here = chain.answer.candidate.sentence
    passage = view.sentences[here].chunk
    around = [i for i, sentence in enumerate(view.sentences) if sentence.chunk == passage]
    return {
        "nothing_asked": float(not asked),
        "told_here": view.covered(asked, [here]),
        "told_around": view.covered(asked, around),
    }
