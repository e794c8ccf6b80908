// name: corpus_costs(corpus)
// mode: read
// returns: documents, chunks, triples, seconds, llm_calls, prompt_tokens, completion_tokens
// What a corpus' documents took to index: what the next ones are likely to take.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE d.kind = 'text'
RETURN count(d) AS documents,
       coalesce(sum(d.chunks), 0) AS chunks,
       coalesce(sum(d.triples), 0) AS triples,
       coalesce(sum(d.seconds), 0.0) AS seconds,
       coalesce(sum(d.llm_calls), 0) AS llm_calls,
       coalesce(sum(d.prompt_tokens), 0) AS prompt_tokens,
       coalesce(sum(d.completion_tokens), 0) AS completion_tokens
