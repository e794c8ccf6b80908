// name: write_reviews(corpus, rows)
// mode: write
// returns: written
// Pairs that may be one thing; the same pair again is the same review.
CYPHER 25
UNWIND $rows AS row
MERGE (r:Review {id: row.id})
SET r:ZBookkeeping,
    r.name = '~ review',
    r.corpus = $corpus,
    r.a = row.a,
    r.b = row.b,
    r.score = row.score,
    r.reasons = row.reasons
RETURN count(*) AS written

// name: close_reviews(corpus, ids)
// mode: write
// returns: deleted
// Reviews that are decided, or that the rules no longer ask for.
CYPHER 25
UNWIND $ids AS id
MATCH (r:Review {id: id, corpus: $corpus})
USING INDEX SEEK r:Review(id)
DETACH DELETE r
RETURN count(*) AS deleted

// name: reviews_of(corpus, ids)
// mode: read
// returns: id, a, b, score
// The reviews that one of the entities is in.
CYPHER 25
CALL () {
  UNWIND $ids AS id
  MATCH (r:Review {corpus: $corpus, a: id})
  USING INDEX SEEK r:Review(a)
  RETURN r
  UNION
  UNWIND $ids AS id
  MATCH (r:Review {corpus: $corpus, b: id})
  USING INDEX SEEK r:Review(b)
  RETURN r
}
RETURN r.id AS id, r.a AS a, r.b AS b, r.score AS score
ORDER BY id

// name: list_reviews(corpus, limit, offset)
// mode: read
// returns: id, a, b, score, reasons
// A page of pairs that wait for a person, the likeliest first; each with the name it goes by.
CYPHER 25
MATCH (r:Review {corpus: $corpus})
WITH r
ORDER BY r.score DESC, r.id
SKIP $offset
LIMIT $limit
MATCH (a:Entity|MergedEntity {id: r.a})
MATCH (b:Entity|MergedEntity {id: r.b})
OPTIONAL MATCH (a)-[:MERGED_INTO]->(above_a:Entity)
OPTIONAL MATCH (b)-[:MERGED_INTO]->(above_b:Entity)
RETURN r.id AS id,
       {id: a.id, key: a.key, name: a.name, type: a.type, goes_by: above_a.name,
        chunk_count: COUNT { (a)-[:MENTIONED_IN]->() }} AS a,
       {id: b.id, key: b.key, name: b.name, type: b.type, goes_by: above_b.name,
        chunk_count: COUNT { (b)-[:MENTIONED_IN]->() }} AS b,
       r.score AS score, r.reasons AS reasons
ORDER BY score DESC, id

// name: count_reviews(corpus)
// mode: read
// returns: total
// How many pairs wait.
CYPHER 25
MATCH (r:Review {corpus: $corpus})
RETURN count(*) AS total

// name: review(corpus, id)
// mode: read
// returns: id, a, b, score, reasons
// One pair.
CYPHER 25
MATCH (r:Review {id: $id, corpus: $corpus})
USING INDEX SEEK r:Review(id)
RETURN r.id AS id, r.a AS a, r.b AS b, r.score AS score, r.reasons AS reasons

// name: drop_least_reviews(corpus, keep)
// mode: write
// returns: dropped
// More than a person ever reads would only cost room.
CYPHER 25
MATCH (r:Review {corpus: $corpus})
WITH r
ORDER BY r.score DESC, r.id
SKIP $keep
DETACH DELETE r
RETURN count(*) AS dropped

// name: write_verdicts(corpus, rows)
// mode: write
// returns: written
// A person's word that two entities are not one.
CYPHER 25
UNWIND $rows AS row
MERGE (v:Verdict {id: row.id})
SET v:ZBookkeeping,
    v.name = '~ verdict',
    v.corpus = $corpus,
    v.a = row.a,
    v.b = row.b
RETURN count(*) AS written

// name: delete_verdicts(corpus, ids)
// mode: write
// returns: deleted
// A person may change their mind.
CYPHER 25
UNWIND $ids AS id
MATCH (v:Verdict {id: id, corpus: $corpus})
USING INDEX SEEK v:Verdict(id)
DETACH DELETE v
RETURN count(*) AS deleted
