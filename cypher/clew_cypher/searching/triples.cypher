// name: nearest_triples(corpus, vector, width, document_ids, limit)
// mode: read
// returns: id, head, relation, predicate, tail, ttr, chunk_id, sentence_id, document_id, title, line, extractor, head_entity, tail_entity, score
// Triples by their textual triplet: where that is their sentence, its vector is theirs. The corpus is
// a filter inside the index; its score is (1 + cosine) / 2, and equal ones are ranked by id. Of some
// documents (null: all) the lines of knowledge bases.
CYPHER 25
CALL () {
  MATCH ()-[r:RELATION]->()
    SEARCH r IN (
      VECTOR INDEX relation_embedding
      FOR $vector
      WHERE r.corpus = $corpus
      LIMIT $width
    ) SCORE AS similarity
  RETURN r, similarity
  UNION ALL
  MATCH (s:Sentence)
    SEARCH s IN (
      VECTOR INDEX sentence_embedding
      FOR $vector
      WHERE s.corpus = $corpus
      LIMIT $width
    ) SCORE AS similarity
  MATCH (s)-[:IN_CHUNK]->(c:Chunk)
  MATCH ()-[r:RELATION {chunk_id: c.id}]->()
  USING INDEX SEEK r:RELATION(chunk_id)
  WHERE r.sentence_id = s.id AND r.embedding IS NULL
  RETURN r, similarity
}
WITH r, 2 * similarity - 1 AS score, startNode(r) AS h, endNode(r) AS t
WHERE $document_ids IS NULL OR r.document_id IN $document_ids
ORDER BY score DESC, r.id
LIMIT $limit
OPTIONAL MATCH (c:Chunk {id: r.chunk_id})
OPTIONAL MATCH (d:Document {id: r.document_id})
RETURN r.id AS id, r.head AS head, coalesce(r.relation, r.predicate) AS relation,
       r.predicate AS predicate, r.tail AS tail, r.ttr AS ttr,
       coalesce(r.chunk_id, '') AS chunk_id, r.sentence_id AS sentence_id,
       coalesce(c.document_id, d.id, '') AS document_id, coalesce(c.title, d.title, '') AS title,
       r.line AS line, r.extractor AS extractor,
       h {.id, .key, .name, .type, .named} AS head_entity,
       t {.id, .key, .name, .type, .named} AS tail_entity,
       score
ORDER BY score DESC, id

// name: nearest_lines(corpus, document_ids, vector, limit)
// mode: read
// returns: id, head, relation, predicate, tail, ttr, chunk_id, sentence_id, document_id, title, line, extractor, head_entity, tail_entity, score
// Every line of some knowledge bases is compared: for few of them, which a search by index may pass
// by.
CYPHER 25
UNWIND $document_ids AS document_id
MATCH (h)-[r:RELATION {document_id: document_id}]->(t)
USING INDEX SEEK r:RELATION(document_id)
WHERE r.corpus = $corpus AND r.embedding IS NOT NULL
WITH r, h, t, 2 * vector.similarity.cosine(r.embedding, $vector) - 1 AS score
ORDER BY score DESC, r.id
LIMIT $limit
MATCH (d:Document {id: r.document_id})
USING INDEX SEEK d:Document(id)
RETURN r.id AS id, r.head AS head, coalesce(r.relation, r.predicate) AS relation,
       r.predicate AS predicate, r.tail AS tail, r.ttr AS ttr, '' AS chunk_id,
       r.sentence_id AS sentence_id, d.id AS document_id, d.title AS title, r.line AS line,
       r.extractor AS extractor, h {.id, .key, .name, .type, .named} AS head_entity,
       t {.id, .key, .name, .type, .named} AS tail_entity, score
ORDER BY score DESC, id

