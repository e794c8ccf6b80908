// name: entity_ties(corpus, pairs)
// mode: read
// returns: entity_id, name, chunk_id, mentioned, naming
// How the graph ties entities to chunks, a row for each [entity id, chunk id]: by a mention, or by a
// sentence of the chunk that names a document which the entity is the title of, as [sentence id,
// document id, id of a chunk of it, its title]; null for neither.
CYPHER 25
UNWIND $pairs AS pair
MATCH (entity:Entity {id: pair[0]})
MATCH (chunk:Chunk {id: pair[1]})
WHERE entity.corpus = $corpus AND chunk.corpus = $corpus
RETURN entity.id AS entity_id, entity.name AS name, chunk.id AS chunk_id,
  EXISTS { (entity)-[:MENTIONED_IN]->(chunk) } AS mentioned,
  head(COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)-[:NAMES]->(document:Document)
          <-[:PART_OF]-(titled:Chunk)<-[mention:MENTIONED_IN]-(entity)
    WHERE mention.is_title
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
WHERE sentence.corpus = $corpus
RETURN sentence.id AS id, chunk.id AS chunk_id, sentence.text AS text

// name: relationships_of_entities(corpus, pairs)
// mode: read
// returns: first, second, source, target, kind, id, sentence_id
// What joins entities to sentences, chunks or other entities, for each [entity id, other id]: a
// relationship as it is directed; of a RELATION, its id and the sentence that states it.
CYPHER 25
UNWIND $pairs AS pair
MATCH (entity:Entity {id: pair[0]})
USING INDEX entity:Entity(id)
WHERE entity.corpus = $corpus
MATCH (entity)-[r:HEAD_OF|HAS_TAIL|MENTIONED_IN|RELATION]-(other)
WHERE other.id = pair[1]
RETURN pair[0] AS first, pair[1] AS second, startNode(r).id AS source, endNode(r).id AS target,
       type(r) AS kind, r.id AS id, r.sentence_id AS sentence_id
ORDER BY first, second, kind, id

// name: relationships_of_sentences(corpus, pairs)
// mode: read
// returns: first, second, source, target, kind, id, sentence_id
// As relationships_of_entities, for each [sentence id, id of a sentence or chunk]; where a sentence
// names the document of a chunk, these are two relationships.
CYPHER 25
UNWIND $pairs AS pair
MATCH (sentence:Sentence {id: pair[0]})
USING INDEX sentence:Sentence(id)
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
RETURN pair[0] AS first, pair[1] AS second, source, target, kind, null AS id, null AS sentence_id
ORDER BY first, second, kind
