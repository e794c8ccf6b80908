// Whether what evidence cites exists. Each statement takes many answers' worth at once.

// name: existing_chunks(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are chunks of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
USING INDEX SEEK c:Chunk(id)
WHERE c.corpus = $corpus
RETURN c.id AS id

// name: existing_entities(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are entities of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
USING INDEX SEEK e:Entity(id)
WHERE e.corpus = $corpus
RETURN e.id AS id

// name: existing_sentences(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are sentences of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH (s:Sentence {id: id})
USING INDEX SEEK s:Sentence(id)
WHERE s.corpus = $corpus
RETURN s.id AS id

// name: existing_documents(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are documents of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH (d:Document {id: id})
USING INDEX SEEK d:Document(id)
WHERE d.corpus = $corpus
RETURN d.id AS id

// name: existing_edges(corpus, edges)
// mode: read
// returns: source, target, kind
// Those of the edges [id of a node, id of a node, type] that join the two, in this direction.
CYPHER 25
UNWIND $edges AS edge
CALL (edge) {
  MATCH (n:Entity {id: edge[0]})
  RETURN n AS source
  UNION ALL
  MATCH (n:Sentence {id: edge[0]})
  RETURN n AS source
  UNION ALL
  MATCH (n:Chunk {id: edge[0]})
  RETURN n AS source
}
CALL (edge) {
  MATCH (n:Entity {id: edge[1]})
  RETURN n AS target
  UNION ALL
  MATCH (n:Sentence {id: edge[1]})
  RETURN n AS target
  UNION ALL
  MATCH (n:Chunk {id: edge[1]})
  RETURN n AS target
  UNION ALL
  MATCH (n:Document {id: edge[1]})
  RETURN n AS target
}
WITH edge, source, target
WHERE source.corpus = $corpus AND target.corpus = $corpus
  AND EXISTS { (source)-[r]->(target) WHERE type(r) = edge[2] }
RETURN edge[0] AS source, edge[1] AS target, edge[2] AS kind

// name: existing_triples(corpus, ids)
// mode: read
// returns: id
// Those of the ids that are triples of the corpus.
CYPHER 25
UNWIND $ids AS id
MATCH ()-[r:RELATION {id: id}]->()
USING INDEX SEEK r:RELATION(id)
WHERE r.corpus = $corpus
RETURN r.id AS id
