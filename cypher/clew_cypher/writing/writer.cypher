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
// Which of the entities are in the graph, merged ones too: these need no new vector.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Entity|MergedEntity {id: id})
RETURN n.id AS id

// name: existing_ids_of_documents(ids)
// mode: read
// returns: id
// Which of the documents are in the graph.
CYPHER 25
UNWIND $ids AS id
MATCH (n:Document {id: id})
RETURN n.id AS id

// name: unit_chunks(document_id, units)
// mode: read
// returns: unit, ids
// Which parts of a document are there whole, with the ids of their chunks in order.
CYPHER 25
MATCH (:Document {id: $document_id})<-[:PART_OF]-(c:Chunk)
WHERE c.unit IN $units
WITH c
ORDER BY c.position, c.id
WITH c.unit AS unit, c.unit_chunks AS wanted, collect(c.id) AS ids
WHERE size(ids) = wanted
RETURN unit, ids
ORDER BY unit

// name: lock_documents(corpus, ids)
// mode: write
// returns: id, sha256, fingerprint, status
// A document that is being deleted or accepted anew is waited for, and then seen as it is.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
SET d.locked = true
REMOVE d.locked
WITH d
RETURN d.id AS id, d.sha256 AS sha256, d.fingerprint AS fingerprint, d.status AS status

// name: write_documents(corpus, rows)
// mode: write
// returns: written
// Files exist since they were accepted; the records of a file come into being here, without an
// accepted_at, so that the index by it holds what is listed. A version is the content with the
// settings it is indexed with: another one is ready later and costs anew.
CYPHER 25
UNWIND $rows AS row
MERGE (d:Document {id: row.id})
ON CREATE SET
  d.corpus = $corpus,
  d.kind = 'text',
  d.status = 'accepted',
  d.created_at = datetime()
WITH d, row, row.sha256 + coalesce(':' + row.fingerprint, '') AS version
FOREACH (_ IN CASE WHEN coalesce(d.version, d.sha256) <> version THEN [1] ELSE [] END |
  SET d.status = 'accepted'
  REMOVE d.seconds, d.llm_calls, d.prompt_tokens, d.completion_tokens, d.failed_chunks
)
SET d.uri = row.uri,
    d.title = row.title,
    d.media_type = row.media_type,
    d.sha256 = row.sha256,
    d.fingerprint = row.fingerprint,
    d.version = version,
    d.parent_id = row.parent_id,
    d.metadata = row.metadata,
    d.left_out = row.left_out
RETURN count(*) AS written

// name: write_kept_chunks(rows)
// mode: write
// returns: id
// Chunks that the new version has too: they belong to it, at their place in it.
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {id: row.id})-[:PART_OF]->(d:Document {id: row.document_id})
SET c.version = coalesce(d.version, d.sha256),
    c.position = row.position,
    c.name = c.title + ' · ' + toString(row.position + 1),
    c.pages = row.pages,
    c.headings = row.headings
RETURN c.id AS id

// name: write_costs(rows)
// mode: write
// returns: written
// Added up over the parts of a document; one that is written again after it was ready begins anew.
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {id: row.document_id})
USING INDEX SEEK d:Document(id)
WITH d, row, CASE WHEN d.status = 'ready' THEN 0 ELSE 1 END AS share
SET d.seconds = share * coalesce(d.seconds, 0.0) + row.seconds,
    d.llm_calls = share * coalesce(d.llm_calls, 0) + row.calls,
    d.prompt_tokens = share * coalesce(d.prompt_tokens, 0) + row.prompt_tokens,
    d.completion_tokens = share * coalesce(d.completion_tokens, 0) + row.completion_tokens
RETURN count(*) AS written

// name: merged_into(ids)
// mode: read
// returns: id, canonical_id
// Which of the entities go by another one.
CYPHER 25
UNWIND $ids AS id
MATCH (m:MergedEntity {id: id})-[:MERGED_INTO]->(e:Entity)
RETURN m.id AS id, e.id AS canonical_id

// name: lock_entities(ids)
// mode: write
// returns: locked
// In the order of the ids: two transactions that write the same entities wait for each other.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity|MergedEntity {id: id})
SET e.locked = true
REMOVE e.locked
RETURN count(*) AS locked

// name: write_chunks(corpus, label, rows)
// mode: write
// returns: written
// A chunk remembers the version of its document, by which the chunks of an older one are found;
// the label is that of the corpus' own full-text index. Its sentences are linked to titles later.
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
    c.name = row.title + ' · ' + toString(row.position + 1),
    c.unit = row.unit,
    c.unit_chunks = row.unit_chunks,
    c.extraction_failed = row.extraction_failed,
    c.pages = row.pages,
    c.headings = row.headings,
    c.unlinked = true,
    c.version = coalesce(d.version, d.sha256)
