// name: existing_ids_of_chunks(ids)
// mode: read
// returns: id
// Which of the chunks are in the graph.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Chunk {id: id})
RETURN n.id AS id

// name: existing_ids_of_sentences(ids)
// mode: read
// returns: id
// Which of the sentences are in the graph.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Sentence {id: id})
RETURN n.id AS id

// name: existing_ids_of_entities(ids)
// mode: read
// returns: id
// Which of the entities are in the graph: these need no new vector.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN n.id AS id

// name: existing_ids_of_documents(ids)
// mode: read
// returns: id
// Which of the documents are in the graph.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Document {id: id})
RETURN n.id AS id

// name: lock_documents(corpus, ids)
// mode: write
// returns: id, sha256, status
// A document that is being deleted or accepted anew is waited for, and then seen as it is.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus})
SET d.locked = true
REMOVE d.locked
WITH d
RETURN d.id AS id, d.sha256 AS sha256, d.status AS status

// name: write_documents(corpus, rows)
// mode: write
// returns: written
// Files exist since they were accepted; the records of a file come into being here.
CYPHER 25
UNWIND $rows AS row
MERGE (d:Document {id: row.id})
ON CREATE SET
  d.corpus = $corpus,
  d.kind = 'text',
  d.status = 'accepted',
  d.accepted_at = datetime()
SET d.status = CASE WHEN d.sha256 <> row.sha256 THEN 'accepted' ELSE d.status END,
    d.uri = row.uri,
    d.title = row.title,
    d.media_type = row.media_type,
    d.sha256 = row.sha256,
    d.parent_id = row.parent_id,
    d.metadata = row.metadata
RETURN count(*) AS written

// name: write_chunks(corpus, label, rows)
// mode: write
// returns: written
// A chunk remembers the version of its document, by which the chunks of an older one are found;
// the label is that of the corpus' own full-text index.
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {id: row.document_id})
MERGE (c:Chunk {id: row.id})
SET c.corpus = $corpus,
    c:$($label),
    c.document_id = row.document_id,
    c.position = row.position,
    c.title = row.title,
    c.text = row.text,
    c.version = d.sha256
MERGE (c)-[:PART_OF]->(d)
WITH c, row
CALL db.create.setNodeVectorProperty(c, 'embedding', row.embedding)
RETURN count(*) AS written

// name: write_sentences(corpus, rows)
// mode: write
// returns: written
// Sentences, each in its chunk.
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {id: row.chunk_id})
MERGE (s:Sentence {id: row.id})
SET s.corpus = $corpus,
    s.position = row.position,
    s.text = row.text,
    s.hyperrelation = row.hyperrelation
MERGE (s)-[:IN_CHUNK]->(c)
WITH s, row
CALL db.create.setNodeVectorProperty(s, 'embedding', row.embedding)
RETURN count(*) AS written

// name: write_entities(corpus, corpus_key, rows)
// mode: write
// returns: written
// Name and type come from the mentions, afterwards.
CYPHER 25
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
ON CREATE SET
  e.corpus = $corpus,
  e.corpus_key = $corpus_key,
  e.key = row.key,
  e.name = row.key,
  e.type = ''
RETURN count(*) AS written

// name: write_entity_vectors(rows)
// mode: write
// returns: written
// An entity's vector is that of its key, so that one that is there stays.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.embedding IS NULL
CALL db.create.setNodeVectorProperty(e, 'embedding', row.embedding)
RETURN count(*) AS written

// name: entities_without_vector(ids)
// mode: read
// returns: id
// Entities that were deleted after the caller saw them, so that it did not embed them.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.embedding IS NULL
RETURN e.id AS id

// name: write_mentions(rows)
// mode: write
// returns: written
// An entity in a chunk.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (c:Chunk {id: row.chunk_id})
MERGE (e)-[m:MENTIONED_IN]->(c)
SET m.count = row.count,
    m.surface = row.surface,
    m.type = row.type,
    m.is_title = row.is_title,
    m.aliases = row.aliases
RETURN count(*) AS written

// name: write_heads(rows)
// mode: write
// returns: written
// The heads of hyperrelations (KT-3).
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (s:Sentence {id: row.sentence_id})
MERGE (e)-[r:HEAD_OF]->(s)
SET r.type = row.type
RETURN count(*) AS written

// name: write_tails(rows)
// mode: write
// returns: written
// The tails of hyperrelations (KT-3).
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (s:Sentence {id: row.sentence_id})
MERGE (s)-[r:HAS_TAIL]->(e)
SET r.type = row.type
RETURN count(*) AS written

// name: clear_chunk_sentences(chunk_ids, keep_ids)
// mode: write
// returns: deleted
// Sentences that a chunk, written again, no longer has.
CYPHER 25
UNWIND $chunk_ids AS id
MATCH (:Chunk {id: id})<-[:IN_CHUNK]-(s:Sentence)
WHERE NOT s.id IN $keep_ids
DETACH DELETE s
RETURN count(*) AS deleted

