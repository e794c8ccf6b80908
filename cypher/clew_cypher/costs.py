"""What the documents of a corpus took to index."""

from clew_cypher.store import GraphStore, Row


def corpus_costs(store: GraphStore, corpus: str) -> Row:
    """Return {documents, chunks, triples, seconds, llm_calls, prompt_tokens, completion_tokens},
    summed over the documents that are ready; zeros where there are none, or no such corpus.
    """
    return store.read("corpus_costs", corpus=corpus)[0]
