"""A question as the arrays need it, and its signs."""

from clew.strategies.chain_ranking.arrays import titled_documents
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import Seeds
from clew_models.chain_ranking import ChainArrays, ChainFeatures, ChainQuestion, chain_features
from clew_models.words import content_words


def asked(
    retrieval: Retrieval, arrays: ChainArrays, seeds: Seeds, options: ChainOptions
) -> ChainQuestion:
    """Return the retrieval's question with its seeds, its words, and the titles that it names."""
    by_name: dict[str, list[str]] = {}
    for seed in seeds.found:
        by_name.setdefault(seed.mention, []).append(seed.id)
    return ChainQuestion(
        vector=retrieval.vector,
        words=content_words(retrieval.words),
        entities=list(by_name.values()),
        chunks=seeds.chunks,
        chunk_mass=options.dense_weight,
        cosines=seeds.cosines,
        titled=titled_documents(arrays, retrieval.question, seeds.mentions),
        word_share=options.word_share,
    )


def features_of(
    arrays: ChainArrays, question: ChainQuestion, options: ChainOptions
) -> ChainFeatures:
    """Return the signs of a question as the settings have them computed."""
    _, features = chain_features(
        arrays,
        question,
        damping=options.damping,
        temperature=options.temperature,
        pool=options.pool,
        predecessors=options.predecessors,
    )
    return features
