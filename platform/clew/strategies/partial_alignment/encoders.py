"""Which encoders compare: the version that serves a corpus, one of a directory, or the embedder."""

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.strategies.partial_alignment.options import AlignmentOptions
from clew.strategies.partial_alignment.spec import SPEC
from clew_models.devices import device_of, module_bytes, module_device, use_threads

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings
    from clew_models.embedding import Embedder
    from clew_models.partial_alignment.towers import Towers

INPUTS = "partial-1"
"""How partial triples are written: a version for another form does not serve."""
UNTRAINED = "untrained"


class Encoders(Protocol):
    """ENC_q and ENC_u. ``identity``: two of one identity give the same vectors; ``folder``: of the
    version, None for the embedder."""

    identity: str
    folder: Path | None

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] of unit length."""
        ...

    def units(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] of unit length."""
        ...


class EmbedderEncoders:
    """Both encoders are the embedder, as a training finds them."""

    def __init__(self, embedder: "Embedder") -> None:
        self.identity = f"{UNTRAINED} {embedder.name}"
        self.folder: Path | None = None
        self._embedder = embedder

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] of unit length."""
        return self._embedder.embed(texts)

    def units(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] of unit length."""
        return self._embedder.embed(texts)


class TrainedEncoders:
    """The two encoders of a version."""

    def __init__(self, towers: "Towers", folder: Path) -> None:
        self.identity = version_identity(folder)
        self.folder: Path | None = folder
        self.towers = towers
        self._lock = threading.Lock()  # torch's number of threads is one a process

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] of unit length."""
        with self._lock:
            return self.towers.embed(texts, "question")

    def units(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] of unit length."""
        with self._lock:
            return self.towers.embed(texts, "unit")


def version_identity(folder: Path) -> str:
    """Return what names the vectors of a version: its folder, which may come to hold others, and a
    digest of its weights. Raises OSError where it has none.
    """
    from clew_models.partial_alignment.towers import WEIGHTS

    digest = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()[:12]
    return f"{folder.resolve()} {digest}"


def base_model(settings: "Settings") -> str:
    """Return what a version is for: the embedder that its encoders began as, and the texts."""
    return f"{settings.embedder} {INPUTS}"


def serving_folder(resources: "Resources", corpus: str) -> Path | None:
    """Return the folder of the version that the settings choose; None for the embedder itself."""
    options = resources.settings.options(AlignmentOptions)
    if options.version == UNTRAINED:
        return None
    if options.version == "default":
        return resources.serving_version(SPEC.name, corpus, base_model(resources.settings))
    return Path(options.version).expanduser()


def serving_encoders(resources: "Resources", corpus: str) -> Encoders:
    """Return the encoders that compare for a corpus; loaded once a process.

    Raises ModelNotInstalled where the settings name a directory without a version.
    """
    return encoders_of(resources, serving_folder(resources, corpus))


def encoders_of(resources: "Resources", folder: Path | None) -> Encoders:
    """Return the encoders of a version, or of the embedder; raises as ``serving_encoders``."""
    if folder is None:
        return EmbedderEncoders(resources.embedder)
    options = resources.settings.options(AlignmentOptions)
    device = device_of(options.device)

    def load() -> TrainedEncoders:
        from clew_models.partial_alignment.towers import load_towers

        if device == "cpu":
            use_threads(options.threads)
        return TrainedEncoders(load_towers(folder, device), folder)

    return resources.models.get(
        (SPEC.name, str(folder)),
        load,
        name=f"{SPEC.name}, {folder.name}",
        kind=SPEC.name,
        device=lambda encoders: module_device(encoders.towers),
        size=lambda encoders: module_bytes(encoders.towers),
    )
