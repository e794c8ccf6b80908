"""The facade's method that finds and repairs drift: a part of `Clew`, in a file of its own."""

from collections.abc import Iterator

from clew.components import Components
from clew_cypher.checking import Finding, check_corpus, check_database
from clew_cypher.corpora import list_corpora


class CheckMethods(Components):
    """Whether the graph is what its documents say."""

    def check(self, corpus: str | None = None, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what each check found, in the database and in a corpus (None: in each).

        ``repair``: mend what is found; vectors that are missing are made by the embedder of the
        settings, which is loaded only for that. Raises UnknownCorpus; EmbedderMismatch where a
        corpus that is to be repaired was embedded by another one.
        """
        yield from check_database(self.store, self.embedder.dimension if repair else None)
        names = [corpus] if corpus else [row["name"] for row in list_corpora(self.store)]
        for name in names:
            if repair:
                self.require_embedder(name)
            yield from check_corpus(self.store, name, self.embedder.embed if repair else None)

    def require_embedder(self, corpus: str) -> None:
        """Raise EmbedderMismatch where the corpus' vectors are not this embedder's."""
        from clew_cypher.corpora import ensure_corpus, get_corpus

        get_corpus(self.store, corpus)
        ensure_corpus(
            self.store, corpus, embedder=self.embedder.name, dimension=self.embedder.dimension
        )
