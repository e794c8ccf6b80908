// name: accept_documents(corpus, job_id, rows)
// mode: write
// returns: id, changed, failed_before
// A file that is ready in the same version (content and settings) is left alone, unless an extractor
// failed on chunks of it; anything else waits to be indexed, in the order of their places, and what
// another version cost is forgotten.
CYPHER 25
MATCH (:Corpus {name: $corpus})
UNWIND $rows AS row
MERGE (d:Document {id: row.id})
ON CREATE SET d.corpus = $corpus, d.kind = 'text', d.status = 'new'
WITH d, row, row.sha256 + coalesce(':' + row.fingerprint, '') AS version
WITH d, row, version, coalesce(d.version, d.sha256) = version AS same
WITH d, row, version, same, d.status = 'ready' AND same AS ready,
     coalesce(d.failed_chunks, 0) > 0 AS in_part
WITH d, row, version, same, NOT ready OR in_part AS changed,
     d.status = 'failed' AND same OR ready AND in_part AS failed_before
FOREACH (_ IN CASE WHEN NOT same THEN [1] ELSE [] END |
  REMOVE d.seconds, d.llm_calls, d.prompt_tokens, d.completion_tokens, d.failed_chunks, d.left_out
)
FOREACH (_ IN CASE WHEN changed THEN [1] ELSE [] END |
  SET d.uri = row.uri,
      d.title = row.title,
      d.media_type = row.media_type,
      d.sha256 = row.sha256,
      d.fingerprint = row.fingerprint,
      d.version = version,
      d.reads_as = row.reads_as,
      d.bytes = row.bytes,
      d.job_id = $job_id,
      d.status = 'accepted',
      d.error = null,
      d.accepted_at = datetime() + duration({microseconds: row.place})
)
SET d.etag = row.etag
RETURN d.id AS id, changed, failed_before