MERGE (c)-[:PART_OF]->(d)
WITH c, row
CALL db.create.setNodeVectorProperty(c, 'embedding', row.embedding)
RETURN count(*) AS written

// name: write_sentences(corpus, rows)
// mode: write
// returns: written
// Sentences, each in its chunk, which has none: a chunk is cleared before it is written again.
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {id: row.chunk_id})
CREATE (s:Sentence {
  id: row.id,
  corpus: $corpus,
  position: row.position,
  text: row.text,
  name: CASE WHEN size(row.text) > 60 THEN left(row.text, 59) + '…' ELSE row.text END,
  hyperrelation: row.hyperrelation
})-[:IN_CHUNK]->(c)
WITH s, row
CALL db.create.setNodeVectorProperty(s, 'embedding', row.embedding)
RETURN count(*) AS written

// name: write_entities(corpus, rows)
// mode: write
// returns: written
// Name and type, and whether it names something at all, come from its edges, afterwards.
CYPHER 25
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
ON CREATE SET
  e.corpus = $corpus,
  e.key = row.key,
  e.name = row.key,
  e.type = '',
  e.named = false
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
// Mentions of chunks that have none. Those of a merged entity stand at the one it goes by, each
// with its origin, so that a merge can be undone.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (c:Chunk {id: row.chunk_id})
CREATE (e)-[:MENTIONED_IN {
  count: row.count,
  surface: row.surface,
  type: row.type,
  is_title: row.is_title,
  aliases: row.aliases,
  origin: row.origin
}]->(c)
RETURN count(*) AS written

// name: write_heads(rows)
// mode: write
// returns: written
// An entity is a head of a sentence's hyperrelation.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (s:Sentence {id: row.sentence_id})
CREATE (e)-[:HEAD_OF {type: row.type, origin: row.origin}]->(s)
RETURN count(*) AS written

// name: write_tails(rows)
// mode: write
// returns: written
// An entity is a tail of a sentence's hyperrelation.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MATCH (s:Sentence {id: row.sentence_id})
CREATE (s)-[:HAS_TAIL {type: row.type, origin: row.origin}]->(e)
RETURN count(*) AS written

// name: write_triples(corpus, rows)
// mode: write
// returns: written
// Triples of chunks that have none, from the entity that is the head to the one that is the tail. One
// whose textual triplet is its sentence has that one's vector, and none of its own.
CYPHER 25
UNWIND $rows AS row
MATCH (head:Entity {id: row.head_id})
MATCH (tail:Entity {id: row.tail_id})
CREATE (head)-[r:RELATION {
  id: row.id,
  corpus: $corpus,
  head: row.head,
  predicate: row.predicate,
  caption: row.caption,
  tail: row.tail,
  ttr: row.ttr,
  chunk_id: row.chunk_id,
  sentence_id: row.sentence_id,
  extractor: row.extractor,
  head_origin: row.head_origin,
  tail_origin: row.tail_origin
}]->(tail)
WITH r, row
CALL (r, row) {
  WITH r, row
  WHERE row.embedding IS NOT NULL
  CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.embedding)
}
RETURN count(*) AS written

// name: clear_chunk_sentences(ids)
// mode: write
// returns: deleted
// A chunk that is written again gets its sentences and their roles anew.
CYPHER 25
UNWIND $ids AS id
MATCH (:Chunk {id: id})<-[:IN_CHUNK]-(s:Sentence)
DETACH DELETE s
RETURN count(*) AS deleted

// name: clear_chunk_mentions(ids)
// mode: write
// returns: deleted
// A chunk that is written again gets its mentions anew.
CYPHER 25
UNWIND $ids AS id
MATCH (:Chunk {id: id})<-[m:MENTIONED_IN]-()
DELETE m
RETURN count(*) AS deleted

// name: delete_triples_of_chunks(ids)
// mode: write
// returns: deleted
// What these chunks state; found by the index on the chunk.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {chunk_id: id}]->()
USING INDEX SEEK r:RELATION(chunk_id)
DELETE r
RETURN count(*) AS deleted

// name: stale_chunks(ids)
// mode: read
// returns: id, document_id
// Chunks that only an older version of their document had, the last ones first.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})<-[:PART_OF]-(c:Chunk)
WHERE c.version <> coalesce(d.version, d.sha256)
RETURN c.id AS id, d.id AS document_id
ORDER BY c.position DESC, id

