// name: evidence_incidence(corpus, chunk_ids, entity_ids, value_types, hub_chunks)
// mode: read
// returns: ties
// The entities that hold the evidence together: named in two of its chunks, or in the question; in
// one row, which is fetched in a fraction of the time of many. Values (dates, numbers) and hubs join
// everything and so explain nothing.
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})<-[mention:MENTIONED_IN]-(entity:Entity)
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.corpus = $corpus
  AND (mention.is_title OR NOT mention.type IN $value_types OR entity.id IN $entity_ids)
WITH entity, chunk, max(mention.is_title) AS is_title
WITH entity, collect({chunk: chunk, is_title: is_title}) AS places
WHERE size(places) > 1 OR entity.id IN $entity_ids
WITH entity, places,
     CASE
       WHEN EXISTS { (entity)<-[:MERGED_INTO]-() }
         THEN COUNT { MATCH (entity)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
       ELSE COUNT { (entity)-[:MENTIONED_IN]->() }
     END AS chunk_count
WHERE chunk_count <= $hub_chunks OR entity.id IN $entity_ids
UNWIND places AS place
WITH entity, chunk_count, place.chunk AS chunk, place.is_title AS is_title
WITH entity, chunk_count, chunk, is_title,
  COLLECT {
    MATCH (entity)-[:HEAD_OF|HAS_TAIL]-(sentence:Sentence)-[:IN_CHUNK]->(chunk)
    RETURN sentence.text
    ORDER BY sentence.position
    LIMIT 1
  } AS sentence
ORDER BY entity.id, chunk.id
RETURN collect({
  entity_id: entity.id, name: entity.name, type: entity.type, chunk_count: chunk_count,
  chunk_id: chunk.id, title: chunk.title, is_title: is_title, sentence: sentence
}) AS ties