// name: triple_ids_of_documents(corpus, document_ids)
// mode: read
// returns: ids
// The triples that documents state, in lines or in passages; in one row, since 100,000 take longer
// than all the rest.
CYPHER 25
UNWIND $document_ids AS document_id
CALL (document_id) {
  MATCH ()-[r:RELATION {document_id: document_id}]->()
  USING INDEX SEEK r:RELATION(document_id)
  RETURN r
  UNION
  MATCH (:Document {id: document_id})<-[:PART_OF]-(c:Chunk)
  MATCH ()-[r:RELATION {chunk_id: c.id}]->()
  USING INDEX SEEK r:RELATION(chunk_id)
  RETURN r
}
WITH r
WHERE r.corpus = $corpus
RETURN collect(r.id) AS ids

// name: triples_around(corpus, entities, vector, limit, most)
// mode: read
// returns: entity_id, triples
// Of each entity the triples nearest to a vector, from both ends, as [id, id of the other end,
// cosine]; null of one with more than ``most``: to compare a vector with each of a hub's takes
// longer than the whole question.
CYPHER 25
UNWIND $entities AS entity_id
MATCH (entity:Entity {id: entity_id})
USING INDEX SEEK entity:Entity(id)
WHERE entity.corpus = $corpus
RETURN entity_id,
  CASE WHEN COUNT { (entity)-[:RELATION]-() } > $most THEN null ELSE COLLECT {
    MATCH (entity)-[r:RELATION]-(other:Entity)
    WHERE other <> entity
    OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
    WITH r, other, coalesce(r.embedding, s.embedding) AS embedding
    WHERE embedding IS NOT NULL
    WITH r, other, 2 * vector.similarity.cosine(embedding, $vector) - 1 AS score
    RETURN [r.id, other.id, score]
    ORDER BY score DESC, r.id
    LIMIT $limit
  } END AS triples

// name: triples_by_id(corpus, ids)
// mode: read
// returns: id, head, relation, predicate, tail, ttr, chunk_id, sentence_id, document_id, title, line, extractor, head_entity, tail_entity
// Found by the constraint on their ids.
CYPHER 25
UNWIND $ids AS id
MATCH (h:Entity)-[r:RELATION {id: id}]->(t:Entity)
USING INDEX SEEK r:RELATION(id)
WHERE r.corpus = $corpus
OPTIONAL MATCH (c:Chunk {id: r.chunk_id})
OPTIONAL MATCH (d:Document {id: r.document_id})
RETURN r.id AS id, r.head AS head, coalesce(r.relation, r.predicate) AS relation,
       r.predicate AS predicate, r.tail AS tail, r.ttr AS ttr,
       coalesce(r.chunk_id, '') AS chunk_id, r.sentence_id AS sentence_id,
       coalesce(c.document_id, d.id, '') AS document_id, coalesce(c.title, d.title, '') AS title,
       r.line AS line, r.extractor AS extractor,
       h {.id, .key, .name, .type, .named} AS head_entity,
       t {.id, .key, .name, .type, .named} AS tail_entity

// name: triples_stated_by(corpus, chunks, vector, limit)
// mode: read
// returns: id, head, predicate, tail, ttr, chunk_id, sentence_id, extractor, head_entity, tail_entity, score
// What chunks state, nearest to a vector first; those without an embedding come last.
CYPHER 25
UNWIND $chunks AS chunk_id
MATCH (h:Entity)-[r:RELATION {chunk_id: chunk_id}]->(t:Entity)
USING INDEX SEEK r:RELATION(chunk_id)
WHERE r.corpus = $corpus
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
WITH r, h, t, coalesce(r.embedding, s.embedding) AS embedding
WITH r, h, t,
     CASE WHEN embedding IS NULL THEN -1.0
          ELSE 2 * vector.similarity.cosine(embedding, $vector) - 1 END AS score
ORDER BY score DESC, r.id
LIMIT $limit
RETURN r.id AS id, r.head AS head, r.predicate AS predicate, r.tail AS tail, r.ttr AS ttr,
       r.chunk_id AS chunk_id, r.sentence_id AS sentence_id, r.extractor AS extractor,
       h {.id, .key, .name, .type, .named} AS head_entity,
       t {.id, .key, .name, .type, .named} AS tail_entity,
       score
