// name: nearest_chunks(corpus, vector, width, limit)
// mode: read
// returns: id, document_id, title, text, score
// The corpus is a filter inside the index. Its score is (1 + cosine) / 2; equal ones
// are ranked by id, not by age.
CYPHER 25
MATCH (n:Chunk)
  SEARCH n IN (
    VECTOR INDEX chunk_embedding
    FOR $vector
    WHERE n.corpus = $corpus
    LIMIT $width
  ) SCORE AS similarity
RETURN n.id AS id, n.document_id AS document_id, n.title AS title, n.text AS text,
       2 * similarity - 1 AS score
ORDER BY score DESC, id
LIMIT $limit

// name: nearest_entities(corpus, vector, width, limit)
// mode: read
// returns: id, key, name, type, score
// The corpus is a filter inside the index. Its score is (1 + cosine) / 2; equal ones
// are ranked by id, not by age.
CYPHER 25
MATCH (n:Entity)
  SEARCH n IN (
    VECTOR INDEX entity_embedding
    FOR $vector
    WHERE n.corpus = $corpus
    LIMIT $width
  ) SCORE AS similarity
RETURN n.id AS id, n.key AS key, n.name AS name, n.type AS type, 2 * similarity - 1 AS score
ORDER BY score DESC, id
LIMIT $limit

// name: nearest_sentences(corpus, vector, width, limit)
// mode: read
// returns: id, chunk_id, text, score
// The corpus is a filter inside the index. Its score is (1 + cosine) / 2; equal ones
// are ranked by id, not by age.
CYPHER 25
MATCH (n:Sentence)
  SEARCH n IN (
    VECTOR INDEX sentence_embedding
    FOR $vector
    WHERE n.corpus = $corpus
    LIMIT $width
  ) SCORE AS similarity
MATCH (n)-[:IN_CHUNK]->(c:Chunk)
RETURN n.id AS id, c.id AS chunk_id, n.text AS text, 2 * similarity - 1 AS score
ORDER BY score DESC, id
LIMIT $limit
