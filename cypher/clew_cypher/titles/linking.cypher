// name: corpora_to_link()
// mode: read
// returns: corpus, begun, waiting
// Corpora whose sentences are not linked, since an earlier version wrote them (not begun), or since
// whoever was to link them was killed.
CYPHER 25
MATCH (c:Corpus)
LET begun = EXISTS { MATCH (:TitleLinks {corpus: c.name}) },
    waiting = EXISTS {
        MATCH (chunk:Chunk {corpus: c.name, unlinked: true})
        USING INDEX SEEK chunk:Chunk(corpus, unlinked, id)
        WHERE chunk.id IS NOT NULL
      }
      OR EXISTS { MATCH (:FormerTitle {corpus: c.name}) }
      OR EXISTS {
        MATCH (d:Document {corpus: c.name, unlinked: true})
        USING INDEX SEEK d:Document(corpus, unlinked)
        WHERE d.status <> 'accepted'
      }
FILTER waiting OR NOT begun
RETURN c.name AS corpus, begun, waiting
ORDER BY corpus

// name: links_waiting(corpus)
// mode: read
// returns: titles, chunks
// Whether titles came or went, and how many chunks are to be linked: by index, without a property.
CYPHER 25
RETURN EXISTS { MATCH (:FormerTitle {corpus: $corpus}) }
    OR EXISTS {
      MATCH (d:Document {corpus: $corpus, unlinked: true})
      USING INDEX SEEK d:Document(corpus, unlinked)
      WHERE d.status <> 'accepted'
    } AS titles,
  COUNT {
    MATCH (c:Chunk {corpus: $corpus, unlinked: true})
    USING INDEX SEEK c:Chunk(corpus, unlinked, id)
    WHERE c.id IS NOT NULL
  } AS chunks

// name: mark_chunks_of_corpus(corpus, limit)
// mode: write
// returns: done
// Chunks of an earlier version.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE c.folded IS NULL AND c.unlinked IS NULL
WITH c
LIMIT $limit
SET c.unlinked = true
RETURN count(*) AS done

// name: mark_documents_of_corpus(corpus, limit)
// mode: write
// returns: done
// Documents of an earlier version.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE d.kind = 'text' AND d.named_as IS NULL AND d.unlinked IS NULL
WITH d
LIMIT $limit
SET d.unlinked = true
RETURN count(*) AS done

// name: lock_title_links(corpus)
// mode: write
// returns: corpus
// One at a time links the sentences of a corpus: who waits here sees then what the other one did.
CYPHER 25
MERGE (l:TitleLinks {corpus: $corpus})
SET l.locked = true, l:ZBookkeeping, l.name = '~ title links'
REMOVE l.locked
RETURN l.corpus AS corpus

// name: titles_version(corpus)
// mode: read
// returns: version
// Read under the lock: as long as it is the same, so are the titles that sentences are linked to.
CYPHER 25
MATCH (l:TitleLinks {corpus: $corpus})
RETURN coalesce(l.version, 0) AS version

// name: raise_titles_version(corpus)
// mode: write
// returns: version
// Titles came or went.
CYPHER 25
MATCH (l:TitleLinks {corpus: $corpus})
SET l.version = coalesce(l.version, 0) + 1
RETURN l.version AS version

// name: changed_titles(corpus, limit)
// mode: read
// returns: id, title, before
// Documents that turned ready or failed, each with the title that sentences know it by, if any.
CYPHER 25
MATCH (d:Document {corpus: $corpus, unlinked: true})
USING INDEX SEEK d:Document(corpus, unlinked)
WHERE d.status <> 'accepted'
WITH d
ORDER BY d.id
LIMIT $limit
RETURN d.id AS id,
  CASE WHEN d.kind = 'text' AND EXISTS { (d)<-[:PART_OF]-(:Chunk) } THEN d.title END AS title,
  d.named_as AS before

// name: former_titles(corpus, limit)
// mode: read
// returns: id, title
// Titles of documents that are gone.
CYPHER 25
MATCH (f:FormerTitle {corpus: $corpus})
RETURN f.id AS id, f.title AS title
ORDER BY id
LIMIT $limit

// name: delete_former_titles(ids)
// mode: write
// returns: deleted
// What they named is marked.
CYPHER 25
UNWIND $ids AS id
MATCH (f:FormerTitle {id: id})
DETACH DELETE f
RETURN count(*) AS deleted

// name: chunks_with_names(query)
// mode: read
// returns: id, document_id
// Chunks in which one of several names stands, word for word; not one that goes while it is read.
CYPHER 25
CALL db.index.fulltext.queryNodes('chunk_folded', $query)
YIELD node
WITH node.id AS id, node.document_id AS document_id
WHERE id IS NOT NULL AND document_id IS NOT NULL
RETURN id, document_id
ORDER BY id

