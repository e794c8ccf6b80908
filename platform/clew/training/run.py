"""A training run of any method, from its examples to a version that may serve.

    examples ─▶ measure before ─▶ learn ─▶ measure after ─▶ measure what serves ─▶ promote

All that a run needs to go on lies in its folder: the request, the examples, the figures, and what
the method keeps. One that was interrupted is found again by its request; no stage is done twice.
"""

import fcntl
import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import CLEW_ERRORS, InvalidRequest, JobStopped, RunsElsewhere
from clew.resources import versions
from clew.resources.versions import new_version_folder, write_manifest, write_whole
from clew.results.training import CurvePoint, ModelVersion, TrainedModel, TrainingProgress
from clew.strategies.learning.training import (
    FEWEST,
    Examples,
    Learned,
    Record,
    Training,
    TrainingRun,
)
from clew.training.curve import PICTURE, add_point, read_curve, write_curve
from clew.training.request import (
    AFTER,
    BEFORE,
    DONE,
    EXAMPLES,
    LEARN,
    SERVING,
    TrainingRequest,
    checked_options,
    training_of,
)
from clew.training.serving import described, promoted, promotion
from clew_cypher.corpora import Corpus, get_corpus
from clew_cypher.errors import UnknownCorpus

if TYPE_CHECKING:
    from clew.resources.resources import Resources

REQUEST, ENDED, TOKEN = "request.json", "ended.json", "token"
LEARNED_FROM, HELD_OUT, SOURCE = "examples.jsonl", "held_out.jsonl", "source.json"
MEASURED, LEARNED = "measured.json", "learned.json"

Tell = Callable[[TrainingProgress], None]


def run_training(
    resources: "Resources",
    request: TrainingRequest,
    tell: Tell = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
    token: str = "",
) -> ModelVersion:
    """Do a training, or go on with the same one where it was interrupted; return the version.

    ``token``: names this run; one that ended is not done again. Raises UnknownCorpus,
    InvalidDataSet, InvalidRequest (too few examples), RunsElsewhere, JobStopped.
    """
    options = checked_options(request)
    corpus = get_corpus(resources.store, request.corpus)
    training = training_of(request.method)
    ended = _ended(resources, request, token)
    if ended is not None:
        return described(resources, ended)
    folder = _folder(resources, training, request, corpus, options.model_dump(mode="json"))
    with _alone(folder):
        (folder / TOKEN).write_text(token)
        return _Run(resources, training, request, corpus, options, folder, tell, cancelled).whole()


