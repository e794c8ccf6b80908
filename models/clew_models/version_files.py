"""The files of trained weights: read whole, or one error that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew_models.errors import ModelNotInstalled


@contextmanager
def version_files(what: str, folder: Path, remedy: str) -> Iterator[None]:
    """Raise ModelNotInstalled for whatever is raised while ``what`` ("adapter") is read.

    Where nothing is, files are missing; where a copy was cut off, JSON and safetensors each have
    an error of their own; where weights are another model's, PyTorch has a RuntimeError. Nothing
    but reading belongs within: memory that is not there is a RuntimeError too.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise ModelNotInstalled(
            f"There is no {what} in {folder}, or it is damaged: {error}", remedy=remedy
        ) from error
