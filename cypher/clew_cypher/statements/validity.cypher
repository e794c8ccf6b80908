// Whether what evidence cites exists. Each statement takes many answers' worth at once.

// name: existing_chunks(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are chunks of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
WHERE c.corpus = $corpus
RETURN c.id AS id

// name: existing_entities(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are entities of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.corpus = $corpus
RETURN e.id AS id

// name: existing_mentions(corpus, pairs)
// mode: read
// returns: source, target
// Those of the pairs [entity id, chunk id] that a mention joins.
CYPHER 25
UNWIND $pairs AS pair
MATCH (e:Entity {id: pair[0]})
WHERE e.corpus = $corpus
  AND EXISTS { (e)-[:MENTIONED_IN]->(:Chunk {id: pair[1], corpus: $corpus}) }
RETURN pair[0] AS source, pair[1] AS target

// name: existing_relations(corpus, pairs)
// mode: read
// returns: source, target
// Those of the pairs [entity id, entity id] that a triple joins, in this direction.
CYPHER 25
UNWIND $pairs AS pair
MATCH (head:Entity {id: pair[0]})
WHERE head.corpus = $corpus
MATCH (tail:Entity {id: pair[1]})
WHERE EXISTS { (head)-[:RELATION]->(tail) }
RETURN pair[0] AS source, pair[1] AS target

// name: existing_triples(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are triples of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {id: id}]->()
WHERE r.corpus = $corpus
RETURN r.id AS id
