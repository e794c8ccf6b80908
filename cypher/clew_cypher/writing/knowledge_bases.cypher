// name: knowledge_bases_among(corpus, ids)
// mode: read
// returns: id
// Which of the documents are to be read as triples, a line each.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id, corpus: $corpus})
USING INDEX SEEK d:Document(id)
WHERE d.reads_as = 'triples'
RETURN d.id AS id

// name: documents_with_lines(ids)
// mode: read
// returns: id
// Which of the documents have triples of a knowledge base, whatever they are read as now.
CYPHER 25
UNWIND $ids AS id
WITH id
WHERE EXISTS {
  MATCH ()-[r:RELATION {document_id: id}]->()
  USING INDEX SEEK r:RELATION(document_id)
}
RETURN id

// name: line_ids_of_documents(corpus, ids)
// mode: read
// returns: id
// What caches know the triples of knowledge bases by.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {document_id: id}]->()
USING INDEX SEEK r:RELATION(document_id)
WHERE r.corpus = $corpus
RETURN r.id AS id

// name: line_ids_of_corpus(corpus)
// mode: read
// returns: id
// The same for a whole corpus, whatever its documents are read as now.
CYPHER 25
MATCH (d:Document {corpus: $corpus})
WHERE d.status IS NOT NULL
MATCH ()-[r:RELATION {document_id: d.id}]->()
USING INDEX SEEK r:RELATION(document_id)
RETURN r.id AS id

// name: triples_there(ids, version)
// mode: read
// returns: id, line, current, embedded, said
// Which triples of a knowledge base are in the graph: in this version, or in one before; whether they
// have a vector, and how what they say is written, which may differ between lines that say the same.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {id: id}]->()
USING INDEX SEEK r:RELATION(id)
RETURN r.id AS id, r.line AS line, r.version = $version AS current,
       r.embedding IS NOT NULL AS embedded,
       r {.head, .tail, .ttr, .head_type, .tail_type, .head_iri, .relation_iri, .tail_iri, .language}
         AS said

// name: write_named_entities(corpus, kinds, rows)
// mode: write
// returns: written
// Ends of triples of a knowledge base, each as it is written there. One that is new has its name
// from that, cut as refresh_entities does; one that goes by another name or type is refreshed at
// the end.
CYPHER 25
MATCH (home:Corpus {name: $corpus})
UNWIND $rows AS row
MERGE (e:Entity {id: row.id})
ON CREATE SET
  e.corpus = $corpus,
  e.key = row.key,
  e.name = left(row.name, 1000),
  e.type = row.type,
  e.named = row.named,
  e.corpus_key = CASE WHEN row.named THEN home.corpus_key END,
  e.iris = CASE WHEN row.iri IS NULL THEN null ELSE [row.iri] END,
  e.resolved = true
FOREACH (_ IN CASE
    WHEN e.name <> left(row.name, 1000) OR e.type <> row.type OR e.named <> row.named
      OR (row.iri IS NULL AND e.iris IS NOT NULL)
      OR (row.iri IS NOT NULL AND NOT row.iri IN coalesce(e.iris, []))
    THEN [1] ELSE [] END |
  SET e.stale = true
)
SET e:$(CASE WHEN $kinds[e.type] IS NULL THEN [] ELSE [$kinds[e.type]] END)
RETURN count(*) AS written

// name: write_lines(corpus, document_id, version, rows)
// mode: write
// returns: written
// Triples of a knowledge base that are not in the graph; of lines that say the same the first
// counts.
CYPHER 25
UNWIND $rows AS row
MATCH (head:Entity {id: row.head_id})
MATCH (tail:Entity {id: row.tail_id})
CREATE (head)-[r:RELATION {
  id: row.id,
  corpus: $corpus,
  document_id: $document_id,
  version: $version,
  line: row.line,
  head: row.head,
  relation: row.relation,
  caption: row.relation,
  predicate: row.predicate,
  tail: row.tail,
  ttr: row.ttr,
  extractor: 'knowledge-base',
  head_type: row.head_type,
  tail_type: row.tail_type,
  head_iri: row.head_iri,
  relation_iri: row.relation_iri,
  tail_iri: row.tail_iri,
  language: row.language,
  head_origin: row.head_origin,
  tail_origin: row.tail_origin
}]->(tail)
RETURN count(*) AS written

