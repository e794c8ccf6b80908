// name: shared_entity_keys(corpus, value_types, hub_chunks)
// mode: read
// returns: id, key
// Things that join two chunks or more, and not half the corpus: what a chain can turn on. Values
// (dates, numbers) join texts that share nothing else.
CYPHER 25
MATCH (entity:Entity {corpus: $corpus, named: true})
WHERE NOT entity.type IN $value_types
WITH entity, CASE
               WHEN EXISTS { (entity)<-[:MERGED_INTO]-() }
                 THEN COUNT { MATCH (entity)-[:MENTIONED_IN]->(held:Chunk) RETURN DISTINCT held }
               ELSE COUNT { (entity)-[:MENTIONED_IN]->() }
             END AS chunk_count
WHERE chunk_count > 1 AND chunk_count <= $hub_chunks
WITH entity.id AS id, entity.key AS key
WHERE id IS NOT NULL AND key IS NOT NULL
RETURN id, key

// name: sentences_of_entities(corpus, ids, hub_chunks)
// mode: read
// returns: entity_id, chunk_id, document_id, title, text, mentioned, sentences
// The chunks that name these entities, a row each, with all that the chunk mentions and the
// sentences of the entity. An entity of a sentence is [id, key, name, type, aliases, surfaces,
// chunk count]; its chunks are counted as far as tells a hub, since it is in many sentences.
CYPHER 25
UNWIND $ids AS id
MATCH (bridge:Entity {id: id})-[:MENTIONED_IN]->(chunk:Chunk)
USING INDEX SEEK bridge:Entity(id)
WHERE bridge.corpus = $corpus
WITH DISTINCT bridge, chunk
RETURN bridge.id AS entity_id, chunk.id AS chunk_id, chunk.document_id AS document_id,
       chunk.title AS title, chunk.text AS text,
       COLLECT { MATCH (chunk)<-[:MENTIONED_IN]-(other:Entity) RETURN DISTINCT other.id }
         AS mentioned,
  COLLECT {
    MATCH (bridge)-[:HEAD_OF|HAS_TAIL]-(sentence:Sentence)-[:IN_CHUNK]->(chunk)
    WITH DISTINCT sentence
    ORDER BY sentence.position, sentence.id
    RETURN [
      sentence.text,
      COLLECT {
        MATCH (sentence)-[:HEAD_OF|HAS_TAIL]-(named:Entity)-[mention:MENTIONED_IN]->(chunk)
        WITH DISTINCT named, mention
        ORDER BY named.id, coalesce(mention.origin, ''), mention.surface
        UNWIND [mention.surface] + coalesce(mention.aliases, []) AS surface
        WITH named, collect(surface) AS spelled
        ORDER BY named.id
        RETURN [
          named.id, named.key, named.name, named.type, coalesce(named.aliases, []), spelled,
          CASE
            WHEN EXISTS { (named)<-[:MERGED_INTO]-() }
              THEN COUNT {
                MATCH (named)-[:MENTIONED_IN]->(held:Chunk)
                RETURN DISTINCT held
                LIMIT $hub_chunks + 1
              }
            ELSE COUNT { (named)-[:MENTIONED_IN]->() }
          END
        ]
      }
    ]
  } AS sentences
ORDER BY entity_id, chunk_id
