"""Which version serves: what a new one must measure, promotion by hand, roll back, staleness."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest, RuntimeNotRunning
from clew.indexing.corpora import chosen_name
from clew.resources import versions
from clew.resources.versions import Version, find_version
from clew.results.training import ModelDetail, ModelVersion, TrainingFigure
from clew.strategies.catalogue import learner_of, trainable
from clew.strategies.learning.training import Training
from clew.training.curve import draw_curve, read_curve
from clew.training.request import training_of
from clew_cypher.corpora import get_corpus
from clew_cypher.errors import UnknownCorpus

if TYPE_CHECKING:
    from clew.resources.resources import Resources


def promotion(
    figure: TrainingFigure,
    new: Mapping[str, float],
    old: Mapping[str, float],
    version: str | None,
) -> tuple[bool, str]:
    """Return whether a new version serves by itself, and why: not where it measured worse than the
    old one (``version``; None: the base model) by the figure that decides.
    """
    gained = new[figure.name] - old[figure.name]
    better = gained >= 0 if figure.higher_is_better else gained <= 0
    than = f"version {version}, which served" if version else "the base model"
    verb = "It serves: no worse than" if better else "It does not serve: worse than"
    return better, (
        f"{verb} {than} ({figure.words}: {shown(figure, new)}, before {shown(figure, old)})."
    )


def shown(figure: TrainingFigure, figures: Mapping[str, float]) -> str:
    """Return a figure as people read it; "–" where it was not measured."""
    value = figures.get(figure.name)
    if value is None:
        return "–"
    return f"{value:.0%}" if figure.share else f"{value:.3g}"


def promoted(resources: "Resources", method: str, folder: Path, better: bool) -> ModelVersion:
    """Let a version that was just trained serve, or keep it beside the one that does."""
    settings = resources.settings
    version = find_version(settings, method, folder.name)
    if better:
        versions.choose(settings, method, version.corpus, version.model.version)
    elif versions.pointer(settings, method, version.corpus) is None:
        base = version.model.base_model
        kept = versions.serving(settings, method, version.corpus, base)
        own = kept is not None and kept.corpus == version.corpus and not kept.shipped
        name = kept.model.version if kept is not None and own else None
        versions.choose(settings, method, version.corpus, name)
    return described(resources, version)


def promote(resources: "Resources", method: str, name: str, corpus: str | None) -> ModelVersion:
    """Let a version serve, whatever it measured. ``corpus``: which one; None: its own.

    Raises UnknownStrategy, UnknownModelVersion; InvalidRequest for another corpus than its own, for
    any where the method's versions serve all, where its corpus was deleted, or where the settings
    name another base model.
    """
    training = training_of(method)
    _check_owner(method, training, corpus)
    version = find_version(resources.settings, method, name)
    target = corpus if version.corpus is None else version.corpus
    if version.corpus is not None and corpus not in (None, version.corpus):
        raise InvalidRequest(
            f"Version {name} was trained on {version.corpus!r} and serves no other corpus.",
            remedy=f"Train one on it: `clew train {method} --corpus {corpus}`.",
        )
    if version.corpus is not None and _moved_on(resources, version)[1]:
        raise InvalidRequest(
            f"The corpus {version.corpus!r} that version {name} was trained on was deleted.",
            remedy="One of that name is another one: train a version on it.",
        )
    base = training.base_model(resources.settings)
    if version.model.base_model != base:
        raise InvalidRequest(
            f"Version {name} belongs to the model {version.model.base_model}, not to {base}.",
            remedy="Set the method's model to that one, or train a version of this one.",
        )
    versions.choose(resources.settings, method, target, name)
    return described(resources, version)


def roll_back(resources: "Resources", method: str, corpus: str | None) -> ModelVersion | None:
    """Let the version serve that did before; return the one that serves now, None for the base
    model. ``corpus``: None for that of the settings, or for all where versions serve all.

    Raises UnknownStrategy; InvalidRequest where nothing served before, and as ``promote``.
    """
    training = training_of(method)
    _check_owner(method, training, corpus)
    owner = None if training.general else chosen_name(resources.settings, corpus)
    gone = {
        one.model.version
        for one in versions.versions(resources.settings, method)
        if owner is not None and one.corpus == owner and _moved_on(resources, one)[1]
    }
    versions.step_back(resources.settings, method, owner, gone)
    base = training.base_model(resources.settings)
    serves = versions.serving(resources.settings, method, owner, base)
    return described(resources, serves, owner) if serves else None


def _check_owner(method: str, training: Training, corpus: str | None) -> None:
    if training.general and corpus is not None:
        raise InvalidRequest(
            f"A version of {method} serves every corpus, none alone.",
            remedy="Leave the corpus out.",
        )


def trained_models(
    resources: "Resources", method: str | None = None, corpus: str | None = None
) -> list[ModelVersion]:
    """Return the versions of a method (None: of all), newest first; of a corpus, those that may
    answer its questions. Raises UnknownStrategy.
    """
    if method is not None:
        learner_of(method)
    methods = [method] if method else [one.name for one in trainable()]
    found = [
        described(resources, one, corpus)
        for name in methods
        for one in versions.versions(resources.settings, name)
        if corpus is None or one.corpus in (corpus, None)
    ]
    # a corpus of the name of one that was deleted is another one
    return [one for one in found if corpus is None or one.corpus is None or not one.corpus_deleted]


def trained_model(resources: "Resources", method: str, name: str) -> ModelDetail:
    """Return a version with its curve. Raises UnknownStrategy, UnknownModelVersion."""
    training_of(method)
    version = find_version(resources.settings, method, name)
    kept = described(resources, version).model_dump()
    return ModelDetail(**kept, curve=read_curve(version.folder))


def curve_picture(resources: "Resources", method: str, name: str) -> str:
    """Return the curve of a version as SVG, also of one that is being trained.

    Raises UnknownStrategy, UnknownModelVersion.
    """
    training = training_of(method)
    begun = (resources.settings.home / "models" / method).glob("*/*/request.json")
    folder = next((path.parent for path in begun if path.parent.name == name), None)
    if folder is None:
        folder = find_version(resources.settings, method, name).folder
    return draw_curve(read_curve(folder), f"{method} {name}", training.loss)


def described(resources: "Resources", version: Version, corpus: str | None = None) -> ModelVersion:
    """Return a version as users see it; ``corpus``: whether it serves that one (None: its own)."""
    model, settings = version.model, resources.settings
    training = training_of(model.kind)
    owner = version.corpus if version.corpus is not None else corpus
    serves = versions.serving(settings, model.kind, owner, training.base_model(settings))
    stale, deleted = _moved_on(resources, version)
    return ModelVersion(
        **model.model_dump(),
        corpus=version.corpus,
        shipped=version.shipped,
        serves=serves is not None and serves.folder == version.folder,
        stale=stale,
        corpus_deleted=deleted,
        promotion=model.figures.get("promotion", ""),
        folder=str(version.folder),
        decides=training.deciding,
        shown=training.figures,
    )


def _moved_on(resources: "Resources", version: Version) -> tuple[str | None, bool]:
    """Return in what way the corpus of a version moved on, and whether it was deleted.

    A general version is about no corpus, but was trained on one.
    """
    data = version.model.data
    name = None if version.shipped else data.get("corpus")
    if name is None:
        return None, False
    stale, deleted = None, False
    try:
        corpus = get_corpus(resources.store, str(name))
    except UnknownCorpus:
        stale, deleted = "Its corpus is gone.", True
    except RuntimeNotRunning:
        stale = "Whether its corpus moved on cannot be said: the graph does not run."
    else:
        if data.get("corpus_created_at", corpus.created_at) != corpus.created_at:
            stale, deleted = "Its corpus was deleted; this is another one of the same name.", True
        elif data.get("revision") != corpus.revision:
            stale = (
                f"Its corpus moved on: trained at revision {data.get('revision')}, it is at "
                f"{corpus.revision} now."
            )
    return None if version.corpus is None else stale, deleted