// name: keep_lines(version, rows)
// mode: write
// returns: written
// Triples that the graph has of a version before, or of a line further down: at their line now.
CYPHER 25
UNWIND $rows AS row
MATCH ()-[r:RELATION {id: row.id}]->()
USING INDEX SEEK r:RELATION(id)
SET r.line = CASE WHEN r.version = $version AND r.line < row.line THEN r.line ELSE row.line END,
    r.version = $version
RETURN count(*) AS written

// name: lines_of_document(document_id, version, limit)
// mode: read
// returns: id, head_id, tail_id, head_origin, tail_origin
// Triples of a knowledge base that are no part of a version; without one, all. Found by the index.
CYPHER 25
MATCH (head)-[r:RELATION {document_id: $document_id}]->(tail)
USING INDEX SEEK r:RELATION(document_id)
WHERE $version IS NULL OR r.version <> $version
WITH head, r, tail
LIMIT $limit
RETURN r.id AS id, head.id AS head_id, tail.id AS tail_id, r.head_origin AS head_origin,
       r.tail_origin AS tail_origin

// name: finish_knowledge_base(id, vectors, seconds)
// mode: write
// returns: triples
// The state flips when all its triples are there and none of another version is.
CYPHER 25
MATCH (d:Document {id: $id})
USING INDEX SEEK d:Document(id)
CALL (d) {
  MATCH ()-[r:RELATION {document_id: d.id}]->()
  USING INDEX SEEK r:RELATION(document_id)
  RETURN count(r) AS triples
}
SET d.kind = 'knowledge-base',
    d.status = 'ready',
    d.error = null,
    d.joined = null,
    d.ready_at = datetime(),
    d.chunks = 0,
    d.triples = triples,
    d.triple_vectors = $vectors,
    d.seconds = $seconds
RETURN triples

// name: lines_of_page(corpus, document_id, limit, line)
// mode: read
// returns: id, chunk_id, head_id, head, predicate, tail_id, tail, ttr, sentence, extractor, line
// What the page of a knowledge base shows: its first triples, as document_triples, and those of the
// line that is asked for (null: none).
CYPHER 25
MATCH (head:Entity)-[r:RELATION {document_id: $document_id}]->(tail:Entity)
USING INDEX SEEK r:RELATION(document_id)
WHERE r.corpus = $corpus AND r.line IS NOT NULL
ORDER BY coalesce(r.line <> $line, true), r.line, r.id
LIMIT $limit
RETURN r.id AS id, '' AS chunk_id, head.id AS head_id, r.head AS head, r.relation AS predicate,
       tail.id AS tail_id, r.tail AS tail, r.ttr AS ttr, null AS sentence,
       r.extractor AS extractor, r.line AS line
ORDER BY line, id

// name: entities_of_page(corpus, document_id, limit)
// mode: read
// returns: id, name, type, chunk_count, triple_count
// The entities that most triples of a knowledge base are about.
CYPHER 25
MATCH (head:Entity)-[r:RELATION {document_id: $document_id}]->(tail:Entity)
USING INDEX SEEK r:RELATION(document_id)
WHERE r.corpus = $corpus
UNWIND [head, tail] AS e
WITH e, count(*) AS uses
ORDER BY uses DESC, e.name, e.id
LIMIT $limit
RETURN e.id AS id, e.name AS name, e.type AS type,
       COUNT { (e)-[:MENTIONED_IN]->() } AS chunk_count, uses AS triple_count