// name: chunks_of_documents(ids, limit)
// mode: read
// returns: id
// Chunks of documents that fail, are deleted or become files of records, the last ones first: what
// is left is in order.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(c:Chunk)
RETURN c.id AS id
ORDER BY c.position DESC, id
LIMIT $limit

// name: entities_of_chunks(ids)
// mode: read
// returns: id, origin
// What chunks mention and the arguments of their triples, each with the merged entity that the
// edge came from.
CYPHER 25
UNWIND $ids AS chunk_id
CALL (chunk_id) {
  MATCH (:Chunk {id: chunk_id})<-[m:MENTIONED_IN]-(e:Entity)
  RETURN e.id AS id, m.origin AS origin
  UNION ALL
  MATCH (head)-[r:RELATION {chunk_id: chunk_id}]->(tail)
  USING INDEX SEEK r:RELATION(chunk_id)
  UNWIND [[head.id, r.head_origin], [tail.id, r.tail_origin]] AS argument
  RETURN argument[0] AS id, argument[1] AS origin
}
RETURN DISTINCT id, origin
ORDER BY id, origin

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

// name: delete_unsupported_merged(ids)
// mode: write
// returns: id
// A merged entity goes with the last edge that came from it, and its merge with the last of its
// entities.
CYPHER 25
UNWIND $ids AS id
MATCH (m:MergedEntity {id: id})-[into:MERGED_INTO]->(e:Entity)
WHERE NOT EXISTS { (e)-[edge:MENTIONED_IN|HEAD_OF|HAS_TAIL]-() WHERE edge.origin = id }
  AND NOT EXISTS { (e)-[out:RELATION]->() WHERE out.head_origin = id }
  AND NOT EXISTS { (e)<-[in:RELATION]-() WHERE in.tail_origin = id }
WITH id, m, into.merge_id AS merge_id
DETACH DELETE m
WITH id, merge_id
OPTIONAL MATCH (merge:Merge {id: merge_id})
SET merge.merged_ids = [other IN merge.merged_ids WHERE other <> id]
WITH id, merge, size(merge.merged_ids) AS left
FOREACH (empty IN CASE WHEN left = 0 THEN [merge] ELSE [] END | DETACH DELETE empty)
RETURN id

// name: delete_orphan_entities(ids)
// mode: write
// returns: id
// An entity is there as long as a chunk mentions it or a triple needs it.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE NOT EXISTS { (e)-[:MENTIONED_IN|RELATION]-() }
DETACH DELETE e
RETURN id

// name: delete_reviews_of(ids)
// mode: write
// returns: deleted
// Nobody can judge a pair of which one is gone; the other is resolved again, since a rival is gone.
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (r:Review {a: id})
  RETURN r, r.b AS left
  UNION
  MATCH (r:Review {b: id})
  RETURN r, r.a AS left
}
WITH DISTINCT r, left
OPTIONAL MATCH (e:Entity {id: left})
SET e.resolved = null
DETACH DELETE r
RETURN count(*) AS deleted

// name: refresh_entities(ids, kinds)
// mode: write
// returns: refreshed
// Name, type and other names follow from all edges, so that the order of writing leaves no trace.
// What no chunk mentions goes by its most frequent spelling in triples. It is a name where a
// knowledge base has it as one (by its types), and nothing is to be resolved then; else a concept,
// without corpus_key, by which names are found. Its kind, a label, follows from its type. Of what is
// mentioned something else is known now, so that resolution looks again. A name is cut where the
// index of names would refuse it; the triple has all of it.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
MATCH (home:Corpus {name: e.corpus})
CALL (e) {
  MATCH (e)-[m:MENTIONED_IN]->()
  WITH m.surface AS surface, m.type AS type, sum(m.count) AS mentions,
       coalesce(m.aliases, []) + CASE WHEN m.short IS NULL THEN [] ELSE [m.short_key] END
         AS aliases
  RETURN collect({surface: surface, type: type, aliases: aliases, mentions: mentions}) AS tallies
}
CALL (tallies) {
  UNWIND tallies AS tally
  WITH tally.surface AS surface, sum(tally.mentions) AS mentions
  ORDER BY mentions DESC, size(surface) DESC, surface
  LIMIT 1
  RETURN collect(surface)[0] AS name
}
CALL (tallies) {
  UNWIND tallies AS tally
  WITH tally.type AS type, sum(tally.mentions) AS mentions
  ORDER BY mentions DESC, type
  LIMIT 1
  RETURN collect(type)[0] AS type
}
CALL (e, tallies) {
  CALL (e, tallies) {
    UNWIND tallies AS tally
    UNWIND tally.aliases AS alias
    RETURN alias
    UNION
    MATCH (e)<-[:MERGED_INTO]-(m:MergedEntity)
    WHERE m.key <> e.key
    RETURN m.key AS alias
  }
  WITH alias
  ORDER BY alias
  RETURN collect(alias) AS aliases
}
CALL (e, tallies) {
  UNWIND CASE WHEN size(tallies) = 0 THEN [e] ELSE [] END AS unmentioned
  MATCH (unmentioned)-[r:RELATION]-()
  WITH CASE WHEN startNode(r) = unmentioned THEN [r.head, r.head_type] ELSE [r.tail, r.tail_type]
         END AS said, count(*) AS uses
  WITH said[0] AS surface, coalesce(said[1], 'CONCEPT') AS kind, uses
  ORDER BY kind = 'CONCEPT', uses DESC, size(surface) DESC, surface, kind
  LIMIT 1
  RETURN collect({surface: surface, type: kind})[0] AS argument
}
CALL (e) {
  MATCH (e)-[r:RELATION]-()
  WITH CASE WHEN startNode(r) = e THEN r.head_iri ELSE r.tail_iri END AS iri
  WHERE iri IS NOT NULL
  WITH DISTINCT iri
  ORDER BY iri
  RETURN collect(iri) AS iris
}
WITH e, home, name, type, aliases, argument, iris, size(tallies) > 0 AS mentioned,
     size(tallies) > 0 OR argument.type <> 'CONCEPT' AS named
