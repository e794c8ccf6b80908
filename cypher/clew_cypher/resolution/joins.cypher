// name: documents_to_join(corpus)
// mode: read
// returns: id
// Documents in which a short form and its full name may stand in two chunks.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE d.joined IS NULL AND (d.chunks > 1 OR d.joins > 0)
RETURN d.id AS id
ORDER BY id

// name: document_mentions(id)
// mode: read
// returns: chunk_id, came_from, base, key, joined, surface, type, is_title, count
// A document's mentions with the entity that each is of, before and after it was joined.
CYPHER 25
MATCH (:Document {id: $id})<-[:PART_OF]-(c:Chunk)<-[m:MENTIONED_IN]-(e:Entity)
OPTIONAL MATCH (o:MergedEntity {id: m.origin})
RETURN c.id AS chunk_id, coalesce(m.origin, e.id) AS came_from,
       coalesce(m.short, m.origin, e.id) AS base,
       coalesce(m.short_key, o.key, e.key) AS key, m.short IS NOT NULL AS joined,
       coalesce(m.short_surface, m.surface) AS surface, m.type AS type,
       m.is_title AS is_title, m.count AS count
ORDER BY c.position, chunk_id, base, came_from

// name: join_mentions(rows)
// mode: write
// returns: moved
// A short form's mentions of a chunk, at the full name's entity; ``short`` says what they were of.
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {id: row.chunk_id})<-[m:MENTIONED_IN]-(e:Entity)
WHERE coalesce(m.origin, e.id) = row.came_from AND coalesce(m.short, '') = row.was_short
MATCH (t:Entity {id: row.to})
WITH m, c, t, row, properties(m) AS said
DELETE m
CREATE (t)-[n:MENTIONED_IN]->(c)
SET n = said
SET n.origin = row.origin,
    n.short = row.short,
    n.short_key = row.short_key,
    n.short_surface = CASE WHEN row.short IS NULL THEN null ELSE row.surface END,
    n.surface = CASE WHEN row.short IS NULL THEN row.surface ELSE row.full END
RETURN count(*) AS moved

// name: join_heads(rows)
// mode: write
// returns: moved
// As join_mentions, for the heads of the chunk's sentences.
CYPHER 25
UNWIND $rows AS row
MATCH (:Chunk {id: row.chunk_id})<-[:IN_CHUNK]-(s:Sentence)<-[m:HEAD_OF]-(e:Entity)
WHERE coalesce(m.origin, e.id) = row.came_from AND coalesce(m.short, '') = row.was_short
MATCH (t:Entity {id: row.to})
WITH m, s, t, row, properties(m) AS said
DELETE m
CREATE (t)-[n:HEAD_OF]->(s)
SET n = said
SET n.origin = row.origin,
    n.short = row.short
RETURN count(*) AS moved

// name: join_tails(rows)
// mode: write
// returns: moved
// As join_mentions, for the tails of the chunk's sentences.
CYPHER 25
UNWIND $rows AS row
MATCH (:Chunk {id: row.chunk_id})<-[:IN_CHUNK]-(s:Sentence)-[m:HAS_TAIL]->(e:Entity)
WHERE coalesce(m.origin, e.id) = row.came_from AND coalesce(m.short, '') = row.was_short
MATCH (t:Entity {id: row.to})
WITH m, s, t, row, properties(m) AS said
DELETE m
CREATE (s)-[n:HAS_TAIL]->(t)
SET n = said
SET n.origin = row.origin,
    n.short = row.short
RETURN count(*) AS moved

// name: join_relation_heads(rows)
// mode: write
// returns: moved
// As join_mentions, for what the chunk's triples are said of.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity)-[m:RELATION {chunk_id: row.chunk_id}]->(o:Entity)
USING INDEX SEEK m:RELATION(chunk_id)
WHERE coalesce(m.head_origin, e.id) = row.came_from
  AND coalesce(m.head_short, '') = row.was_short
MATCH (t:Entity {id: row.to})
WITH m, o, t, row, properties(m) AS said
DELETE m
CREATE (t)-[n:RELATION]->(o)
SET n = said
SET n.head_origin = row.origin,
    n.head_short = row.short
RETURN count(*) AS moved

// name: join_relation_tails(rows)
// mode: write
// returns: moved
// As join_relation_heads, for the other end.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity)<-[m:RELATION {chunk_id: row.chunk_id}]-(o:Entity)
USING INDEX SEEK m:RELATION(chunk_id)
WHERE coalesce(m.tail_origin, e.id) = row.came_from
  AND coalesce(m.tail_short, '') = row.was_short
MATCH (t:Entity {id: row.to})
WITH m, o, t, row, properties(m) AS said
DELETE m
CREATE (o)-[n:RELATION]->(t)
SET n = said
SET n.tail_origin = row.origin,
    n.tail_short = row.short
RETURN count(*) AS moved

// name: lock_ready_document(id)
// mode: write
// returns: sha256
// Still in the version that was read, and nobody else joins it.
CYPHER 25
MATCH (d:Document {id: $id, status: 'ready'})
USING INDEX SEEK d:Document(id)
SET d.locked = true
REMOVE d.locked
RETURN d.sha256 AS sha256

// name: mark_joined(id, joins)
// mode: write
// returns: id
// ``joins``: how many mentions stand at a full name's entity.
CYPHER 25
MATCH (d:Document {id: $id})
SET d.joined = true,
    d.joins = $joins
RETURN d.id AS id
