// name: list_documents(corpus, status, query, limit, offset)
// mode: read
// returns: id, uri, title, media_type, status, error, kind, parent_id, bytes, chunks, triples, records, accepted_at, ready_at, seconds, llm_calls, prompt_tokens, completion_tokens, failed_chunks, left_out
// A page of a corpus' files and pages, not of their records. The index has them alone, in their order,
// so that what is not shown is not read. The query: forms of a part of a title or address.
CYPHER 25
MATCH (d:Document)
WHERE d.corpus = $corpus AND d.accepted_at IS NOT NULL AND d.parent_id IS NULL
  AND ($status IS NULL OR d.status = $status)
  AND ($query IS NULL OR any(form IN $query
         WHERE toLower(d.title) CONTAINS form OR toLower(d.uri) CONTAINS form))
WITH d
ORDER BY d.corpus DESC, d.accepted_at DESC, d.title, d.id
SKIP $offset
LIMIT $limit
RETURN d.id AS id, d.uri AS uri, d.title AS title, d.media_type AS media_type,
       d.status AS status, d.error AS error, d.kind AS kind, d.parent_id AS parent_id,
       d.bytes AS bytes, d.chunks AS chunks, coalesce(d.triples, 0) AS triples,
       COUNT { MATCH (r:Document {parent_id: d.id}) } AS records,
       toString(d.accepted_at) AS accepted_at, toString(d.ready_at) AS ready_at,
       coalesce(d.seconds, 0.0) AS seconds, coalesce(d.llm_calls, 0) AS llm_calls,
       coalesce(d.prompt_tokens, 0) AS prompt_tokens,
       coalesce(d.completion_tokens, 0) AS completion_tokens,
       coalesce(d.failed_chunks, 0) AS failed_chunks, d.left_out AS left_out
ORDER BY d.accepted_at DESC, d.title, d.id

// name: list_records(corpus, parent_id, status, query, limit, offset)
// mode: read
// returns: id, uri, title, media_type, status, error, kind, parent_id, bytes, chunks, triples, records, accepted_at, ready_at, seconds, llm_calls, prompt_tokens, completion_tokens, failed_chunks, left_out
// A page of the records of a file.
CYPHER 25
MATCH (d:Document {parent_id: $parent_id})
WHERE d.corpus = $corpus
  AND ($status IS NULL OR d.status = $status)
  AND ($query IS NULL OR any(form IN $query
         WHERE toLower(d.title) CONTAINS form OR toLower(d.uri) CONTAINS form))
WITH d
ORDER BY d.created_at DESC, d.title, d.id
SKIP $offset
LIMIT $limit
RETURN d.id AS id, d.uri AS uri, d.title AS title, d.media_type AS media_type,
       d.status AS status, d.error AS error, d.kind AS kind, d.parent_id AS parent_id,
       d.bytes AS bytes, d.chunks AS chunks, coalesce(d.triples, 0) AS triples,
       COUNT { MATCH (r:Document {parent_id: d.id}) } AS records,
       toString(d.created_at) AS accepted_at, toString(d.ready_at) AS ready_at,
       coalesce(d.seconds, 0.0) AS seconds, coalesce(d.llm_calls, 0) AS llm_calls,
       coalesce(d.prompt_tokens, 0) AS prompt_tokens,
       coalesce(d.completion_tokens, 0) AS completion_tokens,
       coalesce(d.failed_chunks, 0) AS failed_chunks, d.left_out AS left_out
ORDER BY d.created_at DESC, d.title, d.id

// name: count_documents(corpus, status, parent_id, query)
// mode: read
// returns: total
// How many documents the pages of list_documents have together.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL AND ($status IS NULL OR d.status = $status)
  AND ($parent_id IS NOT NULL OR d.parent_id IS NULL)
  AND ($parent_id IS NULL OR d.parent_id = $parent_id)
  AND ($query IS NULL OR any(form IN $query
         WHERE toLower(d.title) CONTAINS form OR toLower(d.uri) CONTAINS form))
RETURN count(*) AS total

