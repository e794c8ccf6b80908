"""The model that writes triples of sentences: which version serves, and how it is asked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clew.resources import versions
from clew_ingest.parsing.entity_names import is_entity_name, normalise_name
from clew_models.devices import device_of, module_bytes, module_device
from clew_models.errors import ModelNotInstalled
from clew_models.graph_llm.examples import GraphExample

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings
    from clew_models.graph_llm.model import GraphLanguageModel

NAME = "text-to-triples"
FORMAT = "triple-lines-1"
"""What versions write: one that writes another form does not serve."""
WRITTEN_TOKENS = 160
"""The longest list of a sentence's triples."""


def base_model(settings: "Settings") -> str:
    """Return what a version is for: the causal model, and the form of lines."""
    return f"{settings.extractor_base}, {FORMAT}"


def example_of(title: str, sentence: str, target: str = "") -> GraphExample:
    """Return what a model is shown of a sentence."""
    return GraphExample("triples", sentence, history=title, target=target)


def serving_folder(settings: "Settings") -> Path:
    """Return the folder of the version that serves. Raises ModelNotInstalled without one."""
    found = versions.serving(settings, NAME, None, base_model(settings))
    if found is None:
        raise ModelNotInstalled(
            "No model that writes triples was trained for this.",
            remedy=f"Train one with `clew train {NAME} --corpus NAME`, or take the extractor "
            "'rules'.",
        )
    return found.folder


class TripleWriter:
    """The version that serves; its weights are loaded when it writes first.

    Raises ModelNotInstalled where none serves.
    """

    def __init__(self, resources: "Resources") -> None:
        self._folder = serving_folder(resources.settings)
        self._resources = resources
        self.version = self._folder.name

    def write(
        self,
        sentences: Sequence[tuple[str, str]],
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[str]:
        """See TextToTriples."""
        return written(self._model(), sentences, cancelled=cancelled)

    def _model(self) -> "GraphLanguageModel":
        settings = self._resources.settings
        where = device_of("auto")

        def load() -> "GraphLanguageModel":
            from clew_models.graph_llm.model import load_graph_model

            return load_graph_model(self._folder, cache_dir=settings.cache, device=where)

        return self._resources.models.get(
            (NAME, str(self._folder)),
            load,
            name=f"{NAME}, {self.version}",
            kind=NAME,
            device=module_device,
            size=module_bytes,
        )


def written(
    model: "GraphLanguageModel",
    sentences: Sequence[tuple[str, str]],
    *,
    cancelled: Callable[[], bool] = lambda: False,
    told: Callable[[int], None] = lambda done: None,
) -> list[str]:
    """Return the lines that a model writes of each (title, sentence), in order, held to both.

    ``told`` is called with how many are done.
    """
    from clew_models.constrained_decoding.triple_lines import TripleLines
    from clew_models.graph_llm.writing import write_all

    def lines(example: GraphExample) -> TripleLines:
        return TripleLines(model.vocabulary, (example.history, example.question), _named)

    texts = [""] * len(sentences)
    examples = [example_of(title, sentence) for title, sentence in sentences]
    found = write_all(model, examples, max_tokens=WRITTEN_TOKENS, lines=lines, cancelled=cancelled)
    for done, (place, text) in enumerate(found, 1):
        texts[place] = text
        told(done)
    return texts


def _named(name: str) -> str:
    return normalise_name(name) if is_entity_name(name) else ""
