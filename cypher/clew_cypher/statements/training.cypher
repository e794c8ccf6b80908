// name: stated_triples(corpus, predicates, after, limit)
// mode: read
// returns: id, head_id, head, predicate, tail_id, tail, tail_type, sentence_id, chunk_id, text, hyperrelation
// Triples with the sentence that states them, page by page in the order of their ids: the training
// data of the translator. Their heads are entities with a name; predicates null takes all of them.
CYPHER 25
MATCH (head:Entity)-[r:RELATION]->(tail:Entity)
WHERE r.corpus = $corpus AND r.id > $after AND head.named
  AND ($predicates IS NULL OR r.predicate IN $predicates)
  AND r.sentence_id IS NOT NULL
WITH r, head, tail
ORDER BY r.id
LIMIT $limit
MATCH (sentence:Sentence {id: r.sentence_id})
RETURN r.id AS id, head.id AS head_id, head.name AS head, r.predicate AS predicate,
       tail.id AS tail_id, r.tail AS tail, tail.type AS tail_type,
       sentence.id AS sentence_id, r.chunk_id AS chunk_id, sentence.text AS text,
       sentence.hyperrelation AS hyperrelation
