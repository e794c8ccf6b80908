"""Trained models under ``models/`` in the home directory: a folder a version, with what made it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from clew.evidence import Result
from clew.settings import Settings

MANIFEST = "manifest.json"
SHIPPED = Path(__file__).parent / "shipped"
"""Adapters that come with Clew, a folder a kind."""


class TrainedModel(Result):
    """A version: what it is, what it was trained on and how, and its figures before and after.

    ``data``: where the examples are from, how many, and their fingerprint.
    """

    kind: str
    version: str
    base_model: str
    created_at: str
    data: dict[str, Any]
    options: dict[str, Any]
    figures: dict[str, Any] = Field(default_factory=dict)


def version_folder(settings: Settings, kind: str, version: str) -> Path:
    """Return where a version lies, or would."""
    return settings.home / "models" / kind / version


def new_version() -> str:
    """Return a name for a version: when it was begun."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def write_manifest(folder: Path, model: TrainedModel) -> None:
    """Write a version's manifest; from then on it counts as finished."""
    (folder / MANIFEST).write_text(model.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> TrainedModel | None:
    """Return the manifest of a folder; None where no finished version lies there."""
    try:
        return TrainedModel.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None


def _folders(settings: Settings, kind: str) -> list[Path]:
    """Return where versions lie, the newest first, and last the one that comes with Clew."""
    home = settings.home / "models" / kind
    return [*(sorted(home.iterdir(), reverse=True) if home.is_dir() else []), SHIPPED / kind]


def trained_models(settings: Settings, kind: str) -> list[TrainedModel]:
    """Return the finished versions, newest first; last the one that comes with Clew."""
    found = (read_manifest(folder) for folder in _folders(settings, kind))
    return [model for model in found if model is not None]


def newest_version(settings: Settings, kind: str, base_model: str) -> Path | None:
    """Return the folder of the newest finished version for a base model: one trained here, else
    the one that comes with Clew; None where there is none.
    """
    for folder in _folders(settings, kind):
        manifest = read_manifest(folder)
        if manifest is not None and manifest.base_model == base_model:
            return folder
    return None