// name: claim_document(corpus, id, sha256, fingerprint)
// mode: write
// returns: id
// The settings changed between acceptance and indexing: it is another version then, and who still
// indexes it with the old ones is refused.
CYPHER 25
MATCH (d:Document {id: $id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
WHERE d.status = 'accepted' AND d.sha256 = $sha256
SET d.fingerprint = $fingerprint,
    d.version = $sha256 + coalesce(':' + $fingerprint, '')
REMOVE d.seconds, d.llm_calls, d.prompt_tokens, d.completion_tokens, d.failed_chunks, d.left_out
RETURN d.id AS id

// name: drop_blobs(ids)
// mode: write
// returns: deleted
// The bytes of another version, or of a document that is ready: its text is in its chunks.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:BLOB_OF]-(b:Blob)
DETACH DELETE b
RETURN count(*) AS deleted

// name: write_blobs(rows)
// mode: write
// returns: written
// Parts of files' bytes, in the transaction that accepts them: accepted work survives a crash.
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {id: row.id})
MERGE (b:Blob {id: row.blob_id})
SET b:ZBookkeeping, b.name = '~ blob', b.position = row.position, b.data = row.data
MERGE (b)-[:BLOB_OF]->(d)
RETURN count(*) AS written

// name: document_blobs(id)
// mode: read
// returns: sha256, parts
// How many parts the bytes of a document lie in; they are read one at a time.
CYPHER 25
MATCH (d:Document {id: $id})
RETURN d.sha256 AS sha256, COUNT { (d)<-[:BLOB_OF]-(:Blob) } AS parts

// name: blob_data(id, position)
// mode: read
// returns: data
// One part of a file's bytes.
CYPHER 25
MATCH (:Document {id: $id})<-[:BLOB_OF]-(b:Blob {position: $position})
RETURN b.data AS data

// name: was_read(corpus, id, sha256)
// mode: read
// returns: known
// Whether a document has passages that were read of these bytes, under whatever settings.
CYPHER 25
MATCH (d:Document {id: $id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
RETURN EXISTS { (d)<-[:PART_OF]-(c:Chunk) WHERE split(c.version, ':')[0] = $sha256 } AS known

// name: accepted_documents(corpus, job_id, limit)
// mode: read
// returns: id, uri, title, media_type, sha256, fingerprint, bytes, job_id
// What waits to be indexed, the oldest first; without a job, of any job.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'accepted'})
WHERE d.parent_id IS NULL AND ($job_id IS NULL OR d.job_id = $job_id)
RETURN d.id AS id, d.uri AS uri, d.title AS title, d.media_type AS media_type,
       d.sha256 AS sha256, d.fingerprint AS fingerprint, d.bytes AS bytes, d.job_id AS job_id
ORDER BY d.accepted_at, d.id
LIMIT $limit

// name: reaccept_documents(corpus, ids)
// mode: write
// returns: id
// Failed documents whose bytes are there wait to be indexed again.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus, status: 'failed'})
USING INDEX SEEK d:Document(id)
WHERE d.parent_id IS NULL AND EXISTS { (d)<-[:BLOB_OF]-(:Blob) }
SET d.status = 'accepted', d.error = null, d.accepted_at = datetime()
RETURN d.id AS id

// name: fail_document(corpus, id, error)
// mode: write
// returns: id
// A failure is the state of one document, with its reason.
CYPHER 25
MATCH (d:Document {id: $id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
SET d.status = 'failed',
    d.error = $error,
    d.ready_at = null,
    d.chunks = 0,
    d.triples = 0,
    d.failed_chunks = null,
    d.left_out = null
RETURN d.id AS id

// name: begun_documents(ids)
// mode: read
// returns: id
// Documents with chunks that are not, all of them, those of an earlier version as it was. One that is
// taken up again for the chunks on which an extractor failed is whole at any time.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})<-[:PART_OF]-(c:Chunk)
WITH d, count(c) AS chunks, collect(DISTINCT c.version) AS versions
WHERE d.ready_at IS NULL
   OR chunks <> d.chunks
   OR size(versions) > 1
   OR (coalesce(d.version, d.sha256) IN versions AND coalesce(d.failed_chunks, 0) = 0)
RETURN d.id AS id
ORDER BY id

// name: unfinished_records(ids, limit)
// mode: read
// returns: id
// Records of files that were begun and not finished.
CYPHER 25
UNWIND $ids AS id
MATCH (record:Document {parent_id: id, status: 'accepted'})
USING INDEX SEEK record:Document(parent_id)
RETURN record.id AS id
ORDER BY id
LIMIT $limit

// name: put_off_documents(corpus, ids, begun, error, note)
// mode: write
// returns: failed
// Failed with the reason, for nothing that they hold. What has an earlier version that can be
// searched, not begun anew, is still ready since that one was; the note says so.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
WITH d, CASE WHEN id IN $begun THEN null ELSE d.ready_at END AS ready_at
SET d.status = 'failed',
    d.error = $error + CASE WHEN ready_at IS NULL THEN '' ELSE ' ' + $note END,
    d.ready_at = ready_at,
    d.chunks = CASE WHEN ready_at IS NULL THEN 0 ELSE d.chunks END,
    d.triples = CASE WHEN ready_at IS NULL THEN 0 ELSE d.triples END
RETURN count(*) AS failed

// name: surplus_records(corpus, id, keep_ids)
// mode: read
// returns: id
// The records that the file no longer has.
CYPHER 25
MATCH (d:Document {parent_id: $id})
WHERE d.corpus = $corpus AND NOT d.id IN $keep_ids
RETURN d.id AS id
ORDER BY id

// name: finish_collection(corpus, id)
// mode: write
// returns: id, records
// A file of records is ready when its records have been worked through; it is taken up again for
// theirs on which an extractor failed.
CYPHER 25
MATCH (d:Document {id: $id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
CALL (d) {
  MATCH (r:Document {parent_id: d.id})
  RETURN count(r) AS records, sum(r.failed_chunks) AS failed_chunks
}
SET d.kind = 'collection',
    d.status = 'ready',
    d.error = null,
    d.ready_at = datetime(),
    d.chunks = 0,
    d.triples = 0,
    d.failed_chunks = nullIf(failed_chunks, 0)
RETURN d.id AS id, records

// name: shorten_documents(ids, going, error)
// mode: write
// returns: shortened
// Some of what these hold goes, and some only in a later transaction: until then they are whole in
// no version. What is deleted has another version than any that is being indexed.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
USING INDEX SEEK d:Document(id)
WITH d, d.status = 'ready' AS ready
SET d.status = CASE WHEN ready THEN 'failed' ELSE d.status END,
    d.error = CASE WHEN ready THEN $error ELSE d.error END,
    d.fingerprint = CASE WHEN $going THEN 'deleted' ELSE d.fingerprint END,
    d.ready_at = null,
    d.chunks = 0,
    d.triples = 0,
    d.failed_chunks = null,
    d.left_out = null
RETURN count(*) AS shortened

// name: delete_document_nodes(corpus, ids)
// mode: write
// returns: deleted
// Last, when nothing hangs on the documents any more.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
DETACH DELETE d
RETURN count(*) AS deleted

// name: records_of(corpus, ids, limit)
// mode: read
// returns: id
// Records of files that are no longer files of records.
CYPHER 25
UNWIND $ids AS id
MATCH (r:Document {parent_id: id, corpus: $corpus})
RETURN r.id AS id
ORDER BY id
LIMIT $limit
