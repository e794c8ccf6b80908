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