// name: title_documents(rows)
// mode: write
// returns: written
// From now on sentences are linked to a document by this title; null: not any more.
CYPHER 25
UNWIND $rows AS row
MATCH (d:Document {id: row.id})
SET d.named_as = row.title,
    d.first_word = row.first_word
REMOVE d.unlinked
RETURN count(*) AS written

// name: mark_chunks(ids)
// mode: write
// returns: marked
// A title came or went that stands in them.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
SET c.unlinked = true
RETURN count(*) AS marked

// name: unlinked_chunks(corpus, limit)
// mode: read
// returns: id, document_id, title, sentences
// Chunks that are to be linked, with the sentences [id, text] in order. The index has them in that
// order, so that those which wait longer are not read. Of one that is deleted while it is read,
// document or title are null.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus, unlinked: true})
USING INDEX SEEK c:Chunk(corpus, unlinked, id)
WHERE c.id IS NOT NULL
WITH c
ORDER BY c.corpus, c.unlinked, c.id
LIMIT $limit
RETURN c.id AS id, c.document_id AS document_id, c.title AS title,
  COLLECT {
    MATCH (c)<-[:IN_CHUNK]-(s:Sentence)
    WITH s
    ORDER BY s.position, s.id
    RETURN [s.id, s.text]
  } AS sentences

// name: files_of_documents(ids)
// mode: read
// returns: id, file_id
// A record of a file is locked after its file, as whoever writes it does.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
RETURN id, coalesce(d.parent_id, id) AS file_id

// name: titles_of_corpus(corpus)
// mode: read
// returns: id, title
// All titles that sentences are linked to; not of a document that goes while it is read.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.first_word IS NOT NULL
WITH d.id AS id, d.named_as AS title
WHERE id IS NOT NULL AND title IS NOT NULL
RETURN id, title

// name: titles_that_begin(corpus, first_words)
// mode: read
// returns: id, title
// Titles that begin with one of the words; not of a document that goes while it is read.
CYPHER 25
UNWIND $first_words AS first_word
MATCH (d:Document {corpus: $corpus, first_word: first_word})
WITH d.id AS id, d.named_as AS title
WHERE id IS NOT NULL AND title IS NOT NULL
RETURN id, title

// name: links_of_chunks(ids)
// mode: read
// returns: sentence_id, document_id, start, end
// Which documents the sentences of chunks name.
CYPHER 25
UNWIND $ids AS id
MATCH (:Chunk {id: id})<-[:IN_CHUNK]-(s:Sentence)-[n:NAMES]->(d:Document)
RETURN s.id AS sentence_id, d.id AS document_id, n.start AS start, n.end AS end

// name: delete_links(rows)
// mode: write
// returns: deleted
// What sentences do not name any more.
CYPHER 25
UNWIND $rows AS row
MATCH (:Sentence {id: row.sentence_id})-[n:NAMES]->(:Document {id: row.document_id})
DELETE n
RETURN count(*) AS deleted

// name: write_links(corpus, rows)
// mode: write
// returns: written
// What sentences name that they did not name before; a document may have failed since it was read.
CYPHER 25
UNWIND $rows AS row
MATCH (s:Sentence {id: row.sentence_id})
MATCH (d:Document {id: row.document_id})
WHERE d.named_as IS NOT NULL
CREATE (s)-[:NAMES {corpus: $corpus, start: row.start, end: row.end}]->(d)
RETURN count(*) AS written

// name: fold_chunks(rows)
// mode: write
// returns: written
// Linked; a title that comes finds it by its folded words.
CYPHER 25
UNWIND $rows AS row
MATCH (c:Chunk {id: row.id})
SET c.folded = row.folded
REMOVE c.unlinked
RETURN count(*) AS written

// name: named_documents(ids)
// mode: read
// returns: id
// The documents that the sentences of these name.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:PART_OF]-(:Chunk)<-[:IN_CHUNK]-(:Sentence)-[:NAMES]->(other:Document)
WITH DISTINCT other.id AS id
WHERE id IS NOT NULL
RETURN id

// name: naming_documents(ids)
// mode: read
// returns: id
// The documents whose sentences name these.
CYPHER 25
UNWIND $ids AS id
MATCH (:Document {id: id})<-[:NAMES]-(:Sentence)-[:IN_CHUNK]->(:Chunk)-[:PART_OF]->(other:Document)
WITH DISTINCT other.id AS id
WHERE id IS NOT NULL
RETURN id

// name: forget_titles(corpus, ids)
// mode: write
// returns: forgotten
// No sentence names a document that goes or has failed. What named it may name another one now.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
WHERE d.named_as IS NOT NULL
CALL (d) {
  MATCH (d)<-[n:NAMES]-()
  DELETE n
}
MERGE (f:FormerTitle {id: d.id + ' ' + d.named_as})
SET f:ZBookkeeping, f.name = '~ former title', f.corpus = $corpus, f.title = d.named_as
REMOVE d.named_as, d.first_word, d.unlinked
RETURN count(*) AS forgotten
