"""The facade's methods of corpora and of what leaves them: a part of `Clew`, in its own file."""

from clew import catalogue_reader
from clew.bench_methods import BenchMethods
from clew.catalogue import CorpusInfo, Deletion
from clew.errors import InvalidRequest
from clew.extractors import check_extractor, forget_replies
from clew_cypher.chunks import texts_of_corpus, texts_of_documents
from clew_cypher.corpora import set_extractor


class CorpusMethods(BenchMethods):
    """Making, describing and deleting corpora, and deleting documents."""

    def corpora(self) -> list[CorpusInfo]:
        """Return every corpus with how full it is."""
        return catalogue_reader.corpora(self.store)

    def stats(self, corpus: str | None = None) -> CorpusInfo:
        """Return how full a corpus is. Raises UnknownCorpus."""
        return catalogue_reader.corpus(self.store, corpus or self.settings.corpus)

    def create_corpus(self, name: str, extractor: str | None = None) -> CorpusInfo:
        """Make an empty corpus; one that exists is returned as it is.

        ``extractor``: who makes its triples: rules, llm, none or file:PATH; None: the setting.
        Raises InvalidRequest for a wrong name and for a corpus that has another extractor, and as
        ``set_extractor`` for an extractor that cannot be used.
        """
        self._ensure_corpus(name, extractor)
        return self.stats(name)

    def _ensure_corpus(self, name: str, extractor: str | None) -> str:
        """Make a corpus where it is missing; return its extractor."""
        present = catalogue_reader.extractor_of(self.store, name)
        if present is None:
            chosen = check_extractor(self.settings, extractor or self.settings.extractor)
            catalogue_reader.create_corpus(self.store, name, self.settings.embedder, chosen)
            return chosen
        if extractor is not None and check_extractor(self.settings, extractor) != present:
            raise InvalidRequest(
                f"The corpus {name!r} has the extractor {present!r}.",
                remedy=f"Leave the extractor out, or change it: `clew corpora set {name} "
                f"--extractor {extractor}`.",
            )
        return present

    def set_extractor(self, corpus: str, extractor: str) -> CorpusInfo:
        """Choose who makes the triples of what is ingested from now on.

        Documents that are ready keep their triples until they are ingested again: all of them
        count as changed then. Raises UnknownCorpus, UnknownExtractor (which names what is valid,
        or the setting that a language model needs), UnreadableSource for a file of triples.
        """
        set_extractor(self.store, corpus, check_extractor(self.settings, extractor))
        return self.stats(corpus)

    def delete_corpus(self, name: str) -> Deletion:
        """Remove a corpus with all its documents. Raises UnknownCorpus."""
        from clew.strategies.clue_indexes import forget_clue_indexes
        from clew.strategies.guided_arrays import guided_arrays

        forget_replies(self.settings, texts_of_corpus(self.store, name))
        deleted = catalogue_reader.delete_corpus(self.store, name)
        guided_arrays(self.store, self.settings).forget(name)
        forget_clue_indexes(self.settings, name)
        return deleted

    def delete(self, corpus: str, document_id: str) -> Deletion:
        """Remove a document and all that only it supported. Raises UnknownDocument."""
        forget_replies(self.settings, texts_of_documents(self.store, corpus, [document_id]))
        return catalogue_reader.delete_document(self.store, corpus, document_id)
