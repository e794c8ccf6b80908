// name: search_chunks(index, query, width, limit)
// mode: read
// returns: id, document_id, title, text, score
// Each corpus has an index; Lucene's BM25 is the score, and equal ones are ranked by id.
CYPHER 25
CALL db.index.fulltext.queryNodes($index, $query, {limit: $width})
YIELD node, score
WHERE score > 0
RETURN node.id AS id, node.document_id AS document_id, node.title AS title, node.text AS text,
       score
ORDER BY score DESC, id
LIMIT $limit

// name: search_entities(query, corpus, limit)
// mode: read
// returns: id, key, name, type, aliases, score, chunk_count
// Entities whose name, or another name of theirs, has the words that are asked for.
CYPHER 25
CALL db.index.fulltext.queryNodes('entity_name', $query, {limit: $limit})
YIELD node, score
WHERE node.corpus = $corpus
RETURN node.id AS id, node.key AS key, node.name AS name, node.type AS type,
       coalesce(node.aliases, []) AS aliases, score,
       CASE
         WHEN EXISTS { (node)<-[:MERGED_INTO]-() }
           THEN COUNT { MATCH (node)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
         ELSE COUNT { (node)-[:MENTIONED_IN]->() }
       END AS chunk_count
