// name: neighbourhood(corpus, entity_id, chunk_limit, entity_limit)
// mode: read
// returns: chunk_id, entity_id, weight
// An entity, the chunks that hold it and what else these name, most shared first.
CYPHER 25
MATCH (entity:Entity {id: $entity_id, corpus: $corpus})-[mention:MENTIONED_IN]->(chunk:Chunk)
USING INDEX SEEK entity:Entity(id)
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

// name: related_entities(corpus, entity_id, limit)
// mode: read
// returns: id, triples
// What triples join with an entity, those of most triples first.
CYPHER 25
MATCH (:Entity {id: $entity_id, corpus: $corpus})-[triple:RELATION]-(other:Entity)
WHERE other.id <> $entity_id
WITH other, count(triple) AS triples
ORDER BY triples DESC, other.id
LIMIT $limit
RETURN other.id AS id, triples

// name: relations_among(corpus, ids)
// mode: read
// returns: source, target, captions, triples
// Triples between entities, a row a pair and direction: how the first three are written.
CYPHER 25
MATCH (head:Entity)-[triple:RELATION]->(tail:Entity)
USING INDEX SEEK head:Entity(id)
WHERE head.id IN $ids AND tail.id IN $ids AND head.corpus = $corpus AND head <> tail
WITH head.id AS source, tail.id AS target, coalesce(triple.caption, triple.predicate) AS caption,
     count(*) AS times
ORDER BY times DESC, caption
RETURN source, target, collect(caption)[..3] AS captions, sum(times) AS triples
ORDER BY source, target

// name: documents_of_chunks(corpus, chunk_ids)
// mode: read
// returns: id, title, media_type, chunk_ids
// The documents that chunks are part of, in the order of the chunks.
CYPHER 25
UNWIND range(0, size($chunk_ids) - 1) AS place
MATCH (chunk:Chunk {id: $chunk_ids[place]})-[:PART_OF]->(document:Document)
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.corpus = $corpus
WITH document, min(place) AS first, collect(chunk.id) AS chunk_ids
ORDER BY first
RETURN document.id AS id, coalesce(document.title, document.uri) AS title,
       coalesce(document.media_type, '') AS media_type, chunk_ids

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

// name: path_between(corpus, a, b)
// mode: read
// returns: nodes, edges
// The shortest way from one entity to another, over triples and passages that mention both.
CYPHER 25
MATCH (x:Entity {id: $a, corpus: $corpus})
USING INDEX SEEK x:Entity(id)
MATCH (y:Entity {id: $b, corpus: x.corpus})
USING INDEX SEEK y:Entity(id)
MATCH path = shortestPath((x)-[:RELATION|MENTIONED_IN*..8]-(y))
RETURN [n IN nodes(path) | {id: n.id}] AS nodes,
       [r IN relationships(path) |
         {source: startNode(r).id, target: endNode(r).id, kind: type(r),
          text: coalesce(r.caption, ''), weight: toFloat(coalesce(r.count, 1))}] AS edges

// name: chunk_successions(chunk_ids)
// mode: read
// returns: source, target
// Chunks of one document that follow one another.
CYPHER 25
MATCH (a:Chunk)-[:NEXT_CHUNK]->(b:Chunk)
WHERE a.id IN $chunk_ids AND b.id IN $chunk_ids
RETURN a.id AS source, b.id AS target
ORDER BY source, target
