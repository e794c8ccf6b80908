// name: chunks_by_id(corpus, ids)
// mode: read
// returns: id, document_id, title, text, position, pages, headings
// What the reader is handed.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
USING INDEX SEEK c:Chunk(id)
WHERE c.corpus = $corpus
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.text AS text,
       c.position AS position, coalesce(c.pages, []) AS pages, coalesce(c.headings, []) AS headings

// name: chunks_of_document(corpus, document_id, limit)
// mode: read
// returns: id, document_id, title, text, position, pages, headings
// A document as the reader is handed it whole: its chunks in their order.
CYPHER 25
MATCH (d:Document {id: $document_id})<-[:PART_OF]-(c:Chunk)
USING INDEX SEEK d:Document(id)
WHERE c.corpus = $corpus
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.text AS text,
       c.position AS position, coalesce(c.pages, []) AS pages, coalesce(c.headings, []) AS headings
ORDER BY position, id
LIMIT $limit

// name: first_chunks_with_fields(corpus, limit)
// mode: read
// returns: id, document_id, title, text, position, pages, headings
// Where documents that have fields begin, which tell them. A version can be searched while a newer one
// waits or was put off.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL AND (d.status = 'ready' OR d.ready_at IS NOT NULL)
  AND d.metadata IS NOT NULL
WITH d
LIMIT $limit
OPTIONAL MATCH (d)<-[:PART_OF]-(c:Chunk)
WHERE c.position = 0
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.text AS text,
       c.position AS position, coalesce(c.pages, []) AS pages, coalesce(c.headings, []) AS headings
ORDER BY title, id

// name: first_chunks_of_documents(corpus, ids)
// mode: read
// returns: id, document_id, title, text, position, pages, headings
// As first_chunks_with_fields, of the documents that are named.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
WHERE d.status IS NOT NULL AND (d.status = 'ready' OR d.ready_at IS NOT NULL)
  AND d.metadata IS NOT NULL
MATCH (d)<-[:PART_OF]-(c:Chunk)
WHERE c.position = 0
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.text AS text,
       c.position AS position, coalesce(c.pages, []) AS pages, coalesce(c.headings, []) AS headings
ORDER BY title, id

// name: documents_with_originals(ids)
// mode: read
// returns: id
// Which of the documents are a page or a file, whose original may be had; of an upload it is not kept.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
WHERE any(scheme IN ['http:', 'https:', 'file:'] WHERE d.uri STARTS WITH scheme)
RETURN d.id AS id

// name: texts_of_documents(corpus, ids)
// mode: read
// returns: text
// What caches know chunks by: those of the documents, and of their records.
CYPHER 25
UNWIND $ids AS id
CALL (id) {
  MATCH (d:Document {id: id})
  RETURN d
  UNION ALL
  MATCH (d:Document {parent_id: id})
  RETURN d
}
// without its label: the chunks of these documents, not those of the corpus that are of them
MATCH (d)<-[:PART_OF]-(c)
WHERE c.corpus = $corpus
RETURN c.text AS text

// name: texts_of_corpus(corpus, after, limit)
// mode: read
// returns: id, text
// The same for a whole corpus, a page at a time.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE c.id > $after
RETURN c.id AS id, c.text AS text
ORDER BY id
LIMIT $limit

// name: document_triples(corpus, document_id, limit)
// mode: read
// returns: id, chunk_id, head_id, head, predicate, tail_id, tail, ttr, sentence, extractor
// What a document's page shows: its statements in the order of the text.
CYPHER 25
MATCH (d:Document {id: $document_id})<-[:PART_OF]-(c:Chunk {corpus: $corpus})
USING INDEX SEEK d:Document(id)
MATCH (head:Entity)-[r:RELATION {chunk_id: c.id}]->(tail:Entity)
USING INDEX SEEK r:RELATION(chunk_id)
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
RETURN r.id AS id, c.id AS chunk_id, head.id AS head_id, r.head AS head, r.predicate AS predicate,
       tail.id AS tail_id, r.tail AS tail, r.ttr AS ttr, s.text AS sentence,
       r.extractor AS extractor
ORDER BY c.position, coalesce(s.position, -1), r.id
LIMIT $limit

// name: chunk_provenance(corpus, id)
// mode: read
// returns: id, document_id, document, position, title, text, mentions
// One chunk with the document that it was cut from and the entities that it mentions.
CYPHER 25
MATCH (c:Chunk {id: $id})-[:PART_OF]->(d:Document)
USING INDEX SEEK c:Chunk(id)
WHERE c.corpus = $corpus
RETURN c.id AS id, d.id AS document_id, coalesce(d.title, d.uri) AS document,
       c.position AS position, c.title AS title, c.text AS text,
       COLLECT {
         MATCH (e:Entity)-[m:MENTIONED_IN]->(c)
         WITH e, sum(m.count) AS mentions
         ORDER BY mentions DESC, e.key
         RETURN {id: e.id, name: e.name, type: e.type}
       } AS mentions

// name: chunk_sentences(corpus, id)
// mode: read
// returns: id, text, heads, tails, names
// The sentences of a chunk in their order: what each is about, what else it mentions, and the
// documents that it names.
CYPHER 25
MATCH (c:Chunk {id: $id, corpus: $corpus})<-[:IN_CHUNK]-(s:Sentence)
USING INDEX SEEK c:Chunk(id)
WITH DISTINCT s
RETURN s.id AS id, s.text AS text,
       COLLECT {
         MATCH (e:Entity)-[:HEAD_OF]->(s)
         WITH DISTINCT e
         ORDER BY e.key
         RETURN {id: e.id, name: e.name, type: e.type}
       } AS heads,
       COLLECT {
         MATCH (s)-[:HAS_TAIL]->(e:Entity)
         WITH DISTINCT e
         ORDER BY e.key
         RETURN {id: e.id, name: e.name, type: e.type}
       } AS tails,
       COLLECT {
         MATCH (s)-[:NAMES]->(d:Document)
         WITH DISTINCT d
         ORDER BY d.title, d.id
         RETURN {id: d.id, title: d.title}
       } AS names
ORDER BY s.position, id

// name: chunk_triples(corpus, id)
// mode: read
// returns: id, chunk_id, sentence_id, head_id, head, predicate, tail_id, tail, ttr, sentence, extractor
// The triples that a chunk states, by sentence.
CYPHER 25
MATCH (head:Entity)-[r:RELATION {chunk_id: $id}]->(tail:Entity)
USING INDEX SEEK r:RELATION(chunk_id)
WHERE r.corpus = $corpus
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
RETURN r.id AS id, r.chunk_id AS chunk_id, r.sentence_id AS sentence_id, head.id AS head_id,
       r.head AS head, r.predicate AS predicate, tail.id AS tail_id, r.tail AS tail, r.ttr AS ttr,
       s.text AS sentence, r.extractor AS extractor
ORDER BY coalesce(s.position, -1), id
