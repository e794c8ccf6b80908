// name: ensure_corpus(name, corpus_key, embedder, dimension, extractor)
// mode: write
// returns: name, revision, embedder, dimension, extractor, created_at, of_bench, filled
// A corpus keeps the embedder it was filled with; an empty one takes the one that is configured.
CYPHER 25
MERGE (c:Corpus {name: $name})
ON CREATE SET
  c.corpus_key = $corpus_key,
  c.revision = 0,
  c.embedder = $embedder,
  c.dimension = $dimension,
  c.extractor = $extractor,
  c.created_at = datetime()
WITH c, EXISTS { MATCH (:Chunk {corpus: $name}) }
     OR EXISTS { MATCH (e:Entity {corpus: $name}) WHERE e.key IS NOT NULL } AS filled
SET c.embedder = CASE WHEN filled THEN c.embedder ELSE $embedder END,
    c.dimension = CASE WHEN filled THEN c.dimension ELSE $dimension END
RETURN c.name AS name, c.revision AS revision, c.embedder AS embedder,
       c.dimension AS dimension, coalesce(c.extractor, 'rules') AS extractor,
       toString(c.created_at) AS created_at, coalesce(c.of_bench, false) AS of_bench, filled

// name: set_extractor(corpus, extractor)
// mode: write
// returns: extractor
// Documents that are ready keep their triples until they are ingested again.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
SET c.extractor = $extractor
RETURN c.extractor AS extractor

// name: list_corpora()
// mode: read
// returns: name, revision, embedder, dimension, extractor, created_at, of_bench, documents, collections, failed, accepted
// The names a person chooses from, with how many documents are in each: as `corpus` and
// `document_counts`, for all at once.
CYPHER 25
MATCH (c:Corpus)
WITH c, COUNT {
  MATCH (d:Document {corpus: c.name, kind: 'collection'})
  USING INDEX SEEK d:Document(corpus, kind)
  WHERE d.status = 'ready'
} AS collections
RETURN c.name AS name, c.revision AS revision, c.embedder AS embedder, c.dimension AS dimension,
       coalesce(c.extractor, 'rules') AS extractor, toString(c.created_at) AS created_at,
       coalesce(c.of_bench, c.name =~ 'bench-.+-[0-9a-f]{8}') AS of_bench,
       COUNT { MATCH (d:Document {corpus: c.name, status: 'ready'}) } - collections AS documents,
       collections,
       COUNT { MATCH (d:Document {corpus: c.name, status: 'failed'}) } AS failed,
       COUNT { MATCH (d:Document {corpus: c.name, status: 'accepted'}) } AS accepted
ORDER BY name

// name: mark_of_bench(corpus)
// mode: write
// returns: name
// So that lists keep it apart from what people ask.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
SET c.of_bench = true
RETURN c.name AS name

// name: corpus(corpus)
// mode: read
// returns: name, revision, embedder, dimension, extractor, created_at, of_bench
// The revision names what caches and projections were made from. The bench's corpora of earlier
// versions carry no mark: their names tell.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
RETURN c.name AS name, c.revision AS revision, c.embedder AS embedder,
       c.dimension AS dimension, coalesce(c.extractor, 'rules') AS extractor,
       toString(c.created_at) AS created_at,
       coalesce(c.of_bench, c.name =~ 'bench-.+-[0-9a-f]{8}') AS of_bench

// name: asked_corpus(corpus, ids, limit)
// mode: read
// returns: name, revision, embedder, dimension, extractor, created_at, of_bench, waiting, has_lines
// As corpus, and what a question of it has to be told: how many files wait to be indexed, counted up
// to a limit; whether there is a knowledge base, among some documents or, with null, at all. One
// statement, since every question asks all of it.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
RETURN c.name AS name, c.revision AS revision, c.embedder AS embedder,
       c.dimension AS dimension, coalesce(c.extractor, 'rules') AS extractor,
       toString(c.created_at) AS created_at,
       coalesce(c.of_bench, c.name =~ 'bench-.+-[0-9a-f]{8}') AS of_bench,
       COUNT {
         MATCH (d:Document {corpus: $corpus, status: 'accepted'})
         WHERE d.parent_id IS NULL
         RETURN d
         LIMIT $limit
       } AS waiting,
       EXISTS {
         MATCH (d:Document {corpus: $corpus, kind: 'knowledge-base'})
         WHERE $ids IS NULL OR d.id IN $ids
       } AS has_lines

// name: document_counts(corpus)
// mode: read
// returns: documents, collections, failed, accepted
// What changes without a new revision, too. Counted by index: no document is read but collections.
CYPHER 25
WITH COUNT {
  MATCH (d:Document {corpus: $corpus, kind: 'collection'})
  USING INDEX SEEK d:Document(corpus, kind)
  WHERE d.status = 'ready'
} AS collections
RETURN
  COUNT { MATCH (d:Document {corpus: $corpus, status: 'ready'}) } - collections AS documents,
  collections,
  COUNT { MATCH (d:Document {corpus: $corpus, status: 'failed'}) } AS failed,
  COUNT { MATCH (d:Document {corpus: $corpus, status: 'accepted'}) } AS accepted