class _Run:
    """The stages of one run; each is done once, however often it begins."""

    def __init__(
        self,
        resources: "Resources",
        training: Training,
        request: TrainingRequest,
        corpus: Corpus,
        options: Any,
        folder: Path,
        tell: Tell,
        cancelled: Callable[[], bool],
    ) -> None:
        self._resources = resources
        self._training = training
        self._request = request
        self._corpus = corpus
        self._folder = folder
        self._tell = tell
        self._cancelled = cancelled
        self._progress = TrainingProgress(version=folder.name, stage=EXAMPLES)
        self._run = TrainingRun(
            resources,
            corpus.name,
            folder,
            options,
            tell=self._advance,
            point=self._point,
            cancelled=cancelled,
        )

    def whole(self) -> ModelVersion:
        """Do what is left of the run."""
        method, settings = self._request.method, self._resources.settings
        base = self._training.base_model(settings)
        examples = self._examples()
        held_out = examples.held_out
        before = self._measured(BEFORE, "before", held_out, None)
        learned = self._learn(examples)
        after = self._measured(AFTER, "after", held_out, self._folder)
        owner = None if self._training.general else self._corpus.name
        rival, serving = None, None
        # another may have come to serve since the run began, or while one is measured
        while (now := versions.serving(settings, method, owner, base)) != rival:
            rival = now
            serving = (
                self._measured(SERVING, now.model.version, held_out, now.folder) if now else None
            )
        better, why = promotion(
            self._training.deciding,
            after,
            serving or before,
            rival.model.version if rival else None,
        )
        if owner is not None and not self._corpus_is_the_same():
            better, why = False, "It does not serve: its corpus was deleted while it was trained."
        points = read_curve(self._folder)
        write_curve(
            points, self._folder / PICTURE, f"{method} {self._folder.name}", self._training.loss
        )
        figures: dict[str, Any] = {"before": before, "after": after}
        if rival is not None and serving is not None:
            figures["serving"] = {"version": rival.model.version, **serving}
        losses = [point.loss for point in points if point.held_out]
        write_manifest(
            self._folder,
            TrainedModel(
                kind=method,
                version=self._folder.name,
                base_model=base,
                created_at=datetime.now(UTC).isoformat(timespec="seconds"),
                data={
                    "corpus": self._corpus.name,
                    "corpus_created_at": self._corpus.created_at,
                    "examples": learned.examples,
                    "left_out": learned.left_out,
                    "held_out": len(held_out),
                    "fingerprint": _fingerprint(examples.learned),
                    **examples.source,
                },
                options=dict(learned.options),
                figures={
                    **figures,
                    "held_out_loss": losses[-1] if losses else None,
                    "seconds": round(learned.seconds),
                    "promotion": why,
                },
                general=self._training.general,
            ),
        )
        version = promoted(self._resources, method, self._folder, better)
        (self._folder / REQUEST).replace(self._folder / ENDED)
        self._stage(DONE)
        return version

    def _corpus_is_the_same(self) -> bool:
        try:
            now = get_corpus(self._resources.store, self._corpus.name)
        except UnknownCorpus:
            return False
        return now.created_at == self._corpus.created_at

    def _examples(self) -> Examples:
        kept = self._folder / SOURCE
        if kept.exists():
            return Examples(
                _read(self._folder / LEARNED_FROM),
                _read(self._folder / HELD_OUT),
                json.loads(kept.read_text(encoding="utf-8")),
            )
        self._stage(EXAMPLES)
        try:
            run = self._run
            source: dict[str, Any] = {"revision": self._corpus.revision}
            if self._request.data_set is not None:
                from clew.evaluation.data_sets.loading import fingerprint, load_data_set

                data_set = load_data_set(self._request.data_set)
                run = replace(run, data_set=data_set)
                source["data_set"] = data_set.name
                source["data_set_fingerprint"] = fingerprint(data_set)
            made = self._training.examples(run)
            if len(made.learned) < FEWEST:
                raise InvalidRequest(
                    f"The corpus {self._corpus.name!r} makes {len(made.learned)} examples; it "
                    f"takes {FEWEST}.",
                    remedy="Ingest more documents.",
                )
        except CLEW_ERRORS as error:
            if not isinstance(error, JobStopped):
                shutil.rmtree(self._folder)
            raise
        made = replace(made, source={**source, **made.source})
        _write(self._folder / LEARNED_FROM, made.learned)
        _write(self._folder / HELD_OUT, made.held_out)
        write_whole(self._folder / SOURCE, json.dumps(made.source, indent=1) + "\n")
        return made

    def _measured(
        self, stage: str, who: str, held_out: Sequence[Record], folder: Path | None
    ) -> dict[str, float]:
        path = self._folder / MEASURED
        known = json.loads(path.read_text()) if path.exists() else {}
        if who not in known:
            self._stage(stage)
            figures = self._training.measure(self._run, held_out, folder)
            known[who] = {"questions": len(held_out), **figures}
            write_whole(path, json.dumps(known, indent=1) + "\n")
        found: dict[str, float] = known[who]
        return found

    def _learn(self, examples: Examples) -> Learned:
        path = self._folder / LEARNED
        if path.exists():
            return Learned(**json.loads(path.read_text()))
        self._stage(LEARN)
        learned = self._training.train(self._run, examples.learned, examples.held_out)
        write_whole(path, json.dumps(learned.__dict__, indent=1) + "\n")
        return learned

    def _stage(self, stage: str) -> None:
        self._progress = self._progress.model_copy(update={"stage": stage, "done": 0, "total": 0})
        self._tell(self._progress)
        if stage != DONE:
            self._stop_if_told()

    def _advance(self, done: int, total: int) -> None:
        self._progress = self._progress.model_copy(update={"done": done, "total": total})
        self._tell(self._progress)
        if self._progress.stage != LEARN:  # there the method stops where it can go on
            self._stop_if_told()

    def _point(self, point: CurvePoint) -> None:
        if not math.isfinite(point.loss):  # of a training that diverged; nothing to draw or to keep
            return
        add_point(self._folder, point)
        name = "held_out_loss" if point.held_out else "loss"
        self._progress = self._progress.model_copy(update={name: point.loss})
        self._tell(self._progress)

    def _stop_if_told(self) -> None:
        if self._cancelled():
            raise self._run.stopped()


def _ended(resources: "Resources", request: TrainingRequest, token: str) -> versions.Version | None:
    for one in versions.versions(resources.settings, request.method) if token else ():
        path = one.folder / TOKEN
        if (one.folder / ENDED).exists() and path.exists() and path.read_text() == token:
            return one
    return None


def _folder(
    resources: "Resources",
    training: Training,
    request: TrainingRequest,
    corpus: Corpus,
    options: dict[str, Any],
) -> Path:
    """Return the folder of the unfinished run of this request, or a new one."""
    settings = resources.settings
    asked = json.dumps(
        {
            **request.model_dump(mode="json"),
            "options": options,
            "corpus_created_at": corpus.created_at,
            "base_model": training.base_model(settings),
        },
        sort_keys=True,
    )
    owner = None if training.general else corpus.name
    home = versions.corpus_folder(settings.home, request.method, owner)
    for known in sorted(home.glob(f"*/{REQUEST}"), reverse=True):
        if known.read_text() == asked:
            return known.parent
    folder = new_version_folder(settings, request.method, owner)
    (folder / REQUEST).write_text(asked)
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep a second process from the same run; a process that died keeps nobody."""
    with (folder / "lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunsElsewhere(
                f"The same training runs already, as version {folder.name}.",
                remedy="`clew jobs` shows it; wait for it, or cancel it.",
            ) from error
        yield


def _fingerprint(examples: Sequence[Record]) -> str:
    """Name examples by their content."""
    return hashlib.sha256(_text(examples).encode()).hexdigest()[:16]


def _text(examples: Sequence[Record]) -> str:
    return "".join(json.dumps(example, ensure_ascii=False) + "\n" for example in examples)


def _write(path: Path, examples: Sequence[Record]) -> None:
    path.write_text(_text(examples), encoding="utf-8")


def _read(path: Path) -> list[Record]:
    with path.open(encoding="utf-8") as lines:  # str.splitlines() would break lines within texts
        return [json.loads(line) for line in lines]
