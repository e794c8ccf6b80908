// name: chunks_without_document(corpus, limit)
// mode: read
// returns: id
// Chunks that no document has.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE NOT EXISTS { (c)-[:PART_OF]->(:Document) }
RETURN c.id AS id
ORDER BY id
LIMIT $limit

// name: chunks_of_another_version(corpus, limit)
// mode: read
// returns: id
// A document that is ready has the chunks of its version only; one that failed has none, or those of
// an earlier version.
CYPHER 25
MATCH (d:Document {corpus: $corpus})<-[:PART_OF]-(c:Chunk)
WHERE (d.status = 'ready' AND (d.kind <> 'text' OR c.version <> coalesce(d.version, d.sha256)))
   OR (d.status = 'failed' AND (d.ready_at IS NULL OR c.version = coalesce(d.version, d.sha256)))
RETURN c.id AS id
ORDER BY id
LIMIT $limit

// name: sentences_without_chunk(corpus, limit)
// mode: read
// returns: id
// Sentences that stand nowhere.
CYPHER 25
MATCH (s:Sentence {corpus: $corpus})
WHERE NOT EXISTS { (s)-[:IN_CHUNK]->(:Chunk) }
RETURN s.id AS id
ORDER BY id
LIMIT $limit

// name: delete_sentences(ids)
// mode: write
// returns: deleted
// Sentences that stand nowhere, with their roles.
CYPHER 25
UNWIND $ids AS id
MATCH (s:Sentence {id: id})
DETACH DELETE s
RETURN count(*) AS deleted

// name: triples_without_chunk(corpus, limit)
// mode: read
// returns: id
// Triples that no text states any more, nor a line of a knowledge base that is there.
CYPHER 25
MATCH ()-[r:RELATION {corpus: $corpus}]->()
WHERE CASE WHEN r.document_id IS NULL
        THEN NOT EXISTS { MATCH (:Chunk {id: r.chunk_id}) }
        ELSE NOT EXISTS {
          MATCH (d:Document {id: r.document_id})
          USING INDEX SEEK d:Document(id)
          WHERE d.status = 'accepted'
             OR (d.kind = 'knowledge-base'
                 AND (d.version = r.version OR (d.status = 'failed' AND d.ready_at IS NOT NULL)))
        }
      END
RETURN r.id AS id
ORDER BY id
LIMIT $limit

// name: delete_triples(ids)
// mode: write
// returns: deleted
// By id, through its constraint's index.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {id: id}]->()
USING INDEX SEEK r:RELATION(id)
DELETE r
RETURN count(*) AS deleted

// name: triples_without_sentence(corpus, limit)
// mode: read
// returns: id
// Triples that name a sentence which is not there.
CYPHER 25
MATCH ()-[r:RELATION {corpus: $corpus}]->()
WHERE r.sentence_id IS NOT NULL AND NOT EXISTS { MATCH (:Sentence {id: r.sentence_id}) }
RETURN r.id AS id
ORDER BY id
LIMIT $limit

// name: forget_sentences_of_triples(ids)
// mode: write
// returns: changed
// The triple stays with its chunk.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {id: id}]->()
USING INDEX SEEK r:RELATION(id)
REMOVE r.sentence_id
RETURN count(*) AS changed

// name: entities_without_support(corpus, limit)
// mode: read
// returns: id
// Entities that no chunk mentions and no triple needs.
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE e.key IS NOT NULL AND NOT EXISTS { (e)-[:MENTIONED_IN|RELATION]-() }
RETURN e.id AS id
ORDER BY id
LIMIT $limit

// name: entities_with_other_names(corpus, limit)
// mode: read
// returns: id
// Entities that do not go by a name or a type that their mentions give them, or knowledge bases.
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE e.key IS NOT NULL
LET mentioned = EXISTS { (e)-[:MENTIONED_IN]->() },
    stated = EXISTS { (e)-[r:RELATION]->() WHERE r.head_type <> 'CONCEPT' }
      OR EXISTS { (e)<-[r:RELATION]-() WHERE r.tail_type <> 'CONCEPT' }
