// name: stated_triples(corpus, predicates, after, limit)
// mode: read
// returns: id, head_id, head, predicate, tail_id, tail, tail_type, sentence_id, chunk_id, text, hyperrelation
// Triples with the sentence that states them, page by page in the order of their ids, as training
// data. Their heads are entities with a name; predicates null takes all of them.
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

// name: titled_passages(corpus, titles)
// mode: read
// returns: document_id, title, chunk_id, text, sentences, mentions
// The chunks of the documents with these titles, in order, with the sentences that can be clues. A
// sentence is [text, hyperrelation, heads, tails] with ids of entities, a mention
// [entity, name, surface, is title, other keys].
CYPHER 25
MATCH (document:Document {corpus: $corpus})
WHERE document.status IS NOT NULL AND document.title IN $titles
MATCH (document)<-[:PART_OF]-(chunk:Chunk)
WITH document, chunk
ORDER BY document.id, chunk.position
RETURN document.id AS document_id, document.title AS title, chunk.id AS chunk_id,
       chunk.text AS text,
  COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)
    WITH sentence
    ORDER BY sentence.position, sentence.id
    RETURN [
      sentence.text,
      sentence.hyperrelation,
      COLLECT { MATCH (head:Entity)-[:HEAD_OF]->(sentence) RETURN DISTINCT head.id },
      COLLECT { MATCH (sentence)-[:HAS_TAIL]->(tail:Entity) RETURN DISTINCT tail.id }
    ]
  } AS sentences,
  COLLECT {
    MATCH (chunk)<-[mention:MENTIONED_IN]-(entity:Entity)
    WITH entity, mention
    ORDER BY entity.id, mention.surface
    RETURN [
      entity.id, entity.name, mention.surface, coalesce(mention.is_title, false),
      coalesce(mention.aliases, []) + coalesce(entity.aliases, [])
    ]
  } AS mentions

// name: told_chunks(corpus, after, limit)
// mode: read
// returns: id, title, sentences, loose
// The chunks of documents, page by page in the order of their ids (hashes: the first are a sample),
// with what their sentences state. A sentence is [id, text, triples], a triple [head, predicate,
// tail] as written in full; those of which no sentence is known are loose.
CYPHER 25
MATCH (chunk:Chunk {corpus: $corpus})
WHERE chunk.id > $after
WITH chunk
ORDER BY chunk.id
LIMIT $limit
RETURN chunk.id AS id, chunk.title AS title,
  COLLECT {
    MATCH (chunk)<-[:IN_CHUNK]-(sentence:Sentence)
    WITH sentence
    ORDER BY sentence.position, sentence.id
    RETURN [
      sentence.id,
      sentence.text,
      COLLECT {
        MATCH (:Entity)-[r:RELATION {chunk_id: chunk.id}]->(:Entity)
        USING INDEX SEEK r:RELATION(chunk_id)
        WHERE r.sentence_id = sentence.id
        WITH r
        ORDER BY r.id
        RETURN [r.head, r.predicate, r.tail]
      }
    ]
  } AS sentences,
  COLLECT {
    MATCH (:Entity)-[r:RELATION {chunk_id: chunk.id}]->(:Entity)
    USING INDEX SEEK r:RELATION(chunk_id)
    WHERE r.sentence_id IS NULL
    WITH r
    ORDER BY r.id
    RETURN [r.head, r.predicate, r.tail]
  } AS loose
