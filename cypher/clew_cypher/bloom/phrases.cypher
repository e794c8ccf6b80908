// name: phrase_path_between(a, b)
// mode: read
// returns: path
// The shortest way from one name to another, over triples and passages that mention both.
CYPHER 25
MATCH (x:Entity {name: $a})
MATCH (y:Entity {name: $b, corpus: x.corpus})
WHERE x <> y
MATCH path = shortestPath((x)-[:RELATION|MENTIONED_IN*..6]-(y))
RETURN path
LIMIT 10

// name: phrase_documents_about(name)
// mode: read
// returns: e, mention, c, part, d
// Where a name is mentioned, most often first.
CYPHER 25
MATCH (e:Entity {name: $name})-[mention:MENTIONED_IN]->(c:Chunk)-[part:PART_OF]->(d:Document)
RETURN e, mention, c, part, d
ORDER BY mention.count DESC, c.id
LIMIT 100

// name: phrase_what_is_said_of(name)
// mode: read
// returns: e, r, other
// The triples at a name.
CYPHER 25
MATCH (e:Entity {name: $name})-[r:RELATION]-(other:Entity)
RETURN e, r, other
ORDER BY other.named DESC, r.id
LIMIT 100

// name: phrase_what_supports(passages)
// mode: read
// returns: c, part, d, mention, e
// What an answer rests on: its passages (ids joined by commas), their documents, and the names by
// which the passages hang together.
CYPHER 25
WITH [id IN split($passages, ',') | trim(id)] AS ids
MATCH (c:Chunk)-[part:PART_OF]->(d:Document)
USING INDEX SEEK c:Chunk(id)
WHERE c.id IN ids
OPTIONAL MATCH (c)<-[mention:MENTIONED_IN]-(e:Entity)
WHERE NOT e:Value AND EXISTS {
  MATCH (e)-[:MENTIONED_IN]->(other:Chunk)
  WHERE other.id IN ids AND other <> c
}
RETURN c, part, d, mention, e
LIMIT 300

// name: phrase_sentences_of(title)
// mode: read
// returns: d, part, c, in, s
// A document with its passages and sentences.
CYPHER 25
MATCH (d:Document {title: $title})<-[part:PART_OF]-(c:Chunk)<-[in:IN_CHUNK]-(s:Sentence)
RETURN d, part, c, in, s
ORDER BY c.position, s.position
LIMIT 200

// name: phrase_most_mentioned(corpus)
// mode: read
// returns: e
// The names of a corpus that most passages mention, without dates, numbers and phrases.
CYPHER 25
MATCH (e:Entity {corpus: $corpus, named: true})
WHERE NOT e:Concept AND NOT e:Value
RETURN e
ORDER BY COUNT { (e)-[:MENTIONED_IN]->() } DESC, e.id
LIMIT 50

// name: scene_passages(nodes)
// mode: read
// returns: e, mention, c, part, d
// The passages that mention the names that are chosen, with their documents.
CYPHER 25
MATCH (e:Entity)-[mention:MENTIONED_IN]->(c:Chunk)-[part:PART_OF]->(d:Document)
WHERE elementId(e) IN $nodes
RETURN e, mention, c, part, d
LIMIT 100

// name: scene_statements(nodes)
// mode: read
// returns: e, r, other
// What is said of the names that are chosen.
CYPHER 25
MATCH (e:Entity)-[r:RELATION]-(other:Entity)
WHERE elementId(e) IN $nodes
RETURN e, r, other
LIMIT 100

// name: scene_shared(nodes)
// mode: read
// returns: e, mention, c
// Passages that mention several of the names that are chosen.
CYPHER 25
MATCH (e:Entity)-[mention:MENTIONED_IN]->(c:Chunk)
WHERE elementId(e) IN $nodes
  AND COUNT { MATCH (c)<-[:MENTIONED_IN]-(other:Entity) WHERE elementId(other) IN $nodes } > 1
RETURN e, mention, c
LIMIT 100

// name: scene_sentences(nodes)
// mode: read
// returns: c, in, s, tail, e
// The sentences of the passages that are chosen, with the names in them.
CYPHER 25
MATCH (c:Chunk)<-[in:IN_CHUNK]-(s:Sentence)
WHERE elementId(c) IN $nodes
OPTIONAL MATCH (s)-[tail:HEAD_OF|HAS_TAIL]-(e:Entity)
RETURN c, in, s, tail, e
LIMIT 300