FILTER (mentioned OR stated) <> coalesce(e.named, false)
    OR (stated AND NOT mentioned
        AND NOT EXISTS { (e)-[r:RELATION]->() WHERE left(r.head, 1000) = e.name }
        AND NOT EXISTS { (e)<-[r:RELATION]-() WHERE left(r.tail, 1000) = e.name })
    OR (mentioned AND NOT EXISTS {
         MATCH (e)-[m:MENTIONED_IN]->()
         WHERE left(m.surface, 1000) = e.name
      })
   OR (mentioned AND NOT EXISTS {
        MATCH (e)-[m:MENTIONED_IN]->()
        WHERE m.type = e.type
      })
RETURN e.id AS id
ORDER BY id
LIMIT $limit

// name: miscounted_documents(corpus, limit)
// mode: read
// returns: id
// Documents that say another number of chunks than they have, knowledge bases of triples.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE (d.kind = 'text' AND d.chunks <> COUNT { (d)<-[:PART_OF]-(:Chunk) })
   OR (d.kind = 'knowledge-base'
       AND d.triples <> COUNT {
         MATCH ()-[r:RELATION {document_id: d.id}]->()
         USING INDEX SEEK r:RELATION(document_id)
       })
RETURN d.id AS id
ORDER BY id
LIMIT $limit

// name: recount_documents(ids)
// mode: write
// returns: changed
// The number of a document's chunks, or a knowledge base's triples, counted anew.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
SET d.chunks = COUNT { (d)<-[:PART_OF]-(:Chunk) },
    d.triples = CASE d.kind WHEN 'knowledge-base'
      THEN COUNT {
        MATCH ()-[r:RELATION {document_id: d.id}]->()
        USING INDEX SEEK r:RELATION(document_id)
      }
      ELSE d.triples END
RETURN count(*) AS changed

// name: documents_out_of_order(corpus, limit)
// mode: read
// returns: id
// Documents whose chunks or sentences are not one chain.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})
WHERE d.kind = 'text'
LET chunks = COUNT { (d)<-[:PART_OF]-(:Chunk) },
    chunk_links = COUNT { (d)<-[:PART_OF]-(:Chunk)-[:NEXT_CHUNK]->(:Chunk) },
    sentences = COUNT { (d)<-[:PART_OF]-(:Chunk)<-[:IN_CHUNK]-(:Sentence) },
    sentence_links = COUNT {
      (d)<-[:PART_OF]-(:Chunk)<-[:IN_CHUNK]-(:Sentence)-[:NEXT_SENTENCE]->(:Sentence)
    }
FILTER chunk_links <> CASE chunks WHEN 0 THEN 0 ELSE chunks - 1 END
   OR sentence_links <> CASE sentences WHEN 0 THEN 0 ELSE sentences - 1 END
RETURN d.id AS id
ORDER BY id
LIMIT $limit

// name: leftover_blobs(corpus, limit)
// mode: read
// returns: id
// Bytes of documents that are ready: their text is in their chunks.
CYPHER 25
MATCH (d:Document {corpus: $corpus, status: 'ready'})<-[:BLOB_OF]-(b:Blob)
RETURN b.id AS id
ORDER BY id
LIMIT $limit

// name: blobs_without_document(limit)
// mode: read
// returns: id
// Bytes of documents that are gone.
CYPHER 25
MATCH (b:Blob)
WHERE NOT EXISTS { (b)-[:BLOB_OF]->(:Document) }
RETURN b.id AS id
ORDER BY id
LIMIT $limit

// name: delete_blobs(ids)
// mode: write
// returns: deleted
// Bytes that nothing needs.
CYPHER 25
UNWIND $ids AS id
MATCH (b:Blob {id: id})
DETACH DELETE b
RETURN count(*) AS deleted

// name: records_without_file(corpus, limit)
// mode: read
// returns: id
// Records of a file that is gone.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
USING INDEX SEEK d:Document(corpus, status)
WHERE d.status IS NOT NULL
  AND d.parent_id IS NOT NULL AND NOT EXISTS { MATCH (:Document {id: d.parent_id}) }
RETURN d.id AS id
ORDER BY id
LIMIT $limit

// name: chunks_without_words(corpus, label, limit)
// mode: read
// returns: id
// Chunks that the corpus' full-text index does not find.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE NOT c:$($label)
RETURN c.id AS id
ORDER BY id
LIMIT $limit

