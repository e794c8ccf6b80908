// name: title_links(corpus)
// mode: read
// returns: sentence_id, document_id
// Which sentences name which documents by their title, found by the index on the relationship.
CYPHER 25
MATCH (sentence:Sentence)-[named:NAMES]->(document:Document)
USING INDEX SEEK named:NAMES(corpus)
WHERE named.corpus = $corpus
RETURN sentence.id AS sentence_id, document.id AS document_id
ORDER BY sentence_id, document_id

// name: chunk_titles(corpus)
// mode: read
// returns: chunk_id, document_id, title
// The title that a chunk was indexed with: a file that is accepted anew may have another until it is
// ready.
CYPHER 25
MATCH (chunk:Chunk {corpus: $corpus})
RETURN chunk.id AS chunk_id, chunk.document_id AS document_id, chunk.title AS title
ORDER BY chunk_id
