// name: neighbourhood(corpus, entity_id, chunk_limit, entity_limit)
// mode: read
// returns: chunk_id, entity_id, weight
// An entity, the chunks that hold it and what else these name, most shared first.
CYPHER 25
MATCH (entity:Entity {id: $entity_id, corpus: $corpus})-[mention:MENTIONED_IN]->(chunk:Chunk)
WITH entity, chunk, max(mention.is_title) AS is_title, sum(mention.count) AS mentions
ORDER BY is_title DESC, mentions DESC, chunk.id
LIMIT $chunk_limit
WITH entity, collect(chunk) AS chunks
CALL (entity, chunks) {
  UNWIND chunks AS chunk
  MATCH (chunk)<-[mention:MENTIONED_IN]-(other:Entity)
  WHERE other <> entity
  WITH other, count(DISTINCT chunk) AS shared, sum(mention.count) AS mentions
  ORDER BY shared DESC, mentions DESC, other.id
  LIMIT $entity_limit
  RETURN collect(other) AS others
}
UNWIND chunks AS chunk
MATCH (chunk)<-[mention:MENTIONED_IN]-(shown:Entity)
WHERE shown = entity OR shown IN others
RETURN chunk.id AS chunk_id, shown.id AS entity_id, sum(mention.count) AS weight
ORDER BY chunk_id, entity_id

// name: joined_entities(corpus, chunk_ids, entity_ids, value_types, limit)
// mode: read
// returns: chunk_id, entity_id, weight
// The given entities and what the given chunks name: first what several of them name, then what
// few chunks of the corpus name.
CYPHER 25
MATCH (chunk:Chunk)<-[mention:MENTIONED_IN]-(entity:Entity)
WHERE chunk.id IN $chunk_ids AND chunk.corpus = $corpus
  AND (mention.is_title OR NOT mention.type IN $value_types OR entity.id IN $entity_ids)
WITH entity, chunk.id AS chunk_id, sum(mention.count) AS mentions
WITH entity, collect({id: chunk_id, count: mentions}) AS places
ORDER BY entity.id IN $entity_ids DESC,
         size(places) DESC,
         COUNT { (entity)-[:MENTIONED_IN]->() },
         entity.id
LIMIT $limit
UNWIND places AS place
RETURN place.id AS chunk_id, entity.id AS entity_id, place.count AS weight
ORDER BY chunk_id, entity_id

// name: chunk_successions(chunk_ids)
// mode: read
// returns: source, target
// Chunks of one document that follow one another.
CYPHER 25
MATCH (a:Chunk)-[:NEXT_CHUNK]->(b:Chunk)
WHERE a.id IN $chunk_ids AND b.id IN $chunk_ids
RETURN a.id AS source, b.id AS target
ORDER BY source, target

// name: export_chunk_nodes(corpus, chunk_ids, dimension)
// mode: read
// returns: id, embedding, next_ids
// The chunks of an export with their successors; all of the corpus where none are named.
CYPHER 25
MATCH (chunk:Chunk {corpus: $corpus})
WHERE $chunk_ids IS NULL OR chunk.id IN $chunk_ids
RETURN chunk.id AS id, vector(chunk.embedding, $dimension, FLOAT32) AS embedding,
       COLLECT { MATCH (chunk)-[:NEXT_CHUNK]->(after:Chunk) RETURN after.id } AS next_ids
ORDER BY id

// name: export_sentence_nodes(corpus, chunk_ids, dimension)
// mode: read
// returns: id, chunk_id, embedding, heads, tails, next_ids
// The sentences of an export with their chunk, their entities and their successors.
CYPHER 25
MATCH (sentence:Sentence {corpus: $corpus})-[:IN_CHUNK]->(chunk:Chunk)
WHERE $chunk_ids IS NULL OR chunk.id IN $chunk_ids
RETURN sentence.id AS id, chunk.id AS chunk_id,
       vector(sentence.embedding, $dimension, FLOAT32) AS embedding,
       COLLECT { MATCH (sentence)<-[:HEAD_OF]-(entity:Entity) RETURN entity.id } AS heads,
       COLLECT { MATCH (sentence)-[:HAS_TAIL]->(entity:Entity) RETURN entity.id } AS tails,
       COLLECT { MATCH (sentence)-[:NEXT_SENTENCE]->(after:Sentence) RETURN after.id } AS next_ids
ORDER BY id

// name: export_entity_nodes(corpus, chunk_ids, dimension)
// mode: read
// returns: id, embedding, mentions
// The entities of an export, each with [chunk, count] of its mentions.
CYPHER 25
MATCH (entity:Entity {corpus: $corpus})
WITH entity, COLLECT {
  MATCH (entity)-[mention:MENTIONED_IN]->(chunk:Chunk)
  WHERE $chunk_ids IS NULL OR chunk.id IN $chunk_ids
  RETURN [chunk.id, mention.count]
} AS mentions
WHERE size(mentions) > 0
RETURN entity.id AS id, vector(entity.embedding, $dimension, FLOAT32) AS embedding, mentions
ORDER BY id
