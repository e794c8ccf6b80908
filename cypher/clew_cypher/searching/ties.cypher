// name: entity_ties(corpus, pairs)
// mode: read
// returns: entity_id, name, chunk_id, mentioned, naming
// How the graph ties entities to chunks, a row for each [entity id, chunk id]: by a mention, or by a
// sentence of the chunk that names a document which the entity is the title of, as [sentence id,
// document id, id of a chunk of it, its title]; null for neither. An entity may be in every chunk: no
// plan walks or counts what it is mentioned in, since it is sought from the chunks, by its id.
CYPHER 25
UNWIND $pairs AS pair
MATCH (entity:Entity {id: pair[0]})
USING INDEX SEEK entity:Entity(id)
MATCH (chunk:Chunk {id: pair[1]})
USING INDEX SEEK chunk:Chunk(id)
WHERE entity.corpus = $corpus AND chunk.corpus = $corpus
RETURN entity.id AS entity_id, entity.name AS name, chunk.id AS chunk_id,
  EXISTS { (chunk)<-[:MENTIONED_IN]-(named) WHERE named.id = pair[0] } AS mentioned,
  head(COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)-[:NAMES]->(document:Document)
    WITH sentence, document
    MATCH (document)<-[:PART_OF]-(titled:Chunk)<-[mention:MENTIONED_IN]-(named)
    WHERE mention.is_title AND named.id = pair[0]
    RETURN [sentence.id, document.id, titled.id, titled.title]
    ORDER BY sentence.position, document.id, titled.position
    LIMIT 1
  }) AS naming

// name: sentences_by_id(corpus, ids)
// mode: read
// returns: id, chunk_id, text
// The sentences that an explanation quotes.
CYPHER 25
UNWIND $ids AS id
MATCH (sentence:Sentence {id: id})-[:IN_CHUNK]->(chunk:Chunk)
USING INDEX SEEK sentence:Sentence(id)
WHERE sentence.corpus = $corpus
RETURN sentence.id AS id, chunk.id AS chunk_id, sentence.text AS text

// name: relationships_between(corpus, entity_pairs, sentence_pairs)
// mode: read
// returns: joints
// What joins pairs of nodes, as they are directed: [first, second, source, target, kind, id, sentence
// id]; the last two of a RELATION. Of entities with entities, sentences and chunks: looked up from
// both ends, since an entity may be in every chunk. Of sentences with sentences and chunks: where one
// names the document of a chunk, these are two relationships. One row: a hundred take longer to read
// than to find.
CYPHER 25
CALL () {
  UNWIND $entity_pairs AS pair
  MATCH (first:Entity {id: pair[0]})
  USING INDEX SEEK first:Entity(id)
  WHERE first.corpus = $corpus
  CALL (pair) {
    MATCH (second:Entity {id: pair[1]})
    USING INDEX SEEK second:Entity(id)
    RETURN second
    UNION ALL
    MATCH (second:Sentence {id: pair[1]})
    USING INDEX SEEK second:Sentence(id)
    RETURN second
    UNION ALL
    MATCH (second:Chunk {id: pair[1]})
    USING INDEX SEEK second:Chunk(id)
    RETURN second
  }
  MATCH (first)-[r:HEAD_OF|HAS_TAIL|MENTIONED_IN|RELATION]-(second)
  RETURN pair, startNode(r).id AS source, endNode(r).id AS target, type(r) AS kind, r.id AS id,
         r.sentence_id AS sentence_id
  UNION ALL
  UNWIND $sentence_pairs AS pair
  MATCH (sentence:Sentence {id: pair[0]})
  USING INDEX SEEK sentence:Sentence(id)
  WHERE sentence.corpus = $corpus
  CALL (sentence, pair) {
    MATCH (sentence)-[r:IN_CHUNK|NEXT_SENTENCE]-(other)
    WHERE other.id = pair[1]
    RETURN startNode(r).id AS source, endNode(r).id AS target, type(r) AS kind
    UNION
    MATCH (sentence)-[:NAMES]->(document:Document)<-[:PART_OF]-(chunk:Chunk)
    WHERE chunk.id = pair[1]
    UNWIND [[sentence.id, document.id, 'NAMES'], [chunk.id, document.id, 'PART_OF']] AS edge
    RETURN edge[0] AS source, edge[1] AS target, edge[2] AS kind
  }
  RETURN pair, source, target, kind, null AS id, null AS sentence_id
}
WITH pair, source, target, kind, id, sentence_id
ORDER BY pair, kind, id
RETURN collect([pair[0], pair[1], source, target, kind, id, sentence_id]) AS joints