// name: content_counts(corpus)
// mode: read
// returns: chunks, sentences, entities, concepts, mentions, triples, failed_chunks
// Counted by index and by degree, so that no chunk's text or vector is read. Entities have a name;
// concepts are arguments of triples that name nothing. On failed chunks the extractor failed; their
// files of records count them once more.
CYPHER 25
CALL () {
  MATCH (c:Chunk {corpus: $corpus})
  RETURN count(c) AS chunks, sum(COUNT { (c)<-[:MENTIONED_IN]-() }) AS mentions
}
CALL () {
  MATCH (d:Document {corpus: $corpus})
  WHERE d.kind <> 'collection'
  RETURN sum(d.failed_chunks) AS failed_chunks
}
RETURN
  chunks,
  COUNT { MATCH (s:Sentence {corpus: $corpus}) } AS sentences,
  COUNT { MATCH (e:Entity {corpus: $corpus, named: true}) } AS entities,
  COUNT { MATCH (e:Entity {corpus: $corpus, named: false}) } AS concepts,
  mentions,
  COUNT { MATCH ()-[r:RELATION {corpus: $corpus}]->() } AS triples,
  failed_chunks

// name: corpus_growth(corpus)
// mode: read
// returns: day, documents, chunks, triples
// What became ready on each day (UTC), as it stands now: a document counts on the day of its last
// version.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE d.kind <> 'collection' AND d.ready_at IS NOT NULL
WITH date(d.ready_at) AS day, count(d) AS documents,
     sum(coalesce(d.chunks, 0)) AS chunks, sum(coalesce(d.triples, 0)) AS triples
RETURN toString(day) AS day, documents, chunks, triples
ORDER BY day

// name: bump_revision(corpus)
// mode: write
// returns: revision
// Last in every transaction that changes what can be searched: writers of one corpus wait here.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
SET c.revision = c.revision + 1
RETURN c.revision AS revision

// name: delete_corpus_triples(corpus, limit)
// mode: write
// returns: deleted
// Before the entities, which would take all of theirs along in one go.
CYPHER 25
MATCH ()-[r:RELATION {corpus: $corpus}]->()
WITH r LIMIT $limit
DELETE r
RETURN count(*) AS deleted

// name: delete_corpus_nodes(corpus, limit)
// mode: write
// returns: deleted
// A corpus is deleted piece by piece: one transaction over all of it could exceed the memory.
// Chunks and merged entities before entities, which would take all of their mentions along in one go.
CYPHER 25
CALL () {
  MATCH (n:Sentence {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:Chunk {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:MergedEntity {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:Entity {corpus: $corpus})
  WHERE n.key IS NOT NULL
  RETURN n
  UNION ALL
  MATCH (n:Merge {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:Review {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:Verdict {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:Document {corpus: $corpus})
  WHERE n.status IS NOT NULL
  RETURN n
  UNION ALL
  MATCH (n:FormerTitle {corpus: $corpus})
  RETURN n
  UNION ALL
  MATCH (n:TitleLinks {corpus: $corpus})
  RETURN n
}
WITH n LIMIT $limit
OPTIONAL MATCH (n)<-[:BLOB_OF]-(b:Blob)
DETACH DELETE b
WITH DISTINCT n
DETACH DELETE n
RETURN count(*) AS deleted

// name: lock_corpus(corpus)
// mode: write
// returns: name
// Who accepts documents and who deletes the corpus wait for each other; it is looked for again, since
// it may be gone after the wait.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
SET c.revision = c.revision
WITH count(*) AS locked
MATCH (c:Corpus {name: $corpus})
RETURN c.name AS name

// name: delete_corpus(corpus)
// mode: write
// returns: deleted
// Last, so that a deletion that was interrupted can be seen and asked for again; nothing where
// documents came meanwhile. Its webhooks and schedules, which know it by its name, go at once with
// it, and its jobs are marked: they are none of a later corpus so named.
CYPHER 25
MATCH (c:Corpus {name: $corpus})
WHERE NOT EXISTS { MATCH (d:Document {corpus: $corpus}) WHERE d.status IS NOT NULL }
CALL (c) {
  MATCH (bound:Webhook|Schedule {corpus: c.name})
  OPTIONAL MATCH (told:WebhookDelivery|ScheduleRun)-[:DELIVERY_OF|RUN_OF]->(bound)
  WITH bound, collect(told) AS history
  FOREACH (told IN history | DETACH DELETE told)
  DETACH DELETE bound
}
CALL (c) {
  MATCH (job:Job {corpus: c.name})
  SET job.corpus_deleted = true
}
DETACH DELETE c
RETURN count(*) AS deleted

// name: has_chunks(corpus)
// mode: read
// returns: there
// Whether a corpus has text at all; a knowledge base has none.
CYPHER 25
RETURN EXISTS { MATCH (:Chunk {corpus: $corpus}) } AS there
