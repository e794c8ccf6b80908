"""The part of the fake facade that trains: checks as the real one does, learns nothing."""

from typing import Any

from clew.errors import InvalidRequest, UnknownModelVersion
from clew.results.job import Job
from clew.results.training import CurvePoint, ModelDetail, ModelVersion
from clew.strategies.catalogue import spec_of, trainable
from clew.training.curve import draw_curve
from clew.training.request import TrainingRequest, checked_options, training_of

from .fake_bench import WHEN, add_job

METHOD = trainable()[0].name
TRAINING = training_of(METHOD)
CURVE = tuple(
    CurvePoint(step=step, loss=3.0 / step + (0.2 if held_out else 0.0), held_out=held_out)
    for step in range(1, 13)
    for held_out in (False, True)
    if not held_out or step % 4 == 0
)


def version(name: str, corpus: str | None, **changes: Any) -> ModelVersion:
    """Return a version; it measured well and serves nobody."""
    names = [figure.name for figure in TRAINING.figures]
    told: dict[str, Any] = {
        "kind": METHOD,
        "version": name,
        "base_model": "SmolLM2-135M-Instruct",
        "created_at": WHEN,
        "data": {"corpus": corpus, "revision": 3, "examples": 3641, "fingerprint": "9a4f5a7d1ae7"},
        "options": TRAINING.options().model_dump(),
        "figures": {
            "before": {"questions": 100, **dict.fromkeys(names, 0.48)},
            "after": {"questions": 100, **dict.fromkeys(names, 0.91)},
            "seconds": 1478,
        },
        "general": corpus is None,
        "corpus": corpus,
        "shipped": corpus is None,
        "serves": False,
        "stale": None,
        "folder": f"models/{METHOD}/{name}",
        "decides": TRAINING.deciding,
        "shown": TRAINING.figures,
    }
    return ModelVersion(**{**told, **changes})


class FakeModels:
    """Keeps versions; a job that was submitted stays as the test sets it."""

    calls: list[tuple[Any, ...]]
    job_list: list[Job]
    error: Exception | None
    versions: list[ModelVersion]

    def submit_training(
        self, method: str, corpus: str, *, data_set: str | None = None, **options: Any
    ) -> Job:
        checked_options(
            TrainingRequest(method=method, corpus=corpus, options=options, data_set=data_set)
        )
        self.stats(corpus)  # type: ignore[attr-defined]
        self.calls.append(("submit_training", method, corpus, data_set, options))
        return add_job(self, "train", corpus, "queued", {})  # type: ignore[arg-type]

    def trained_models(
        self, method: str | None = None, corpus: str | None = None
    ) -> list[ModelVersion]:
        if self.error is not None:
            raise self.error
        if method is not None:
            spec_of(method)
        return [
            one
            for one in self.versions
            if method in (None, one.kind) and (corpus is None or one.corpus in (corpus, None))
        ]

    def trained_model(self, method: str, version: str) -> ModelDetail:
        return ModelDetail(**self._found(method, version).model_dump(), curve=CURVE)

    def learning_curve(self, method: str, version: str) -> str:
        training_of(method)
        running = [job for job in self.job_list if job.progress.get("version") == version]
        if not running:
            self._found(method, version)
        points = CURVE[: running[0].progress["done"]] if running else CURVE
        return draw_curve(points, f"{method} {version}", TRAINING.loss)

    def promote(self, method: str, version: str, corpus: str | None = None) -> ModelVersion:
        found = self._found(method, version)
        if found.corpus is not None and corpus not in (None, found.corpus):
            raise InvalidRequest(f"{version} serves no other corpus.", remedy="Train one.")
        self.calls.append(("promote", method, version, corpus))
        self.versions = [
            one.model_copy(update={"serves": one.version == version})
            if one.corpus == found.corpus
            else one
            for one in self.versions
        ]
        return self._found(method, version)

    def roll_back(self, method: str, corpus: str | None = None) -> ModelVersion | None:
        training_of(method)
        own = [one for one in self.versions if one.corpus == corpus]
        if not own:
            raise InvalidRequest(f"No version served {corpus} before.", remedy="Train one.")
        self.calls.append(("roll_back", method, corpus))
        return self.promote(method, own[-1].version)

    def _found(self, method: str, version: str) -> ModelVersion:
        training_of(method)
        for one in self.versions:
            if (one.kind, one.version) == (method, version):
                return one
        raise UnknownModelVersion(f"There is no version {version!r}.", remedy="List them.")
