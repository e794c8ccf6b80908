"""What a strategy is, and what is known of one before it is loaded. Imports nothing heavy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

if TYPE_CHECKING:
    from clew.results.evidence import Evidence, Told

Tell = Callable[["Told"], None]
"""Called with what happens on the way, as it happens: trace steps, cards, rounds, progress. What
lasts is told again about once a second, so that it can be ended.
"""


def untold(told: "Told") -> None:
    """Let go what is told: nobody listens."""


def only_new(tell: Tell) -> Tell:
    """Return what tells on to ``tell`` all but what is told again while it lasts."""
    before: Told | None = None

    def tell_on(told: "Told") -> None:
        nonlocal before
        again, before = told == before, told
        if not again:
            tell(told)

    return tell_on


class Strategy(Protocol):
    """One way of finding evidence for a question; made of ``Resources``."""

    name: str

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> "Evidence":
        """Return at most ``k`` chunks, best first, with the trace of how they were found.

        What happens on the way is told while it does; what ``tell`` raises ends it. An empty corpus
        gives empty evidence; an unknown one raises UnknownCorpus.
        """
        ...


@dataclass(frozen=True)
class Ablation:
    """A method without one of its parts, or with it otherwise: what a part is worth.

    ``name``: its row in the table, said after the method's name ("without titles"). ``shows``: in
    one line, the part whose worth the difference to the whole method is. ``settings``: those that
    are otherwise then, by their flat names; each must be read anew at every question. ``trained``:
    a version that was trained with these settings is needed, since the one that serves was trained
    with the part: the bench says so and does not ask it. ``asks_model``: it makes a difference only
    where a language model is set, and is not asked elsewhere; ``where``: only under these settings.
    ``not_over``: backbones over which it changes nothing.
    """

    name: str
    shows: str
    settings: Mapping[str, Any]
    trained: bool = False
    asks_model: bool = False
    where: Mapping[str, Any] = field(default_factory=dict)
    not_over: tuple[str, ...] = ()


@dataclass(frozen=True)
class StrategySpec:
    """A strategy's name, what it does in one line, and where it is.

    ``paper``: where it comes from. ``options``: its own settings, each named ``prefix`` and the
    option's name; ``reads``: other settings it reads. ``needs``: which of 'embedder', 'parser' and
    'language model' it uses, with its first backbone. ``loader``: ``module:Class``, called with
    ``Resources``; ``training``: ``module:NAME`` of its ``Training``, "" where it learns nothing;
    both are imported only when asked for. ``ablations``: what the bench can ask it without.
    ``models``: ``module:ROLE`` of each language model without which it cannot be asked.
    ``backbones``: strategies that it is asked over, the first under its own name, the others as
    ``name:backbone``; ``any_backbone``: so is every other strategy that asks none itself;
    ``backbone``: the one of this spec, which the loader is given. ``for_triples``: it is asked of a
    corpus without passages where nobody chose a strategy. Raises ValueError where an ablation
    changes nothing, or a setting that it does not read, or has the name of another.
    """

    name: str
    summary: str
    paper: str
    loader: str
    prefix: str = ""
    options: type[BaseModel] | None = None
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    training: str = ""
    ablations: tuple[Ablation, ...] = ()
    models: tuple[str, ...] = ()
    backbones: tuple[str, ...] = ()
    any_backbone: bool = False
    backbone: str = ""
    for_triples: bool = False

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for ablation in self.ablations:
            said = f"The ablation {ablation.name!r} of {self.name}"
            if ablation.name in seen:
                raise ValueError(f"{said} is there twice.")
            seen.add(ablation.name)
            if ablation.trained and not self.training:
                raise ValueError(f"{said} needs a trained version, and {self.name} learns nothing.")
            unread = sorted(set(ablation.settings) - set(self.settings))
            if unread or not ablation.settings:
                raise ValueError(
                    f"{said} changes {', '.join(unread) or 'nothing'}; it can change what "
                    f"{self.name} reads at a question: {', '.join(self.settings) or 'nothing'}."
                )

    def over_each(self) -> "tuple[StrategySpec, ...]":
        """Return this, or one of it for each of its backbones."""
        if not self.backbones:
            return (self,)
        first, *others = self.backbones
        return (replace(self, backbone=first), *map(self.over, others))

    def over(self, backbone: str) -> "StrategySpec":
        """Return this over another backbone than its first."""
        return replace(
            self,
            name=f"{self.name}:{backbone}",
            summary=f"As {self.name}, over {backbone}.",
            backbone=backbone,
            training="",
            ablations=tuple(one for one in self.ablations if backbone not in one.not_over),
        )

    @property
    def own_settings(self) -> tuple[str, ...]:
        """The names of the settings that are its options."""
        fields = self.options.model_fields if self.options else ()
        return tuple(f"{self.prefix}_{name}" for name in fields)

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of all settings it reads."""
        return (*self.own_settings, *self.reads)

    def build(self, resources: object) -> Strategy:
        """Return the strategy, made of ``Resources`` and ready to be asked."""
        own = (self.backbone,) if self.backbone else ()
        strategy: Strategy = resolve_name(self.loader)(resources, *own)
        return strategy

    def trained_by(self) -> Any:
        """Return its ``Training``; raises ValueError where it learns nothing."""
        if not self.training:
            raise ValueError(f"{self.name} learns nothing.")
        return Learner(self.name, self.training).trained_by()


@dataclass(frozen=True)
class Learner:
    """What can be trained. ``training``: ``module:NAME`` of its ``Training``, imported when asked
    for; a version that comes with it lies in ``shipped``, beside that module.
    """

    name: str
    training: str

    def trained_by(self) -> Any:
        """Return its ``Training``."""
        return resolve_name(self.training)

    def shipped(self) -> Path | None:
        """Return the folder of the version that comes with it; None without one."""
        package = resolve_name(self.training.partition(":")[0].rpartition(".")[0])
        folder = Path(package.__file__ or "").parent / "shipped"
        return folder if folder.is_dir() else None
