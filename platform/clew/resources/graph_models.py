"""Graph language models that were trained: which one serves, and what it is shown of a question."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clew.results.history import Asked, history_text, plain
from clew_models.devices import device_of, module_bytes, module_device
from clew_models.graph_llm.examples import GraphExample, Task, texts_of

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_models.graph_llm.model import GraphLanguageModel, Vectors
    from clew_models.graph_llm.writing import Written

DEFAULT = "default"
"""The version that serves the corpus."""
CACHED_TEXTS = "graph texts"


def graph_example(
    task: Task,
    question: str,
    rounds: Sequence[Asked],
    *,
    graph_text: bool = True,
    target: str = "",
) -> GraphExample:
    """Return what a model is shown of a question and the rounds so far.

    ``graph_text``: what was found as text, beside the sub-queries.
    """
    return GraphExample(
        task,
        question,
        history_text(rounds, graph=graph_text),
        tuple(
            tuple((plain(one.head), plain(one.predicate), plain(one.tail)) for one in asked.facts)
            for asked in rounds
        ),
        target,
    )


def serving_graph_model(
    resources: "Resources", method: str, corpus: str, base: str, chosen: str, device: str = "auto"
) -> "GraphLanguageModel | None":
    """Return the model of a method's version, loaded once a process; None where none serves.

    ``base``: what the version must be for; ``chosen``: `DEFAULT`, or a version's directory. Raises
    ModelNotInstalled.
    """
    folder = (
        resources.serving_version(method, corpus, base)
        if chosen == DEFAULT
        else Path(chosen).expanduser()
    )
    if folder is None:
        return None
    where = device_of(device)

    def load() -> "GraphLanguageModel":
        from clew_models.graph_llm.model import load_graph_model

        return load_graph_model(
            folder,
            cache_dir=resources.settings.cache,
            device=where,
            remedy=f"Make one with `clew train {method} --corpus {corpus}`.",
        )

    return resources.models.get(
        (method, str(folder)),
        load,
        name=f"{method}, {folder.name}",
        kind=method,
        device=module_device,
        size=module_bytes,
    )


def vectors_of(resources: "Resources", examples: Sequence[GraphExample]) -> "Vectors":
    """Return the embeddings of all that the graphs of examples name."""
    texts = texts_of(examples)
    embedder = resources.embedder
    found = resources.remembered(
        (CACHED_TEXTS, resources.settings.embedder), texts, lambda new: list(embedder.embed(new))
    )
    return dict(zip(texts, found, strict=True))


def write(
    resources: "Resources",
    model: "GraphLanguageModel",
    example: GraphExample,
    *,
    labels: Sequence[str] = (),
    ending: Sequence[str] = (),
    max_tokens: int,
) -> "Written":
    """Return what a model writes of an example; see `clew_models.graph_llm.writing`.

    The setting ``graph_token`` says whether it is given the graph.
    """
    from clew_models.graph_llm import writing

    token = resources.settings.graph_token and model.encoder is not None
    return writing.write(
        model,
        example,
        vectors_of(resources, [example]) if token else {},
        token=token,
        labels=labels,
        ending=ending,
        max_tokens=max_tokens,
    )
