"""Words for people around what was found."""

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """Write 'a', 'a and b', 'a, b and c'."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
