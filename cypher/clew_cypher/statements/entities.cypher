// name: entities_by_id(corpus, ids)
// mode: read
// returns: id, key, name, type, aliases, chunk_count
// An entity's id follows from its key, so that a name is found without a search.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.corpus = $corpus
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) AS aliases,
       COUNT { (e)-[:MENTIONED_IN]->() } AS chunk_count