// name: clear_chunk_mentions(chunk_ids, keep)
// mode: write
// returns: entity_id
// Mentions that a chunk, written again, no longer has.
CYPHER 25
UNWIND $chunk_ids AS id
MATCH (c:Chunk {id: id})<-[m:MENTIONED_IN]-(e:Entity)
WHERE NOT e.id IN $keep[id]
DELETE m
RETURN DISTINCT e.id AS entity_id
ORDER BY entity_id

// name: clear_chunk_roles(chunk_ids)
// mode: write
// returns: deleted
// The roles in a chunk that is written again come anew with it.
CYPHER 25
UNWIND $chunk_ids AS id
MATCH (:Chunk {id: id})<-[:IN_CHUNK]-(s:Sentence)-[r:HEAD_OF|HAS_TAIL]-(:Entity)
DELETE r
RETURN count(*) AS deleted

// name: stale_chunks(ids)
// mode: read
// returns: id
// Chunks that only an older version of their document had.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})<-[:PART_OF]-(c:Chunk)
WHERE c.version <> d.sha256
RETURN c.id AS id
ORDER BY id

// name: chunks_of_documents(ids)
// mode: read
// returns: id
// All chunks of documents that fail, are deleted or become files of records.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(c:Chunk)
RETURN c.id AS id
ORDER BY id

// name: entities_of_chunks(ids)
// mode: write
// returns: id
// Locks the entities in order before their mentions go: two transactions agree on who is left.
CYPHER 25
UNWIND $ids AS chunk_id
MATCH (:Chunk {id: chunk_id})<-[:MENTIONED_IN]-(e:Entity)
WITH DISTINCT e
ORDER BY e.id
SET e.locked = true
REMOVE e.locked
WITH e
RETURN e.id AS id

// name: delete_chunks(ids)
// mode: write
// returns: chunks, sentences
// Chunks with their sentences, and with every edge at them.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
CALL (c) {
  OPTIONAL MATCH (c)<-[:IN_CHUNK]-(s:Sentence)
  DETACH DELETE s
  RETURN count(s) AS deleted
}
DETACH DELETE c
RETURN count(*) AS chunks, sum(deleted) AS sentences

// name: delete_orphan_entities(ids)
// mode: write
// returns: deleted
// An entity is there as long as a chunk mentions it.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE NOT EXISTS { (e)-[:MENTIONED_IN]->() }
DETACH DELETE e
RETURN count(*) AS deleted

// name: refresh_entities(ids)
// mode: write
// returns: refreshed
// Name, type and other names follow from all mentions, so that the order of writing leaves no trace.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
CALL (e) {
  MATCH (e)-[m:MENTIONED_IN]->()
  WITH m.surface AS surface, sum(m.count) AS mentions
  ORDER BY mentions DESC, size(surface) DESC, surface
  LIMIT 1
  RETURN surface
}
CALL (e) {
  MATCH (e)-[m:MENTIONED_IN]->()
  WITH m.type AS type, sum(m.count) AS mentions
  ORDER BY mentions DESC, type
  LIMIT 1
  RETURN type
}
CALL (e) {
  OPTIONAL MATCH (e)-[m:MENTIONED_IN]->()
  WHERE m.aliases IS NOT NULL
  UNWIND m.aliases AS alias
  WITH DISTINCT alias
  ORDER BY alias
  RETURN collect(alias) AS aliases
}
SET e.name = surface,
    e.type = type,
    e.aliases = CASE WHEN size(aliases) = 0 THEN null ELSE aliases END
RETURN count(*) AS refreshed

// name: finish_documents(ids)
// mode: write
// returns: finished
// The state flips in the transaction that makes the content whole.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
SET d.kind = 'text',
    d.status = 'ready',
    d.error = null,
    d.ready_at = datetime(),
    d.chunks = COUNT { (d)<-[:PART_OF]-(:Chunk) }
RETURN count(*) AS finished

// name: link_chunks(ids)
// mode: write
// returns: linked
// The order of a document's chunks.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(c:Chunk)
WITH id, c
ORDER BY id, c.position
WITH id, collect(c) AS chunks
UNWIND range(0, size(chunks) - 2) AS i
WITH chunks[i] AS before, chunks[i + 1] AS after
MERGE (before)-[:NEXT_CHUNK]->(after)
RETURN count(*) AS linked

// name: link_sentences(ids)
// mode: write
// returns: linked
// The order of a document's sentences, across its chunks.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(c:Chunk)<-[:IN_CHUNK]-(s:Sentence)
WITH id, c, s
ORDER BY id, c.position, s.position
WITH id, collect(s) AS sentences
UNWIND range(0, size(sentences) - 2) AS i
WITH sentences[i] AS before, sentences[i + 1] AS after
MERGE (before)-[:NEXT_SENTENCE]->(after)
RETURN count(*) AS linked
