// name: unresolved_entities(corpus)
// mode: read
// returns: id
// Entities that are new, or of which something else is known than when they were resolved; not one
// that goes while it is read.
CYPHER 25
MATCH (e:Entity {corpus: $corpus, named: true})
WHERE e.resolved IS NULL
WITH e.id AS id
WHERE id IS NOT NULL
RETURN id
ORDER BY id

// name: entity_groups(ids)
// mode: read
// returns: root, members
// The groups that entities are in, each with all that was merged into it.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity|MergedEntity {id: id})
OPTIONAL MATCH (e)-[:MERGED_INTO]->(above:Entity)
WITH DISTINCT coalesce(above, e) AS root
CALL (root) {
  MATCH (root)<-[i:MERGED_INTO]-(x:MergedEntity)
  WITH x.id AS id, i.merge_id AS merge_id
  ORDER BY id
  RETURN collect({id: id, merge_id: merge_id}) AS members
}
RETURN root.id AS root, members
ORDER BY root

// name: entity_views(ids, limit)
// mode: read
// returns: id, key, root, tallies, edges, documents
// What is known of each entity by itself, whatever it was merged into.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity|MergedEntity {id: id})
OPTIONAL MATCH (e)-[:MERGED_INTO]->(above:Entity)
WITH id, e.key AS key, coalesce(above, e) AS root
CALL (id, root) {
  MATCH (root)-[m:MENTIONED_IN]->()
  WHERE coalesce(m.origin, root.id) = id
  WITH m.surface AS surface, m.type AS type, sum(m.count) AS mentions, count(*) AS edges,
       coalesce(m.aliases, []) + CASE WHEN m.short IS NULL THEN [] ELSE [m.short_key] END
         AS aliases
  RETURN collect({surface: surface, type: type, mentions: mentions, aliases: aliases}) AS tallies,
         sum(edges) AS edges
}
CALL (id, root) {
  MATCH (root)-[m:MENTIONED_IN]->(c:Chunk)
  WHERE coalesce(m.origin, root.id) = id
  WITH DISTINCT c.document_id AS document_id
  ORDER BY document_id
  LIMIT $limit
  RETURN collect(document_id) AS documents
}
RETURN id, key, root.id AS root, tallies, edges, documents
ORDER BY id

// name: named_entity_views(corpus)
// mode: read
// returns: id, key, root, tallies, edges, documents
// As entity_views, of all entities of a corpus that are mentioned; ``documents`` are lists of them,
// one a tally.
CYPHER 25
MATCH (root:Entity {corpus: $corpus, named: true})
CALL (root) {
  MATCH (root)-[m:MENTIONED_IN]->(c:Chunk)
  WITH coalesce(m.origin, root.id) AS id, m.surface AS surface, m.type AS type,
       coalesce(m.aliases, []) + CASE WHEN m.short IS NULL THEN [] ELSE [m.short_key] END
         AS aliases, sum(m.count) AS mentions, count(*) AS edges,
       collect(DISTINCT c.document_id) AS documents
  RETURN id,
         collect({surface: surface, type: type, mentions: mentions, aliases: aliases}) AS tallies,
         sum(edges) AS edges, collect(documents) AS documents
}
OPTIONAL MATCH (below:MergedEntity {id: id})
WITH root, id, CASE WHEN id = root.id THEN root.key ELSE below.key END AS key, tallies, edges,
     documents
WHERE key IS NOT NULL
RETURN id, key, root.id AS root, tallies, edges, documents

// name: write_blocks(rows)
// mode: write
// returns: written
// Before candidates are looked for, so that two new entities find each other.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity|MergedEntity {id: row.id})
SET e.blocks = row.blocks
RETURN count(*) AS written

// name: entities_in_blocks(query)
// mode: read
// returns: id, blocks
// Entities that are in one of the blocks, merged ones too; not one that goes while it is read.
CYPHER 25
CALL () {
  CALL db.index.fulltext.queryNodes('entity_blocks', $query)
  YIELD node
  RETURN node
  UNION ALL
  CALL db.index.fulltext.queryNodes('merged_entity_blocks', $query)
  YIELD node
  RETURN node
}
WITH node.id AS id, node.blocks AS blocks
WHERE id IS NOT NULL AND blocks IS NOT NULL
RETURN id, blocks
ORDER BY id

// name: nearest_to_entities(corpus, ids, width, limit, digits)
// mode: read
// returns: id, other, name, type, score
// The named entities nearest to each of several, with the cosine, ranked by so many digits of it;
// concepts are left out.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity|MergedEntity {id: id})
WITH id, e.embedding AS vector
CALL (id, vector) {
  MATCH (n:Entity)
    SEARCH n IN (
      VECTOR INDEX entity_vector
      FOR vector
      WHERE n.corpus = $corpus AND n.named = true
      LIMIT $width
    ) SCORE AS similarity
  WITH n, 2 * similarity - 1 AS score
  WHERE n.id <> id
  RETURN n, score
  ORDER BY round(score, $digits) DESC, n.id
  LIMIT $limit
}
RETURN id, n.id AS other, n.name AS name, n.type AS type, score
ORDER BY id, round(score, $digits) DESC, other

// name: count_named_entities(corpus)
// mode: read
// returns: total
// Among how many entities neighbours are looked for.
CYPHER 25
MATCH (e:Entity {corpus: $corpus, named: true})
RETURN count(*) AS total

// name: named_entity_vectors(corpus, dimension)
// mode: read
// returns: id, name, type, embedding
// All that neighbours are looked for among, to be compared in memory; not one that goes while it is
// read.
CYPHER 25
MATCH (e:Entity {corpus: $corpus, named: true})
WITH e.id AS id, e.name AS name, e.type AS type, e.embedding AS embedding
WHERE id IS NOT NULL AND embedding IS NOT NULL
RETURN id, name, type, vector(embedding, $dimension, FLOAT32) AS embedding
ORDER BY id

// name: pair_cosines(rows)
// mode: read
// returns: a, b, cosine
// How near pairs are that no index named. The function's result is (1 + cosine) / 2.
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity|MergedEntity {id: row.a})
MATCH (b:Entity|MergedEntity {id: row.b})
RETURN row.a AS a, row.b AS b,
       2 * vector.similarity.cosine(a.embedding, b.embedding) - 1 AS cosine

// name: verdicts(corpus)
// mode: read
// returns: a, b
// All pairs that a person has kept apart.
CYPHER 25
MATCH (v:Verdict {corpus: $corpus})
RETURN v.a AS a, v.b AS b
ORDER BY a, b

// name: mark_resolved(rows)
// mode: write
// returns: marked
// Not those that got or lost a mention meanwhile: they are looked at again.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE COUNT { (e)-[:MENTIONED_IN]->() } = row.edges
SET e.resolved = true
RETURN count(*) AS marked
