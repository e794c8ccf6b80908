// name: triple_parts(corpus)
// mode: read
// returns: id, head_id, head, relation, tail_id, tail
// All triples by the names of their entities, in the order of their ids. A relation is that of the
// knowledge base where it comes from one.
CYPHER 25
MATCH (head:Entity)-[r:RELATION]->(tail:Entity)
WHERE r.corpus = $corpus
RETURN r.id AS id, head.id AS head_id, head.name AS head,
       coalesce(r.relation, r.predicate) AS relation,
       tail.id AS tail_id, tail.name AS tail
ORDER BY id

// name: sampled_triples(corpus, limit)
// mode: read
// returns: id, head_id, head, head_type, relation, predicate, of_base, tail_id, tail, tail_type, chunk_id
// The first triples by their ids, which are hashes: a sample. Both ends have a name; ``of_base``: it
// is of a knowledge base, so that no chunk states it.
CYPHER 25
MATCH (head:Entity)-[r:RELATION]->(tail:Entity)
WHERE r.corpus = $corpus AND head.name <> "" AND tail.name <> "" AND head <> tail
WITH r, head, tail
ORDER BY r.id
LIMIT $limit
RETURN r.id AS id, head.id AS head_id, head.name AS head, head.type AS head_type,
       coalesce(r.relation, r.predicate) AS relation, r.predicate AS predicate,
       r.relation IS NOT NULL AS of_base,
       tail.id AS tail_id, tail.name AS tail, tail.type AS tail_type,
       coalesce(r.chunk_id, '') AS chunk_id

// name: triple_count(corpus, most)
// mode: read
// returns: triples
// How many there are, counted up to ``most``.
CYPHER 25
MATCH ()-[r:RELATION {corpus: $corpus}]->()
WITH r LIMIT $most
RETURN count(r) AS triples