SET e.name = left(CASE WHEN mentioned THEN name ELSE coalesce(argument.surface, e.key) END, 1000),
    e.type = CASE WHEN mentioned THEN type ELSE coalesce(argument.type, 'CONCEPT') END,
    e.named = coalesce(named, false),
    e.corpus_key = CASE WHEN named THEN home.corpus_key END,
    e.aliases = CASE WHEN size(aliases) = 0 THEN null ELSE aliases END,
    e.iris = CASE WHEN size(iris) = 0 THEN null ELSE iris END,
    e.resolved = CASE WHEN mentioned THEN null ELSE true END,
    e.stale = null
WITH e, $kinds[e.type] AS kind, [name IN keys($kinds) | $kinds[name]] AS every
WITH e, kind, [label IN labels(e) WHERE label IN every] AS had
REMOVE e:$([label IN had WHERE label <> coalesce(kind, '')])
SET e:$(CASE WHEN kind IS NULL OR kind IN had THEN [] ELSE [kind] END)
RETURN count(*) AS refreshed

// name: mark_hubs(ids, least)
// mode: write
// returns: id
// What follows from all edges of an entity would take longer with every batch, where it has many.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE COUNT { (e)-[:MENTIONED_IN]->() } >= $least OR COUNT { (e)-[:RELATION]-() } >= $least
SET e.stale = true
RETURN e.id AS id

// name: stale_entities(corpus, limit)
// mode: read
// returns: id
// Entities that batches left for the end.
CYPHER 25
MATCH (e:Entity {corpus: $corpus, stale: true})
RETURN e.id AS id
ORDER BY id
LIMIT $limit

// name: finish_documents(ids)
// mode: write
// returns: finished
// The state flips in the transaction that makes the content whole; who names it is linked later.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
USING INDEX SEEK d:Document(id)
CALL (d) {
  MATCH (d)<-[:PART_OF]-(c:Chunk)
  MATCH ()-[r:RELATION]->()
  WHERE r.chunk_id = c.id
  RETURN count(r) AS triples
}
SET d.kind = 'text',
    d.status = 'ready',
    d.error = null,
    d.joined = null,
    d.unlinked = true,
    d.ready_at = datetime(),
    d.chunks = COUNT { (d)<-[:PART_OF]-(:Chunk) },
    d.failed_chunks = nullIf(COUNT { (d)<-[:PART_OF]-(c:Chunk) WHERE c.extraction_failed }, 0),
    d.triples = triples
RETURN count(*) AS finished

// name: unlink_chunks(ids)
// mode: write
// returns: deleted
// The order of a document is made anew when it is finished: some of its chunks may be of an older
// version, or of a run before.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(:Chunk)-[next:NEXT_CHUNK]->()
DELETE next
RETURN count(*) AS deleted

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
CREATE (before)-[:NEXT_CHUNK]->(after)
RETURN count(*) AS linked

// name: unlink_sentences(ids)
// mode: write
// returns: deleted
// As unlink_chunks.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(:Chunk)<-[:IN_CHUNK]-(:Sentence)-[next:NEXT_SENTENCE]->()
DELETE next
RETURN count(*) AS deleted

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
CREATE (before)-[:NEXT_SENTENCE]->(after)
RETURN count(*) AS linked
