// name: chunks_by_id(corpus, ids)
// mode: read
// returns: id, document_id, title, text, position, pages, headings
// What the reader is handed.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
WHERE c.corpus = $corpus
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.text AS text,
       c.position AS position, coalesce(c.pages, []) AS pages, coalesce(c.headings, []) AS headings

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
MATCH (d)<-[:PART_OF]-(c:Chunk)
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
MATCH (:Document {id: $document_id})<-[:PART_OF]-(c:Chunk {corpus: $corpus})
MATCH (head:Entity)-[r:RELATION {chunk_id: c.id}]->(tail:Entity)
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
RETURN r.id AS id, c.id AS chunk_id, head.id AS head_id, r.head AS head, r.predicate AS predicate,
       tail.id AS tail_id, r.tail AS tail, r.ttr AS ttr, s.text AS sentence,
       r.extractor AS extractor
ORDER BY c.position, coalesce(s.position, -1), r.id
LIMIT $limit
