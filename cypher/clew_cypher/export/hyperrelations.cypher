// name: export_hyperrelations(corpus)
// mode: read
// returns: id, sentences, mentions
// What indexes of clues are made from: a row a chunk, in the order of ids. A sentence is
// [id, hyperrelation, heads, tails] with ids of entities, a mention [entity, surface, is title].
CYPHER 25
MATCH (chunk:Chunk {corpus: $corpus})
WITH chunk, chunk.id AS chunk_id
WHERE chunk_id IS NOT NULL
ORDER BY chunk_id
RETURN chunk_id AS id,
  COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)
    WITH sentence
    ORDER BY sentence.position, sentence.id
    RETURN [
      sentence.id,
      sentence.hyperrelation,
      COLLECT { MATCH (head:Entity)-[:HEAD_OF]->(sentence) RETURN DISTINCT head.id },
      COLLECT { MATCH (sentence)-[:HAS_TAIL]->(tail:Entity) RETURN DISTINCT tail.id }
    ]
  } AS sentences,
  COLLECT {
    MATCH (chunk)<-[mention:MENTIONED_IN]-(entity:Entity)
    RETURN [entity.id, mention.surface, mention.is_title]
  } AS mentions

// name: hyperedges(corpus, ids)
// mode: read
// returns: id, chunk_id, document_id, title, text, hyperrelation, heads, tails, titles
// Sentences as directed hyperedges, with their document, its title and the entities that it is
// titled by: what a clue says of them can be checked and shown, and what stands beside its entity.
CYPHER 25
UNWIND $ids AS id
MATCH (sentence:Sentence {id: id})-[:IN_CHUNK]->(chunk:Chunk)
USING INDEX SEEK sentence:Sentence(id)
WHERE sentence.corpus = $corpus
RETURN sentence.id AS id, chunk.id AS chunk_id, chunk.document_id AS document_id,
       chunk.title AS title, sentence.text AS text,
       sentence.hyperrelation AS hyperrelation,
       COLLECT {
         MATCH (head:Entity)-[:HEAD_OF]->(sentence)
         RETURN DISTINCT [head.id, head.name, head.type]
       } AS heads,
       COLLECT {
         MATCH (sentence)-[:HAS_TAIL]->(tail:Entity)
         RETURN DISTINCT [tail.id, tail.name, tail.type]
       } AS tails,
       COLLECT {
         MATCH (chunk)<-[mention:MENTIONED_IN]-(title:Entity)
         WHERE mention.is_title
         RETURN DISTINCT [title.id, title.name, title.type]
       } AS titles

// name: chunk_cosines(corpus, ids, vector)
// mode: read
// returns: id, score
// How near given chunks are to a question: the ranking of what clues led to (KT-9).
CYPHER 25
UNWIND $ids AS id
MATCH (chunk:Chunk {id: id})
USING INDEX SEEK chunk:Chunk(id)
WHERE chunk.corpus = $corpus
RETURN chunk.id AS id, 2 * vector.similarity.cosine(chunk.embedding, $vector) - 1 AS score
