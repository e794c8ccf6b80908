"""The files of trained weights: read whole, or one error that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew_models.errors import ModelNotInstalled


@contextmanager
def version_files(what: str, folder: Path, remedy: str) -> Iterator[None]:
    """Raise ModelNotInstalled for what is raised where ``what`` ("adapter") is not, or not whole.

    Files are missing; a copy was cut off, for which JSON and safetensors each have an error of
    their own; weights are another model's, for which whoever takes them raises a ValueError. Not
    PyTorch's RuntimeError: memory that is missing says nothing about the files.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ModelNotInstalled(
            f"There is no {what} in {folder}, or it is damaged: {error}", remedy=remedy
        ) from error
