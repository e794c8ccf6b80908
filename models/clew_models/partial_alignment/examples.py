"""What the encoders learn from (KA-2), without torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AlignedQuestion:
    """A question and what it names: ``unit``, the text of the partial triple that it was made from,
    and ``elements``, the texts of the elements that it names. ``related``: partial triples and
    elements that are no negatives of it.
    """

    question: str
    unit: str
    elements: tuple[str, ...]
    related: tuple[str, ...] = ()


def partial_text(first: str, second: str) -> str:
    """Return the text of two elements together, e¹ ⊕ e² (Eq. 3)."""
    return f"{first} {second}"


def partial_texts(head: str, relation: str, tail: str) -> tuple[str, str, str]:
    """Return the texts of U(τ) = {(h, r), (r, t), (h, t)} (KA-1; Eq. 1)."""
    return (
        partial_text(head, relation),
        partial_text(relation, tail),
        partial_text(head, tail),
    )
