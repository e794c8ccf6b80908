// name: projection_names(prefix)
// mode: read
// returns: name
// Projections of older revisions, or of a corpus that is gone, are dropped by their names.
CYPHER 25
CALL gds.graph.list()
YIELD graphName
WHERE graphName STARTS WITH $prefix
RETURN graphName AS name
ORDER BY name

// name: projection_state(corpus, prefix)
// mode: read
// returns: revision, nodes, relationships
// A projection is lost when Neo4j restarts, so that it is looked for before each use: no nodes
// where it is not there.
CYPHER 25
MATCH (corpus:Corpus {name: $corpus})
OPTIONAL CALL gds.graph.list($prefix + corpus.revision)
YIELD nodeCount, relationshipCount
RETURN corpus.revision AS revision, nodeCount AS nodes, relationshipCount AS relationships

// name: project_mentions(graph, corpus, value_types)
// mode: read
// returns: projected
// Bipartite and undirected, chunks without entities included. A weight is idf × count; a title
// counts once more than it is named in the text; dates, numbers and amounts ($value_types) join
// chunks that have nothing to do with one another, unless they are titles. Several mentions of an
// entity in one chunk, by merged names, are one edge. What holds an entity is counted once, before
// its edges: a hub has as many of these.
CYPHER 25
MATCH (chunk:Chunk {corpus: $corpus})
WITH count(chunk) AS chunks
CALL (chunks) {
  MATCH (chunk:Chunk {corpus: $corpus})
  RETURN chunk, null AS entity, 0.0 AS weight
  UNION ALL
  MATCH (entity:Entity {corpus: $corpus})
  WHERE entity.key IS NOT NULL AND EXISTS { (entity)-[:MENTIONED_IN]->() }
  WITH chunks, entity,
       CASE
         WHEN EXISTS { (entity)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (entity)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (entity)-[:MENTIONED_IN]->() }
       END AS holders
  CALL (entity) {
    MATCH (entity)-[mention:MENTIONED_IN]->(chunk:Chunk)
    WHERE mention.is_title OR NOT mention.type IN $value_types
    RETURN chunk, sum(mention.count) AS mentions,
           max(CASE WHEN mention.is_title THEN 1 ELSE 0 END) AS title
  }
  RETURN chunk, entity, log(1.0 + toFloat(chunks) / holders) * (mentions + title) AS weight
}
RETURN gds.graph.project(
  $graph,
  chunk,
  entity,
  {
    sourceNodeLabels: ['Chunk'],
    targetNodeLabels: ['Entity'],
    relationshipType: 'MENTIONED_IN',
    relationshipProperties: {weight: weight}
  },
  {undirectedRelationshipTypes: ['*']}
) AS projected

// name: pagerank_chunks(graph, corpus, seeds, value_types, weight, damping, iterations, tolerance, concurrency, best, limit)
// mode: read
// returns: id, score
// $weight: the property that weighs edges; null where no chunk has an edge, since the projection
// then has no such property.
// Personalised PageRank, ranked and limited here: a row for each node would cost seconds. Only of
// the $best nodes the label and the id are read; of those whose score another node may share beyond
// them, none is returned, so that there may be fewer than $limit though there are more.
// GDS refuses source nodes that are not projected, and without any it would rank for no question.
CYPHER 25
UNWIND $seeds AS seed
MATCH (node:Chunk|Entity {id: seed.id})
WHERE node.corpus = $corpus AND (
  node:Chunk
  OR EXISTS { (node)-[m:MENTIONED_IN]->() WHERE m.is_title OR NOT m.type IN $value_types }
)
WITH collect([node, seed.weight]) AS sources
WHERE size(sources) > 0
CALL gds.pageRank.stream($graph, {
  sourceNodes: sources,
  relationshipWeightProperty: $weight,
  dampingFactor: $damping,
  maxIterations: $iterations,
  tolerance: $tolerance,
  concurrency: $concurrency
})
YIELD nodeId, score
WITH nodeId, score
WHERE score > 0
ORDER BY score DESC
LIMIT $best
WITH collect({node: gds.util.asNode(nodeId), score: score}) AS ranked
WITH ranked, CASE WHEN size(ranked) < $best THEN 0.0 ELSE ranked[-1].score END AS beyond
UNWIND ranked AS one
WITH one.node AS node, one.score AS score, beyond
WHERE node:Chunk AND score > beyond
RETURN node.id AS id, score
ORDER BY score DESC, id
LIMIT $limit
