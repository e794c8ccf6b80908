"""A planner that was trained (RA-5 to RA-7): a graph language model, held to a plan's form.

It reads the history in the form in which it was trained, and the question's graph as a token.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.resources.graph_models import graph_example, serving_graph_model, write
from clew.results.evidence import EvidenceTriple, ScoredChunk
from clew.results.history import ASKED_CHARACTERS, Asked, plain
from clew.strategies.planner.options import PlannerOptions
from clew.strategies.planner.planning import Action, Plan
from clew.strategies.planner.spec import SPEC
from clew_models.devices import device_of
from clew_models.errors import MalformedOutput, ModelNotInstalled

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings
    from clew_models.graph_llm.model import GraphLanguageModel, GraphModelOptions

FORMAT = "graph-llm-1"
"""What versions read: one that reads another history or other graphs does not serve."""
SUBQUERY_TOKENS = 62
"""The longest sub-query (paper: table 4)."""


def base_model(settings: "Settings") -> str:
    """Return what a version is for: the causal model, and the embedder of names."""
    return f"{settings.options(PlannerOptions).base}, {settings.embedder}, {FORMAT}"


def text_model(settings: "Settings") -> "GraphLanguageModel":
    """Return the causal model as it is, which reads text alone. Raises ModelNotInstalled."""
    from clew_models.graph_llm.model import GraphModelOptions, ready_to_write

    return ready_to_write(untrained(settings, GraphModelOptions(rank=0, encoder=None), 0))


def untrained(
    settings: "Settings", options: "GraphModelOptions", seed: int
) -> "GraphLanguageModel":
    """Return a model that a version can be trained of. Raises ModelNotInstalled."""
    from clew_models.graph_llm.model import untrained_model

    chosen = settings.options(PlannerOptions)
    return untrained_model(
        chosen.base,
        options,
        cache_dir=settings.cache,
        device=device_of(chosen.device),
        seed=seed,
    )


class TrainedPlanner:
    """Plans one question by the version that the settings choose.

    ``triples``: those of a round that the version was trained to read. Raises ModelNotInstalled
    where none serves the corpus.
    """

    def __init__(self, question: str, resources: "Resources", corpus: str) -> None:
        options = resources.settings.options(PlannerOptions)
        base = base_model(resources.settings)
        model = serving_graph_model(
            resources, SPEC.name, corpus, base, options.version, options.device
        )
        if model is None:
            raise ModelNotInstalled(
                f"No version of {SPEC.name} serves the corpus {corpus!r}.",
                remedy=f"Make one with `clew train {SPEC.name} --corpus {corpus}`, or set "
                "planner_model to rules.",
            )
        self.name = model.name
        self.triples: int | None = model.options.triples
        self._model = model
        self._question = question
        self._resources = resources
        self._options = options

    def first(self) -> Plan:
        """Return the question; the model is asked only where it may skip it."""
        if not self._options.may_skip:
            return Plan(Action.SUBQ, self._question)
        plan = self._asked((), (Action.NO_RETRIEVAL, Action.SUBQ), Action.SUBQ)
        if plan.action is Action.NO_RETRIEVAL:
            return plan
        return Plan(Action.SUBQ, self._question, plan.detail, plan.tokens)

    def next(
        self,
        rounds: Sequence[Asked],
        passages: Sequence[ScoredChunk],
        lines: Sequence[EvidenceTriple] = (),
    ) -> Plan:
        """Return what the model says is next."""
        plan = self._asked(rounds, (Action.SUBQ, Action.SUFFICIENT))
        if plan.action is Action.SUBQ and not plan.subquery:
            raise MalformedOutput(
                f"{self.name!r} wrote no sub-query.", remedy="Set planner_model to rules."
            )
        return plan

    def _asked(self, rounds: Sequence[Asked], actions: Sequence[Action], *ending: Action) -> Plan:
        example = graph_example("plan", self._question, rounds, graph_text=self._options.graph_text)
        written = write(
            self._resources,
            self._model,
            example,
            labels=actions,
            ending=(Action.SUFFICIENT, Action.NO_RETRIEVAL, *ending),
            max_tokens=SUBQUERY_TOKENS,
        )
        return Plan(
            Action(written.label),
            plain(written.text, ASKED_CHARACTERS),
            {"reply": f"{written.label} {written.text}".strip()},
            written.prompt_tokens + written.tokens,
        )