// name: chunks_without_vector(corpus, limit)
// mode: read
// returns: id, text
// Chunks that no question can come near to.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE c.embedding IS NULL
RETURN c.id AS id, c.title + '\n' + c.text AS text
ORDER BY id
LIMIT $limit

// name: sentences_without_vector(corpus, limit)
// mode: read
// returns: id, text
// Sentences that no question can come near to.
CYPHER 25
MATCH (s:Sentence {corpus: $corpus})-[:IN_CHUNK]->(c:Chunk)
WHERE s.embedding IS NULL
RETURN s.id AS id, c.title + '\n' + s.text AS text
ORDER BY id
LIMIT $limit

// name: entities_of_corpus_without_vector(corpus, limit)
// mode: read
// returns: id, text
// Entities that no name can come near to.
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE e.key IS NOT NULL AND e.embedding IS NULL
RETURN e.id AS id, e.key AS text
ORDER BY id
LIMIT $limit

// name: triples_without_vector(corpus, limit)
// mode: read
// returns: id, text
// Triples that no question can come near to; not those of knowledge bases that go without, nor those
// whose textual triplet is their sentence.
CYPHER 25
MATCH ()-[r:RELATION {corpus: $corpus}]->()
WHERE r.embedding IS NULL
  AND NOT EXISTS { MATCH (s:Sentence {id: r.sentence_id}) WHERE s.text = r.ttr }
OPTIONAL MATCH (c:Chunk {id: r.chunk_id})
OPTIONAL MATCH (d:Document {id: r.document_id})
WITH r, c, d
WHERE c IS NOT NULL OR d.triple_vectors
RETURN r.id AS id, coalesce(c.title + '\n', '') + r.ttr AS text
ORDER BY id
LIMIT $limit

// name: embed_nodes(label, rows)
// mode: write
// returns: changed
// Vectors that were missing.
CYPHER 25
UNWIND $rows AS row
MATCH (n:$($label) {id: row.id})
CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
RETURN count(*) AS changed

// name: embed_triples(rows)
// mode: write
// returns: changed
// Vectors that were missing.
CYPHER 25
UNWIND $rows AS row
MATCH ()-[r:RELATION {id: row.id}]->()
USING INDEX SEEK r:RELATION(id)
CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.embedding)
RETURN count(*) AS changed

// name: merged_entities_astray(corpus, limit)
// mode: read
// returns: id
// Merged entities that go by no other.
CYPHER 25
MATCH (m:MergedEntity {corpus: $corpus})
WHERE NOT EXISTS { (m)-[:MERGED_INTO]->(:Entity) }
RETURN m.id AS id
ORDER BY id
LIMIT $limit

// name: delete_merged_entities(ids)
// mode: write
// returns: deleted
// Merged entities that go by no other have no mention.
CYPHER 25
UNWIND $ids AS id
MATCH (m:MergedEntity {id: id})
DETACH DELETE m
RETURN count(*) AS deleted

// name: reviews_of_nothing(corpus, limit)
// mode: read
// returns: id
// Pairs to review of which one is gone.
CYPHER 25
MATCH (r:Review {corpus: $corpus})
WHERE NOT (EXISTS { MATCH (:Entity {id: r.a}) } AND EXISTS { MATCH (:Entity {id: r.b}) })
RETURN r.id AS id
ORDER BY id
LIMIT $limit

// name: delete_reviews(ids)
// mode: write
// returns: deleted
// Pairs that nobody can judge any more.
CYPHER 25
UNWIND $ids AS id
MATCH (r:Review {id: id})
DETACH DELETE r
RETURN count(*) AS deleted

// name: corpora_that_are_gone()
// mode: read
// returns: corpus, nodes
// What a deletion that was interrupted left: nodes of a corpus that does not exist.
CYPHER 25
MATCH (n:Chunk|Document|Sentence|Entity|MergedEntity|Merge|Review|Verdict|FormerTitle|TitleLinks)
WITH n.corpus AS corpus, count(*) AS nodes
WHERE NOT EXISTS { MATCH (:Corpus {name: corpus}) }
RETURN corpus, nodes
ORDER BY corpus
