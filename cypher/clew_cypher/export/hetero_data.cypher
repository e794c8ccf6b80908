// name: graph_sizes(corpus)
// mode: read
// returns: chunks, sentences, entities, mentions, roles, triples
// How much room an export of a whole corpus needs; of edges, the most there can be.
CYPHER 25
CALL () {
  MATCH (c:Chunk {corpus: $corpus})
  RETURN count(c) AS chunks, sum(COUNT { (c)<-[:MENTIONED_IN]-() }) AS mentions
}
CALL () {
  MATCH (s:Sentence {corpus: $corpus})
  RETURN count(s) AS sentences, sum(COUNT { (s)-[:HEAD_OF|HAS_TAIL]-() }) AS roles
}
RETURN chunks, sentences,
       COUNT { MATCH (e:Entity {corpus: $corpus}) WHERE e.key IS NOT NULL } AS entities,
       mentions, roles,
       COUNT { MATCH ()-[r:RELATION {corpus: $corpus}]->() } AS triples

// name: chunk_ids(corpus)
// mode: read
// returns: id
// All chunks of a corpus; not one that goes while they are read.
CYPHER 25
MATCH (n:Chunk {corpus: $corpus})
WITH n.id AS id
WHERE id IS NOT NULL
RETURN id

// name: sentence_ids(corpus)
// mode: read
// returns: id
// All sentences of a corpus; not one that goes while they are read.
CYPHER 25
MATCH (n:Sentence {corpus: $corpus})
WITH n.id AS id
WHERE id IS NOT NULL
RETURN id

// name: entity_ids(corpus)
// mode: read
// returns: id
// All entities of a corpus, concepts too; not one that goes while they are read.
CYPHER 25
MATCH (n:Entity {corpus: $corpus})
WHERE n.key IS NOT NULL
WITH n.id AS id
WHERE id IS NOT NULL
RETURN id

// name: chunk_members(corpus, ids)
// mode: read
// returns: id, sentences, entities, mentions, roles, triples
// What belongs to each of some chunks: ids of sentences and entities, and how many edges at most.
// Concepts belong to the chunks of their triples.
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.corpus = $corpus
RETURN id,
       COLLECT { MATCH (chunk)<-[:IN_CHUNK]-(s:Sentence) RETURN s.id } AS sentences,
       COLLECT {
         MATCH (chunk)<-[:MENTIONED_IN]-(e:Entity)
         RETURN e.id AS entity
         UNION
         MATCH (h)-[r:RELATION {chunk_id: chunk.id}]->(t)
         USING INDEX SEEK r:RELATION(chunk_id)
         UNWIND [h.id, t.id] AS entity
         RETURN entity
       } AS entities,
       COUNT { (chunk)<-[:MENTIONED_IN]-() } AS mentions,
       COUNT { (chunk)<-[:IN_CHUNK]-(:Sentence)-[:HEAD_OF|HAS_TAIL]-() } AS roles,
       COUNT {
         MATCH ()-[r:RELATION {chunk_id: chunk.id}]->()
         USING INDEX SEEK r:RELATION(chunk_id)
       } AS triples

// name: chunk_structure(corpus, ids)
// mode: read
// returns: id, next_ids, mentions, sentences, triples
// The edges of some chunks: a mention is [entity, count], a sentence [id, heads, tails, next ids],
// a triple [id, head, tail, sentence, predicate].
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.corpus = $corpus
RETURN id,
  COLLECT { MATCH (chunk)-[:NEXT_CHUNK]->(after:Chunk) RETURN after.id } AS next_ids,
  COLLECT {
    MATCH (chunk)<-[mention:MENTIONED_IN]-(entity:Entity)
    WITH entity.id AS entity, sum(mention.count) AS mentions
    ORDER BY entity
    RETURN [entity, mentions]
  } AS mentions,
  COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)
    WITH sentence
    ORDER BY sentence.position, sentence.id
    RETURN [
      sentence.id,
      COLLECT { MATCH (sentence)<-[:HEAD_OF]-(e:Entity) RETURN DISTINCT e.id ORDER BY e.id },
      COLLECT { MATCH (sentence)-[:HAS_TAIL]->(e:Entity) RETURN DISTINCT e.id ORDER BY e.id },
      COLLECT { MATCH (sentence)-[:NEXT_SENTENCE]->(after:Sentence) RETURN after.id }
    ]
  } AS sentences,
  COLLECT {
    MATCH (h)-[r:RELATION]->(t)
    WHERE r.chunk_id = chunk.id
    RETURN [r.id, h.id, t.id, r.sentence_id, r.predicate]
    ORDER BY r.id
  } AS triples

// name: knowledge_triples(corpus)
// mode: read
// returns: id, head_id, tail_id, predicate
// The triples that no chunk states: those of knowledge bases.
CYPHER 25
MATCH (h)-[r:RELATION {corpus: $corpus}]->(t)
WHERE r.chunk_id IS NULL
RETURN r.id AS id, h.id AS head_id, t.id AS tail_id, r.predicate AS predicate

// name: chunk_vectors(corpus, ids, dimension)
// mode: read
// returns: id, embedding
// As sentence_vectors.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Chunk {id: id})
USING INDEX SEEK n:Chunk(id)
WHERE n.corpus = $corpus AND n.embedding IS NOT NULL
RETURN n.id AS id, vector(n.embedding, $dimension, FLOAT32) AS embedding

// name: entity_vectors(corpus, ids, dimension)
// mode: read
// returns: id, embedding
// As sentence_vectors.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Entity {id: id})
USING INDEX SEEK n:Entity(id)
WHERE n.corpus = $corpus AND n.embedding IS NOT NULL
RETURN n.id AS id, vector(n.embedding, $dimension, FLOAT32) AS embedding

// name: triple_vectors(corpus, ids, dimension)
// mode: read
// returns: id, embedding
// Of their textual triplets, which may be their sentences; as sentence_vectors.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {id: id}]->()
USING INDEX SEEK r:RELATION(id)
WHERE r.corpus = $corpus
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
WITH r, coalesce(r.embedding, s.embedding) AS embedding
WHERE embedding IS NOT NULL
RETURN r.id AS id, vector(embedding, $dimension, FLOAT32) AS embedding

// name: chunks_of_entities(corpus, ids, hub_chunks, limit)
// mode: read
// returns: id, score
// The chunks that mention some of these things, those first that share the rarest: a thing in n
// chunks counts 1 / n, one in too many not at all.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
USING INDEX SEEK e:Entity(id)
WHERE e.corpus = $corpus
WITH e, COUNT { (e)-[:MENTIONED_IN]->() } AS holders
WHERE 0 < holders AND holders <= $hub_chunks
MATCH (e)-[:MENTIONED_IN]->(c:Chunk)
WITH DISTINCT e, c, 1.0 / holders AS weight
RETURN c.id AS id, sum(weight) AS score
ORDER BY score DESC, id
LIMIT $limit

// name: names_in_chunks(corpus, ids, value_types)
// mode: read
// returns: id
// What some chunks name, without dates, numbers and amounts.
CYPHER 25
UNWIND $ids AS chunk_id
MATCH (c:Chunk {id: chunk_id})<-[m:MENTIONED_IN]-(e:Entity)
USING INDEX SEEK c:Chunk(id)
WHERE c.corpus = $corpus AND (m.is_title OR NOT m.type IN $value_types)
RETURN DISTINCT e.id AS id
ORDER BY id
