// name: entities_by_id(corpus, ids)
// mode: read
// returns: id, key, name, type, aliases, chunk_count
// An entity's id follows from its key, so that a name is found without a search. One with merged
// entities may have two mentions in one chunk: only then are its chunks counted one by one.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.corpus = $corpus
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) AS aliases,
       CASE
         WHEN EXISTS { (e)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (e)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (e)-[:MENTIONED_IN]->() }
       END AS chunk_count

// name: entities_named(corpus, ids, query, limit)
// mode: read
// returns: id, key, name, type, aliases, chunk_count
// Entities by id (or what these were merged into), and those that a full-text query finds, in one
// go: every question asks for both. Concepts name nothing.
CYPHER 25
CALL () {
  UNWIND $ids AS id
  MATCH (e:Entity {id: id})
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
