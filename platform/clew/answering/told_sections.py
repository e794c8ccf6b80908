"""How something is done, and yes or no, as what stands under a heading tells it."""

import re

from clew.answering.found import OF_SECTION, OF_SENTENCE, SECTION, VERDICT, Finding
from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.section_ranking import likeliest_section
from clew.comprehension.sections import (
    continued,
    denies,
    section_asked_for,
    steps_of,
    with_reason,
    yes_or_no,
)
from clew.comprehension.verdicts import likeliest_verdict
from clew.comprehension.yes_no import told_by_a_sentence

TELLS = 0.07
"""A tenth of the log-odds, the least, that what begins by "Yes, …" tells what is asked: twice as
likely as not."""
CERTAIN = 0.15
"""A tenth of the log-odds of yes against no, the least, that stand against "Yes, …"."""
_TRUE = re.compile(r"\b(?:true|right|correct) that\b", re.IGNORECASE)


def yes_or_no_told(asked: AnnotatedSentence, view: EvidenceView) -> Finding | None:
    """Return yes or no, where a heading asks what is asked, and what stands there begins so."""
    section = section_asked_for(asked, view)
    if section is None:
        return None
    short = yes_or_no(view.sentences[section.body[0]].parse.text)
    heading = view.sentences[section.heading].parse.text
    carriers = with_reason(section.body[0], view)
    steps = ({"asked": heading, "found": short},)
    return Finding(short, SECTION, {}, carriers, steps, sure=OF_SECTION) if short else None


def told_by_a_rule(question: str, asked: AnnotatedSentence, view: EvidenceView) -> Finding | None:
    """Return yes or no, where one sentence says nearly all that is asked; None where none does."""
    said = told_by_a_sentence(asked, view)
    if said is None:
        return None
    short, place = said
    step = {"asked": question, "found": short}
    return Finding(short, "yes-no", {}, with_reason(place, view), (step,), sure=OF_SENTENCE)


def told_by_a_verdict(
    question: str, asked: AnnotatedSentence, form: QuestionForm, read: ReadEvidence
) -> Finding | None:
    """Return yes or no, as the sentence tells it that is likeliest to; None where there is none.
    What answers a question above it by "Yes, …" says so itself, unless that question is put the
    other way round. "Can I not …?" may be answered either way, and is not.
    """
    found = likeliest_verdict(question, form, read)
    if found is None:
        return None
    verdict, values = found
    short, begun = "yes" if verdict.yes > 0 else "no", verdict.stretch.begun
    if begun != short and values["certain"] >= CERTAIN:
        begun = ""  # "No, in parts, too." of "Must I pay at once?"
    short = begun or short
    step = {"asked": question, "found": short}
    sure = OF_SENTENCE if begun and values["told"] >= TELLS else None
    if denies(asked) and not _TRUE.search(asked.text):
        sure = 0.0
    return Finding(short, VERDICT, values, verdict.stretch.places, (step,), sure=sure)


def told_in_steps(
    question: str, asked: AnnotatedSentence, form: QuestionForm, read: ReadEvidence
) -> Finding | None:
    """Return how something is done: the section that is likeliest to tell it; None where the
    evidence has no sentence.
    """
    found = likeliest_section(question, asked, form, read)
    if found is None:
        return None
    section, values = found
    section = continued(section, read)
    texts = [read.view.sentences[at].parse.text for at in section.body]
    first = read.view.sentences[section.body[0]]
    heading = read.view.sentences[section.heading].parse.text if section.heading >= 0 else ""
    name = heading or first.above or first.title
    short = " ".join(texts)
    return Finding(
        short,
        SECTION,
        values,
        section.body,
        ({"asked": name, "found": short},),
        items=steps_of(texts),
        basis=f"Under “{name}”:",
    )
