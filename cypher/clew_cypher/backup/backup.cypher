// name: backup_counts(labels)
// mode: read
// returns: nodes, relationships
// How much a backup reads; nodes of other programs in the same database are not Clew's.
CYPHER 25
CALL () {
  MATCH (n)
  WHERE any(label IN labels(n) WHERE label IN $labels)
  RETURN count(n) AS nodes
}
CALL () {
  MATCH (a)-[r]->(b)
  WHERE any(label IN labels(a) WHERE label IN $labels)
    AND any(label IN labels(b) WHERE label IN $labels)
  RETURN count(r) AS relationships
}
RETURN nodes, relationships

// name: backup_nodes(labels, without)
// mode: read
// returns: id, labels, properties, vector
// Those of `labels` that have none of the labels `without`; vectors as vectors, for their speed.
CYPHER 25
MATCH (n)
WHERE any(label IN labels(n) WHERE label IN $labels)
  AND none(label IN labels(n) WHERE label IN $without)
RETURN elementId(n) AS id,
       labels(n) AS labels,
       n{.*, embedding: null} AS properties,
       CASE WHEN n.embedding IS NOT NULL
         THEN vector(n.embedding, size(n.embedding), FLOAT32)
       END AS vector

// name: backup_relationships(labels)
// mode: read
// returns: start, end, type, properties, vector
// Those between nodes that a backup holds.
CYPHER 25
MATCH (a)-[r]->(b)
WHERE any(label IN labels(a) WHERE label IN $labels)
  AND any(label IN labels(b) WHERE label IN $labels)
RETURN elementId(a) AS start,
       elementId(b) AS end,
       type(r) AS type,
       r{.*, embedding: null} AS properties,
       CASE WHEN r.embedding IS NOT NULL
         THEN vector(r.embedding, size(r.embedding), FLOAT32)
       END AS vector

// name: restore_nodes(rows)
// mode: write
// returns: id
// Into an empty graph, so nothing is looked for; ids come in the order of the rows.
CYPHER 25
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
WITH n, row
CALL (n, row) {
  WITH n, row
  WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
}
WITH n, row
ORDER BY row.number
RETURN elementId(n) AS id

// name: restore_relationships(rows)
// mode: write
// returns: made
// Between nodes that were written before, by the ids that they got.
CYPHER 25
UNWIND $rows AS row
MATCH (a)
WHERE elementId(a) = row.start
MATCH (b)
WHERE elementId(b) = row.end
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
WITH r, row
CALL (r, row) {
  WITH r, row
  WHERE row.vector IS NOT NULL
  CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.vector)
}
RETURN count(*) AS made

// name: clear_backup_nodes(labels, limit)
// mode: write
// returns: deleted
// What a restore that failed had written.
CYPHER 25
MATCH (n)
WHERE any(label IN labels(n) WHERE label IN $labels)
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
