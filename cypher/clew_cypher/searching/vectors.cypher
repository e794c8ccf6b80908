// name: nearest_chunks(corpus, vector, width, limit)
// mode: read
// returns: id, document_id, title, text, score, pages, headings
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
       2 * similarity - 1 AS score,
       coalesce(n.pages, []) AS pages, coalesce(n.headings, []) AS headings
ORDER BY score DESC, id
LIMIT $limit

// name: nearest_entities(corpus, vector, width, limit)
// mode: read
// returns: id, key, name, type, score
// As nearest_chunks; concepts, which name nothing, are left out inside the index.
CYPHER 25
MATCH (n:Entity)
  SEARCH n IN (
    VECTOR INDEX entity_vector
    FOR $vector
    WHERE n.corpus = $corpus AND n.named = true
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

// name: nearest_chunk_ids(corpus, vector, width, limit)
// mode: read
// returns: ids, scores
// nearest_chunks without titles and texts, which take longer to fetch than the ids to find; in one
// row, since a hundred take longer than all the rest.
CYPHER 25
MATCH (n:Chunk)
  SEARCH n IN (
    VECTOR INDEX chunk_embedding
    FOR $vector
    WHERE n.corpus = $corpus
    LIMIT $width
  ) SCORE AS similarity
WITH n.id AS id, 2 * similarity - 1 AS score
ORDER BY score DESC, id
LIMIT $limit
RETURN collect(id) AS ids, collect(score) AS scores

// name: nearest_entities_each(corpus, vectors, width, limit)
// mode: read
// returns: place, id, key, name, type, chunk_count, score
// nearest_entities of several vectors in one go; ``place`` is the vector's.
CYPHER 25
UNWIND range(0, size($vectors) - 1) AS place
WITH place, $vectors[place] AS vector
CALL (vector) {
  MATCH (n:Entity)
    SEARCH n IN (
      VECTOR INDEX entity_vector
      FOR vector
      WHERE n.corpus = $corpus AND n.named = true
      LIMIT $width
    ) SCORE AS similarity
  RETURN n, 2 * similarity - 1 AS score
  ORDER BY score DESC, n.id
  LIMIT $limit
}
RETURN place, n.id AS id, n.key AS key, n.name AS name, n.type AS type,
       CASE
         WHEN EXISTS { (n)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (n)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (n)-[:MENTIONED_IN]->() }
       END AS chunk_count, score
ORDER BY place, score DESC, id

// name: sentence_cosines(corpus, ids, vector)
// mode: read
// returns: chunk_id, id, text, cosine
// The sentences of chunks in their order, and how near each is to a question; one that has no vector
// is as near as one that has nothing to do with it.
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})<-[:IN_CHUNK]-(sentence:Sentence)
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.corpus = $corpus
WITH DISTINCT chunk, sentence
RETURN chunk.id AS chunk_id, sentence.id AS id, sentence.text AS text,
       coalesce(2 * vector.similarity.cosine(sentence.embedding, $vector) - 1, 0.0) AS cosine
ORDER BY chunk_id, sentence.position, id
