// name: entities_by_id(corpus, ids)
// mode: read
// returns: id, key, name, type, aliases, chunk_count, triple_count
// An entity's id follows from its key, so that a name is found without a search. One with merged
// entities may have two mentions in one chunk: only then are its chunks counted one by one.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
USING INDEX SEEK e:Entity(id)
WHERE e.corpus = $corpus
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) AS aliases,
       CASE
         WHEN EXISTS { (e)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (e)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (e)-[:MENTIONED_IN]->() }
       END AS chunk_count,
       COUNT { (e)-[:RELATION]-() } AS triple_count

// name: entities_named(corpus, ids, query, limit)
// mode: read
// returns: id, key, name, type, aliases, chunk_count
// Entities by id (or what these were merged into), and those that a full-text query finds, in one
// go: every question asks for both. Concepts name nothing.
CYPHER 25
CALL () {
  UNWIND $ids AS id
  MATCH (e:Entity {id: id})
  USING INDEX SEEK e:Entity(id)
  WHERE e.corpus = $corpus AND e.named
  RETURN e
  UNION
  UNWIND $ids AS id
  MATCH (m:MergedEntity {id: id})-[:MERGED_INTO]->(e:Entity)
  WHERE e.corpus = $corpus AND e.named
  RETURN e
  UNION
  CALL db.index.fulltext.queryNodes('entity_name', $query, {limit: $limit})
  YIELD node AS e
  WHERE e.corpus = $corpus
  RETURN e
}
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) AS aliases,
       CASE
         WHEN EXISTS { (e)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (e)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (e)-[:MENTIONED_IN]->() }
       END AS chunk_count

// name: most_mentioned_entities(corpus, value_types, limit)
// mode: read
// returns: id, key, name, type, aliases, chunk_count, triple_count
// The names of most chunks; of a knowledge base, which has none, of most triples. Looks at each
// entity of the corpus once: what it is ranked by are degrees, which are not counted edge by edge.
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE e.named AND NOT coalesce(e.type, '') IN $value_types
WITH e, COUNT { (e)-[:MENTIONED_IN]->() } AS mentions, COUNT { (e)-[:RELATION]-() } AS triple_count
ORDER BY mentions DESC, triple_count DESC, e.key
LIMIT $limit
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) AS aliases,
       CASE
         WHEN EXISTS { (e)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (e)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE mentions
       END AS chunk_count,
       triple_count

// name: document_entities(corpus, document_id, limit)
// mode: read
// returns: id, key, name, type, mentions, chunk_count
// What a document is about: its title first, then what it names most often.
CYPHER 25
MATCH (:Document {id: $document_id, corpus: $corpus})<-[:PART_OF]-(:Chunk)
      <-[m:MENTIONED_IN]-(e:Entity)
WITH e, sum(m.count) AS mentions, any(title IN collect(m.is_title) WHERE title) AS is_title
ORDER BY is_title DESC, mentions DESC, e.key
LIMIT $limit
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type, mentions,
       CASE
         WHEN EXISTS { (e)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (e)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (e)-[:MENTIONED_IN]->() }
       END AS chunk_count

// name: entity_under_id(corpus, id)
// mode: read
// returns: id
// The entity of that id, or the one that it goes by since it was merged.
CYPHER 25
MATCH (e:Entity|MergedEntity {id: $id})
WHERE e.corpus = $corpus
OPTIONAL MATCH (e)-[:MERGED_INTO]->(r:Entity)
RETURN coalesce(r.id, e.id) AS id

// name: entity_passages(corpus, id, limit)
// mode: read
// returns: chunk_id, document_id, title, position, text, surfaces, mentions
// Where an entity is mentioned, and how it is written there: most often first. Of passages that have
// it equally often those with the smallest ids are shown, in the order of their titles: of those
// that are not shown nothing else is read.
CYPHER 25
MATCH (e:Entity {id: $id})-[m:MENTIONED_IN]->(c:Chunk)
USING INDEX SEEK e:Entity(id)
WHERE e.corpus = $corpus
WITH e, c, sum(m.count) AS mentions
ORDER BY mentions DESC, c.id
LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Document)
RETURN c.id AS chunk_id, d.id AS document_id, c.title AS title, c.position AS position,
       c.text AS text,
       COLLECT { MATCH (e)-[m:MENTIONED_IN]->(c) RETURN DISTINCT m.surface } AS surfaces,
       mentions
ORDER BY mentions DESC, title, position, chunk_id

// name: entity_triples(corpus, id, limit)
// mode: read
// returns: id, chunk_id, document_id, head_id, head, predicate, tail_id, tail, ttr, sentence, extractor, line
// What is said of an entity, as head or tail, by predicate. Of more than are shown those with the
// smallest ids: of all predicates some, and of the others nothing is read but that. Of a knowledge
// base the document is the triple's.
CYPHER 25
MATCH (e:Entity {id: $id})-[r:RELATION]-()
USING INDEX SEEK e:Entity(id)
WHERE e.corpus = $corpus
WITH r
ORDER BY r.id
LIMIT $limit
OPTIONAL MATCH (s:Sentence {id: r.sentence_id})
OPTIONAL MATCH (:Chunk {id: r.chunk_id})-[:PART_OF]->(d:Document)
RETURN r.id AS id, coalesce(r.chunk_id, '') AS chunk_id,
       coalesce(r.document_id, d.id) AS document_id,
       startNode(r).id AS head_id, coalesce(r.head, startNode(r).name) AS head,
       coalesce(r.relation, r.predicate) AS predicate,
       endNode(r).id AS tail_id, coalesce(r.tail, endNode(r).name) AS tail,
       r.ttr AS ttr, s.text AS sentence, r.extractor AS extractor, r.line AS line
ORDER BY predicate, id

// name: merges_of_entity(id)
// mode: read
// returns: id
// The merges that gave an entity what it has of others.
CYPHER 25
MATCH (:Entity {id: $id})<-[m:MERGED_INTO]-()
RETURN DISTINCT m.merge_id AS id
ORDER BY id
