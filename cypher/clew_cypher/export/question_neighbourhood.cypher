// name: triples_of_chunks(corpus, chunk_ids)
// mode: read
// returns: id, head, predicate, tail, ttr, chunk_id, sentence_id, extractor, head_entity, tail_entity
// What chunks state, by the index on the chunk.
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (h)-[r:RELATION {chunk_id: chunk_id}]->(t)
USING INDEX SEEK r:RELATION(chunk_id)
WHERE r.corpus = $corpus
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
RETURN r.id AS id, r.head AS head, r.predicate AS predicate, r.tail AS tail, r.ttr AS ttr,
       r.chunk_id AS chunk_id, r.sentence_id AS sentence_id, r.extractor AS extractor,
       h {.id, .key, .name, .type, .named} AS head_entity,
       t {.id, .key, .name, .type, .named} AS tail_entity
ORDER BY chunk_id, s.position, id

// name: triples_of_entity(corpus, entity_id, limit)
// mode: read
// returns: id, head, predicate, tail, ttr, chunk_id, sentence_id, extractor, head_entity, tail_entity
// What is stated of an entity, first where it is the head, by the other end's name.
CYPHER 25
MATCH (e:Entity {id: $entity_id, corpus: $corpus})-[r:RELATION]-()
USING INDEX SEEK e:Entity(id)
WITH DISTINCT e, r, startNode(r) AS h, endNode(r) AS t
ORDER BY h = e DESC, r.predicate, CASE WHEN h = e THEN t.name ELSE h.name END, r.id
LIMIT $limit
RETURN r.id AS id, r.head AS head, r.predicate AS predicate, r.tail AS tail, r.ttr AS ttr,
       r.chunk_id AS chunk_id, r.sentence_id AS sentence_id, r.extractor AS extractor,
       h {.id, .key, .name, .type, .named} AS head_entity,
       t {.id, .key, .name, .type, .named} AS tail_entity
