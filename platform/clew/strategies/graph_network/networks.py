"""Which network ranks: the version that serves a corpus, one of a directory, or untrained."""

from pathlib import Path
from typing import TYPE_CHECKING

from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.graph_network.spec import SPEC
from clew_models.devices import device_of, module_bytes, module_device, use_threads
from clew_models.errors import ModelNotInstalled
from clew_models.graph_network import NetworkArrays, NetworkOptions

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings
    from clew.strategies.retrieval import Retrieval
    from clew_models.graph_network.network import GraphNetwork

INPUTS = "levels-2"
"""What networks are trained on: a version for other arrays or marks does not serve."""
SWITCHES = (
    "entity_level",
    "sentence_level",
    "chunk_level",
    "question_attention",
    "intra",
    "inter",
    "titles",
    "marks",
)
"""The options that are a network's too: what is off there is left out of the version."""
UNTRAINED = "untrained"


def base_model(settings: "Settings") -> str:
    """Return what a version is for: the embedder whose vectors it reads, and the arrays."""
    return f"{settings.embedder} {INPUTS}"


def switches(options: NetworkMethodOptions) -> dict[str, bool]:
    """Return the ablations of the settings."""
    return {name: getattr(options, name) for name in SWITCHES}


def serving_folder(resources: "Resources", corpus: str) -> Path | None:
    """Return the folder of the version that the settings choose; None for an untrained network."""
    options = resources.settings.options(NetworkMethodOptions)
    if options.version == UNTRAINED:
        return None
    if options.version == "default":
        return resources.serving_version(SPEC.name, corpus, base_model(resources.settings))
    return Path(options.version).expanduser()


def serving_network(
    retrieval: "Retrieval", arrays: NetworkArrays, revision: int
) -> tuple["GraphNetwork", str]:
    """Return the network that ranks for a retrieval, and its device; loaded once a process.

    Where no version serves the corpus' embedder, an untrained one, with a notice.
    """
    resources = retrieval.resources
    options = resources.settings.options(NetworkMethodOptions)
    device = device_of(options.device)
    folder = serving_folder(resources, retrieval.corpus.name)
    off = switches(options)
    # an untrained network is made of the arrays of a revision
    made_of = (retrieval.corpus.created_at, revision) if folder is None else None

    def load() -> tuple["GraphNetwork", object]:
        retrieval.doing("Loading the graph network")
        return loaded(folder, arrays, off, device, options.threads), made_of

    if folder is None:
        if options.version != UNTRAINED:
            retrieval.notice(
                f"No version of {SPEC.name} fits the embedder {resources.settings.embedder!r}: an "
                f"untrained one ranked. `clew train {SPEC.name} --corpus {retrieval.corpus.name}` "
                "makes one."
            )
        identity = f"{UNTRAINED} {retrieval.corpus.name}"
    else:
        identity = str(folder)
    without = tuple(name for name, on in off.items() if not on)
    whole = (SPEC.name, identity)
    key = (*whole, without) if without else whole
    held = resources.models.held(key)
    if held is not None and held[1] != made_of:
        resources.models.drop(whole)
    network, _ = resources.models.get(
        key,
        load,
        name=f"{SPEC.name}, {UNTRAINED if folder is None else folder.name}",
        kind=SPEC.name,
        device=lambda one: module_device(one[0]),
        size=lambda one: module_bytes(one[0]),
        beside=whole if without else None,  # so that it goes with its version
    )
    return network, device


def loaded(
    folder: Path | None,
    arrays: NetworkArrays,
    off: dict[str, bool],
    device: str,
    threads: int,
) -> "GraphNetwork":
    """Return the network of a version, or an untrained one, without what is off.

    Raises ModelNotInstalled where there is no version, or one for other embeddings than the arrays.
    """
    from clew_models.graph_network.network import load_network, untrained_network

    if device == "cpu":
        use_threads(threads)
    if folder is None:
        options = NetworkOptions().without(name for name, on in off.items() if not on)
        return untrained_network(arrays, options, 0).to(device)
    network = load_network(folder, device, off)
    dimension = arrays.chunk_vectors.shape[1]
    if network.options.input != dimension:
        raise ModelNotInstalled(
            f"The version of {SPEC.name} in {folder} reads embeddings of {network.options.input} "
            f"dimensions; those of the corpus have {dimension}.",
            remedy="Name one that was trained with this embedder, or set graph_network_version to "
            "'default'.",
        )
    return network
