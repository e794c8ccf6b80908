"""How something is done, and yes or no, as what stands under a heading tells it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.answering.found import CHANGED, DEFINED, OF_SECTION, SECTION, Finding
from clew.answering.readers import ANSWER_THRESHOLD
from clew.comprehension.chains import parsed_question
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.sections import (
    Section,
    asks_how,
    nearest_section,
    section_asked_for,
    steps_of,
    with_reason,
    yes_or_no,
)


def told_in_a_section(question: str, form: QuestionForm, read: ReadEvidence) -> Finding | None:
    """Return how something is done, or yes or no, where a heading asks what is asked."""
    how, view = asks_how(form), read.view
    if not how and form.kind != "yes-no":
        return None
    section = section_asked_for(parsed_question(question, read), view)
    if section is None:
        return None
    if not how:
        short = yes_or_no(view.sentences[section.body[0]].parse.text)
        heading = view.sentences[section.heading].parse.text
        told = Finding(
            short,
            SECTION,
            {},
            with_reason(section.body[0], view),
            ({"asked": heading, "found": short},),
            sure=OF_SECTION,
        )
        return told if short else None
    return _steps(section, view, OF_SECTION)


def in_steps(found: Finding, asked: NDArray[np.float32], view: EvidenceView) -> Finding:
    """Return the section that tells how something is done, where a phrase of it was found: the one
    that is nearest to the question (``asked``: its vector). It is surer where that is the one of
    the phrase, and possible at most where it is not.
    """
    nearest = nearest_section(asked, view)
    if nearest is None:
        return found
    sure = found.confidence
    if found.carriers[0] not in nearest.body:
        sure = min(sure, CHANGED)
    elif sure >= ANSWER_THRESHOLD:
        sure = max(sure, DEFINED)
    return _steps(nearest, view, sure, found.steps)


def _steps(
    section: Section, view: EvidenceView, sure: float, steps: tuple[dict[str, Any], ...] = ()
) -> Finding:
    heading = view.sentences[section.heading].parse.text
    short = " ".join(view.sentences[at].parse.text for at in section.body)
    return Finding(
        short,
        SECTION,
        {},
        section.body,
        (*steps, {"asked": heading, "found": short}),
        items=steps_of(section, view),
        basis=f"Under “{heading}”:",
        sure=sure,
    )
