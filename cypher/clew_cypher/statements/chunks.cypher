// name: chunks_by_id(corpus, ids)
// mode: read
// returns: id, document_id, title, text, position
// What the reader is handed.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
WHERE c.corpus = $corpus
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.text AS text,
       c.position AS position
