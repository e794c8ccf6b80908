// name: search_chunks(index, query, width, limit)
// mode: read
// returns: id, document_id, title, text, score, pages, headings
// Each corpus has an index; Lucene's BM25 is the score, and equal ones are ranked by id.
CYPHER 25
CALL db.index.fulltext.queryNodes($index, $query, {limit: $width})
YIELD node, score
WHERE score > 0
RETURN node.id AS id, node.document_id AS document_id, node.title AS title, node.text AS text,
       score, coalesce(node.pages, []) AS pages, coalesce(node.headings, []) AS headings
ORDER BY score DESC, id
LIMIT $limit

// name: search_entities(query, corpus, limit)
// mode: read
// returns: id, key, name, type, aliases, score, chunk_count, triple_count
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
       END AS chunk_count,
       COUNT { (node)-[:RELATION]-() } AS triple_count

// name: full_text_indexes()
// mode: read
// returns: name
// Which corpora have their index of words, ready to be searched.
CYPHER 25
SHOW FULLTEXT INDEXES
YIELD name, state
WHERE state = 'ONLINE'
RETURN name

// name: label_chunks(corpus, label, limit)
// mode: write
// returns: done
// Chunks that were written before each corpus had its own index of words.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE NOT c:$($label)
WITH c
LIMIT $limit
SET c:$($label)
RETURN count(*) AS done

// name: known_words(index, words)
// mode: read
// returns: word
// Which words ({word, query, names}) stand anywhere in a corpus' texts or in names, which lines of a
// knowledge base alone may have: one hit each is enough, and names are looked at for what texts lack.
CYPHER 25
UNWIND $words AS asked
CALL (asked) {
  CALL db.index.fulltext.queryNodes($index, asked.query, {limit: 1})
  YIELD node
  RETURN count(node) AS in_texts
}
CALL (asked, in_texts) {
  UNWIND CASE WHEN in_texts = 0 THEN [asked.names] ELSE [] END AS names
  CALL db.index.fulltext.queryNodes('entity_name', names, {limit: 1})
  YIELD node
  RETURN count(node) AS in_names
}
WITH asked, in_texts + in_names AS hits
WHERE hits > 0
RETURN asked.word AS word

// name: word_in_relations(corpus, word)
// mode: read
// returns: there
// Whether a relation of a knowledge base has a word. No index has them: every line is looked at.
CYPHER 25
RETURN EXISTS {
  MATCH (d:Document {corpus: $corpus, kind: 'knowledge-base'})
  MATCH ()-[r:RELATION {document_id: d.id}]->()
  USING INDEX SEEK r:RELATION(document_id)
  WHERE toLower(r.relation) CONTAINS toLower($word)
} AS there
