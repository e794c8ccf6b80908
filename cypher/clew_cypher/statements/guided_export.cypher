// name: export_chunks(corpus)
// mode: read
// returns: id, sentences, mentions
// The incidence that guided-pagerank computes on: a row a chunk, in the order of ids. A sentence
// is [id, [[entity, type], …]], a mention [entity, type, count, is title]; an entity that stands
// there more than once, by merged names, is one.
CYPHER 25
MATCH (chunk:Chunk {corpus: $corpus})
WITH chunk
ORDER BY chunk.id
RETURN chunk.id AS id,
  COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)
    WITH sentence
    ORDER BY sentence.position, sentence.id
    RETURN [
      sentence.id,
      COLLECT {
        MATCH (sentence)-[role:HEAD_OF|HAS_TAIL]-(entity:Entity)
        WITH entity.id AS id, min(role.type) AS type
        ORDER BY id
        RETURN [id, type]
      }
    ]
  } AS sentences,
  COLLECT {
    MATCH (chunk)<-[mention:MENTIONED_IN]-(entity:Entity)
    WITH entity.id AS id, min(mention.type) AS type, sum(mention.count) AS mentions,
         max(mention.is_title) AS is_title
    ORDER BY id
    RETURN [id, type, mentions, is_title]
  } AS mentions

// name: sentence_vectors(corpus, ids, dimension)
// mode: read
// returns: id, embedding
// As VECTOR, which crosses the wire as bytes: eight times as fast as a list of numbers.
CYPHER 25
UNWIND $ids AS id
MATCH (sentence:Sentence {id: id})
WHERE sentence.corpus = $corpus
RETURN sentence.id AS id, vector(sentence.embedding, $dimension, FLOAT32) AS embedding
