// name: chunks_to_audit(corpus, after, limit)
// mode: read
// returns: id, document_id, title, folded, unlinked, sentences
// All chunks, page by page.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE c.id > $after
WITH c
ORDER BY c.id
LIMIT $limit
RETURN c.id AS id, c.document_id AS document_id, c.title AS title, c.folded AS folded,
  c.unlinked AS unlinked,
  COLLECT {
    MATCH (c)<-[:IN_CHUNK]-(s:Sentence)
    WITH s
    ORDER BY s.position, s.id
    RETURN [s.id, s.text]
  } AS sentences

// name: titles_to_audit(corpus)
// mode: read
// returns: id, title, named_as, first_word, settled
// Each document with the title that sentences should know it by, and the one that they do. One that
// is accepted anew, or was put off then, is known by its old one; not settled is what is still to be
// taken up.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL
RETURN d.id AS id,
  CASE
    WHEN d.status = 'accepted' OR (d.status = 'failed' AND d.ready_at IS NOT NULL) THEN d.named_as
    WHEN d.status = 'ready' AND d.kind = 'text' AND EXISTS { (d)<-[:PART_OF]-(:Chunk) } THEN d.title
  END AS title,
  d.named_as AS named_as, d.first_word AS first_word,
  d.status = 'accepted' OR d.unlinked IS NULL AS settled
ORDER BY id

// name: mark_documents(ids)
// mode: write
// returns: marked
// Documents whose title sentences do not know.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
SET d.unlinked = true
RETURN count(*) AS marked
