// name: export_chunks(corpus)
// mode: read
// returns: id, sentences, mentions
// The incidence of sentences, entities and chunks: a row a chunk, in the order of ids. A sentence
// is [id, [[entity, type], …]], a mention [entity, type, count, is title]; an entity that stands
// there more than once, by merged names, is one.
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

// name: entity_names(corpus)
// mode: read
// returns: id, key, aliases
// What the names inside titles are looked up in; not one that goes while it is read.
CYPHER 25
MATCH (entity:Entity {corpus: $corpus, named: true})
WITH entity.id AS id, entity.key AS key, coalesce(entity.aliases, []) AS aliases
WHERE id IS NOT NULL AND key IS NOT NULL
RETURN id, key, aliases

// name: sentence_vectors(corpus, ids, dimension)
// mode: read
// returns: id, embedding
// As VECTOR, which crosses the wire as bytes: eight times as fast as a list of numbers.
CYPHER 25
UNWIND $ids AS id
MATCH (sentence:Sentence {id: id})
USING INDEX SEEK sentence:Sentence(id)
WHERE sentence.corpus = $corpus
RETURN sentence.id AS id, vector(sentence.embedding, $dimension, FLOAT32) AS embedding
