"""The index of partial triples of a corpus, once a revision and version of the encoders (KA-1)."""

import hashlib
import logging
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from clew.resources.revision_cache import forget_folder
from clew.resources.versions import pointer, serving, versions
from clew.strategies.partial_alignment.encoders import (
    EmbedderEncoders,
    Encoders,
    base_model,
    encoders_of,
    version_identity,
)
from clew.strategies.partial_alignment.options import AlignmentOptions
from clew.strategies.partial_alignment.spec import SPEC
from clew_cypher.corpora import Corpus
from clew_cypher.export.triple_parts import triple_count, triple_parts
from clew_models.partial_alignment import (
    IndexKind,
    KeptVectors,
    PartialIndex,
    TripleTable,
    build_index,
    load_index,
    save_index,
)
from clew_models.partial_alignment.index import TripleRow

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.resources.revision_cache import Making, RevisionCache

KIND = "partial-triples"

log = logging.getLogger(__name__)


class TooManyTriples(Exception):
    """The corpus has more triples than may be indexed."""


def partial_indexes(
    resources: "Resources", encoders: Encoders, full: bool
) -> "RevisionCache[PartialIndex]":
    """Return what keeps the indexes that these encoders make; ``full``: with whole triples too."""
    options = resources.settings.options(AlignmentOptions)
    identity, folder = encoders.identity, encoders.folder
    return resources.revision_cache(
        _kind(identity, options.index, full),
        lambda: PartialDerivation(resources, identity, folder, options, full),
    )


def _kind(identity: str, index: IndexKind, full: bool) -> str:
    """Return the kind of an index, by the identity of the encoders that make it."""
    made_with = f"{identity} {index} {full}"
    return f"{KIND}-{hashlib.sha256(made_with.encode()).hexdigest()[:12]}"


class PartialDerivation:
    """Makes the indexes of corpora up to the limit; past it, raises TooManyTriples.

    ``identity``: of the encoders; ``folder``: of their version, None for the embedder. They are
    kept in their place: the cache outlives the model of a version that serves no longer.
    """

    def __init__(
        self,
        resources: "Resources",
        identity: str,
        folder: Path | None,
        options: AlignmentOptions,
        full: bool,
    ) -> None:
        self._resources = resources
        self._identity = identity
        self._folder = folder
        self._options = options
        self._full = full

    def refuse(self, corpus: Corpus, loaded: PartialIndex | None) -> None:
        """Raise TooManyTriples."""
        limit = self._options.triple_limit
        if loaded is None:
            triples = triple_count(self._resources.store, corpus.name, limit + 1)
        else:
            triples = len(loaded.ids)
        if triples > limit:
            raise TooManyTriples

    def make(self, corpus: Corpus, previous: PartialIndex | None, making: "Making") -> PartialIndex:
        """Return the index; what ``previous`` or a making that was interrupted has is not embedded
        again. Then the indexes go that no version needs.
        """
        making.doing("Reading the triples of the graph, once")
        table = TripleTable()
        table.add(TripleRow(*row) for row in triple_parts(self._resources.store, corpus.name))
        index = build_index(
            table,
            encoders_of(self._resources, self._folder).units,
            corpus.dimension,
            self._options.index,
            previous,
            self._full,
            kept=_kept(making.unfinished, corpus.dimension),
            tell=lambda done, total: making.doing(
                f"Embedding what is new in triples, once: {done:,} of {total:,} parts"
            ),
        )
        self._forget_others(corpus.name)
        return index

    def _forget_others(self, corpus: str) -> None:
        """Remove the indexes of versions that neither serve the corpus nor did before."""
        resources = self._resources
        identities = [self._identity, EmbedderEncoders(resources.embedder).identity]
        settings = resources.settings
        known = [pointer(settings, SPEC.name, owner) for owner in (corpus, None)]
        names = {name for one in known if one for name in (one.serving, *one.earlier)}
        now = serving(settings, SPEC.name, corpus, base_model(settings))
        names.add(now.model.version if now else None)
        for version in versions(settings, SPEC.name):
            if version.model.version in names:
                with suppress(OSError):
                    identities.append(version_identity(version.folder))
        every = product(identities, get_args(IndexKind), (False, True))
        needed = {_kind(*made_with) for made_with in every}
        for folder in (settings.home / "derived").glob(f"{KIND}-*"):
            if folder.name not in needed:
                forget_folder(folder, corpus)

    def save(self, value: PartialIndex, folder: Path) -> None:
        """Write the index to ``folder``."""
        save_index(value, folder)

    def load(self, folder: Path) -> PartialIndex | None:
        """Return the index of ``folder``, or None."""
        return load_index(folder)


def _kept(folder: Path, dimension: int) -> KeptVectors | None:
    """Return what outlives an interruption; None where nothing can be written, and for an empty
    corpus, of which nobody has said a ``dimension`` yet.
    """
    if not dimension:
        return None
    try:
        return KeptVectors(folder, dimension)
    except OSError as error:
        log.warning("An interruption would begin anew, since nothing can be written: %s", error)
        return None