// name: get_document(corpus, id)
// mode: read
// returns: id, uri, title, media_type, sha256, fingerprint, status, error, kind, parent_id, bytes, chunks, triples, records, accepted_at, ready_at, seconds, llm_calls, prompt_tokens, completion_tokens, failed_chunks, left_out, job_id, metadata
// One document with all that is known of it.
CYPHER 25
MATCH (d:Document {id: $id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
RETURN d.id AS id, d.uri AS uri, d.title AS title, d.media_type AS media_type,
       d.sha256 AS sha256, d.fingerprint AS fingerprint, d.status AS status, d.error AS error,
       d.kind AS kind, d.parent_id AS parent_id, d.bytes AS bytes, d.chunks AS chunks,
       coalesce(d.triples, 0) AS triples,
       COUNT { MATCH (r:Document {parent_id: d.id}) } AS records,
       toString(coalesce(d.accepted_at, d.created_at)) AS accepted_at, toString(d.ready_at) AS ready_at,
       coalesce(d.seconds, 0.0) AS seconds, coalesce(d.llm_calls, 0) AS llm_calls,
       coalesce(d.prompt_tokens, 0) AS prompt_tokens,
       coalesce(d.completion_tokens, 0) AS completion_tokens,
       coalesce(d.failed_chunks, 0) AS failed_chunks, d.left_out AS left_out,
       d.job_id AS job_id, d.metadata AS metadata

// name: documents_below(corpus, prefix)
// mode: read
// returns: id, uri
// Files and pages, not records, whose address begins with the prefix.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL AND d.parent_id IS NULL AND d.uri STARTS WITH $prefix
RETURN d.id AS id, d.uri AS uri
ORDER BY uri

// name: documents_called(corpus, names, endings, limit)
// mode: read
// returns: id, uri
// Documents and records whose address or title is one of the names, or whose address ends so.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL
  AND (d.uri IN $names OR d.title IN $names
       OR any(ending IN $endings WHERE d.uri ENDS WITH ending))
RETURN d.id AS id, d.uri AS uri
ORDER BY uri, id
LIMIT $limit

// name: document_is_current(corpus, id, etag, fingerprint)
// mode: read
// returns: id
// Whether what its server calls by this tag is indexed, whole and with these settings.
CYPHER 25
MATCH (d:Document {id: $id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
WHERE d.status = 'ready' AND d.etag = $etag AND d.fingerprint = $fingerprint
  AND coalesce(d.failed_chunks, 0) = 0
RETURN d.id AS id

// name: document_text(corpus, id)
// mode: read
// returns: id, position, text, pages, headings
// A document's text is that of its chunks, in order.
CYPHER 25
MATCH (:Document {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Chunk)
RETURN c.id AS id, c.position AS position, c.text AS text, coalesce(c.pages, []) AS pages,
       coalesce(c.headings, []) AS headings
ORDER BY position

// name: unchanged_records(corpus, parent_id, rows, fingerprint)
// mode: read
// returns: id
// The records of a file that are ready, and whole, in the version given: they need no work.
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {id: row.id})
USING INDEX SEEK d:Document(id)
WHERE d.corpus = $corpus AND d.parent_id = $parent_id
  AND d.status = 'ready' AND d.sha256 = row.sha256
  AND coalesce(d.fingerprint, '') = coalesce($fingerprint, '')
  AND coalesce(d.failed_chunks, 0) = 0
RETURN d.id AS id

// name: corpus_costs(corpus)
// mode: read
// returns: documents, chunks, triples, seconds, llm_calls, prompt_tokens, completion_tokens
// What a corpus' documents took to index: what the next ones are likely to take.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE d.kind = 'text'
RETURN count(d) AS documents,
       coalesce(sum(d.chunks), 0) AS chunks,
       coalesce(sum(d.triples), 0) AS triples,
       coalesce(sum(d.seconds), 0.0) AS seconds,
       coalesce(sum(d.llm_calls), 0) AS llm_calls,
       coalesce(sum(d.prompt_tokens), 0) AS prompt_tokens,
       coalesce(sum(d.completion_tokens), 0) AS completion_tokens
