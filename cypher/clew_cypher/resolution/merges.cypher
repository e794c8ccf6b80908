// name: lock_group(ids)
// mode: write
// returns: id, root
// Locks in the order of ids, before anything moves; ``root`` is the entity that one goes by.
CYPHER 25
UNWIND $ids AS id
MATCH (e:Entity|MergedEntity {id: id})
WITH e
ORDER BY e.id
SET e.locked = true
REMOVE e.locked
WITH e
OPTIONAL MATCH (e)-[:MERGED_INTO]->(r:Entity)
RETURN e.id AS id, coalesce(r.id, e.id) AS root

// name: group_members(roots)
// mode: read
// returns: root, id, merge_id, parent
// What has been merged into entities; ``parent``: into which one it was merged at first.
CYPHER 25
UNWIND $roots AS root
MATCH (:Entity {id: root})<-[i:MERGED_INTO]-(x:MergedEntity)
RETURN root, x.id AS id, i.merge_id AS merge_id, i.parent AS parent
ORDER BY root, id

// name: move_mentions(rows)
// mode: write
// returns: moved
// An edge is made anew at its new end with all it says. ``came_from``: the entity that it is of.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.holder})-[m:MENTIONED_IN]->(c:Chunk)
WHERE coalesce(m.origin, e.id) = row.came_from
MATCH (t:Entity {id: row.to})
WITH m, c, t, row, properties(m) AS said
DELETE m
CREATE (t)-[n:MENTIONED_IN]->(c)
SET n = said
SET n.origin = row.origin
RETURN count(*) AS moved

// name: move_heads(rows)
// mode: write
// returns: moved
// As move_mentions, for the heads of sentences.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.holder})-[m:HEAD_OF]->(s:Sentence)
WHERE coalesce(m.origin, e.id) = row.came_from
MATCH (t:Entity {id: row.to})
WITH m, s, t, row, properties(m) AS said
DELETE m
CREATE (t)-[n:HEAD_OF]->(s)
SET n = said
SET n.origin = row.origin
RETURN count(*) AS moved

// name: move_tails(rows)
// mode: write
// returns: moved
// As move_mentions, for the tails of sentences.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.holder})<-[m:HAS_TAIL]-(s:Sentence)
WHERE coalesce(m.origin, e.id) = row.came_from
MATCH (t:Entity {id: row.to})
WITH m, s, t, row, properties(m) AS said
DELETE m
CREATE (s)-[n:HAS_TAIL]->(t)
SET n = said
SET n.origin = row.origin
RETURN count(*) AS moved

// name: move_relation_heads(rows)
// mode: write
// returns: moved
// As move_mentions, for what triples are said of; a triple keeps its id and its vector.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.holder})-[m:RELATION]->(o:Entity)
WHERE coalesce(m.head_origin, e.id) = row.came_from
MATCH (t:Entity {id: row.to})
WITH m, o, t, row, properties(m) AS said
DELETE m
CREATE (t)-[n:RELATION]->(o)
SET n = said
SET n.head_origin = row.origin
RETURN count(*) AS moved

// name: move_relation_tails(rows)
// mode: write
// returns: moved
// As move_relation_heads, for the other end.
CYPHER 25
UNWIND $rows AS row
MATCH (e:Entity {id: row.holder})<-[m:RELATION]-(o:Entity)
WHERE coalesce(m.tail_origin, e.id) = row.came_from
MATCH (t:Entity {id: row.to})
WITH m, o, t, row, properties(m) AS said
DELETE m
CREATE (o)-[n:RELATION]->(t)
SET n = said
SET n.tail_origin = row.origin
RETURN count(*) AS moved

// name: demote_entities(kinds, rows)
// mode: write
// returns: demoted
// A merged entity is in no index of entities any more, and has no kind.
CYPHER 25
UNWIND $rows AS row
MATCH (x:Entity {id: row.id})
MATCH (r:Entity {id: row.root})
CREATE (x)-[:MERGED_INTO {merge_id: row.merge_id, parent: row.root}]->(r)
REMOVE x:Entity, x:$($kinds)
SET x:MergedEntity
RETURN count(*) AS demoted

// name: promote_entities(ids)
// mode: write
// returns: promoted
// The reverse of demote_entities.
CYPHER 25
UNWIND $ids AS id
MATCH (x:MergedEntity {id: id})-[i:MERGED_INTO]->(:Entity)
DELETE i
REMOVE x:MergedEntity
SET x:Entity
RETURN count(*) AS promoted

// name: repoint_merged(rows)
// mode: write
// returns: repointed
// MERGED_INTO always names the entity at the top.
CYPHER 25
UNWIND $rows AS row
MATCH (x:MergedEntity {id: row.id})-[i:MERGED_INTO]->(:Entity)
MATCH (r:Entity {id: row.root})
WITH x, i, r, properties(i) AS said
DELETE i
CREATE (x)-[n:MERGED_INTO]->(r)
SET n = said
RETURN count(*) AS repointed

// name: write_merges(corpus, rows)
// mode: write
// returns: written
// What was merged, why and by whom: all that undoing needs.
CYPHER 25
MATCH (:Corpus {name: $corpus})
UNWIND $rows AS row
MERGE (m:Merge {id: row.id})
ON CREATE SET m:ZBookkeeping, m.name = '~ merge', m.created_at = datetime()
SET m.corpus = $corpus,
    m.canonical_id = row.canonical_id,
    m.merged_ids = row.merged_ids,
    m.asked = row.asked,
    m.reasons = row.reasons,
    m.by = row.by
RETURN count(*) AS written

// name: delete_merges(corpus, ids)
// mode: write
// returns: deleted
// A merge that is undone, or whose entities are gone.
CYPHER 25
UNWIND $ids AS id
MATCH (m:Merge {id: id, corpus: $corpus})
USING INDEX SEEK m:Merge(id)
DETACH DELETE m
RETURN count(*) AS deleted

// name: merges_by_id(corpus, ids)
// mode: read
// returns: id, canonical_id, merged_ids, asked, reasons, by, created_at
// Merges as they were written.
CYPHER 25
UNWIND $ids AS id
MATCH (m:Merge {id: id, corpus: $corpus})
USING INDEX SEEK m:Merge(id)
RETURN m.id AS id, m.canonical_id AS canonical_id, m.merged_ids AS merged_ids,
       m.asked AS asked, m.reasons AS reasons, m.by AS by,
       toString(m.created_at) AS created_at
ORDER BY id

// name: list_merges(corpus, ids, limit, offset)
// mode: read
// returns: id, canonical, merged, reasons, by, created_at
// A page of what was merged, newest first, with the names. Those of the canonical entity: its own,
// as its own mentions spell it, and the one that it goes by since the others came. Null ids: all.
CYPHER 25
MATCH (m:Merge {corpus: $corpus})
WHERE $ids IS NULL OR m.id IN $ids
WITH m
ORDER BY m.created_at DESC, m.id
SKIP $offset
LIMIT $limit
OPTIONAL MATCH (c:Entity|MergedEntity {id: m.canonical_id})
CALL (m) {
  UNWIND m.merged_ids AS id
  OPTIONAL MATCH (x:Entity|MergedEntity {id: id})
  WITH id, x
  ORDER BY x.key, id
  RETURN collect({id: id, key: x.key, name: x.name, type: x.type}) AS merged
}
CALL (c) {
  OPTIONAL MATCH (c)-[own:MENTIONED_IN]->()
  WHERE own.origin IS NULL
  WITH own.surface AS surface, sum(own.count) AS mentions
  ORDER BY mentions DESC, size(surface) DESC, surface
  LIMIT 1
  RETURN collect(surface)[0] AS name
}
RETURN m.id AS id,
       {id: m.canonical_id, key: c.key, name: coalesce(name, c.name), type: c.type,
        goes_by: CASE WHEN name <> c.name THEN c.name END} AS canonical,
       merged, m.reasons AS reasons, m.by AS by, toString(m.created_at) AS created_at
ORDER BY m.created_at DESC, id

// name: count_merges(corpus)
// mode: read
// returns: total
// How many merges the pages of list_merges have together.
CYPHER 25
MATCH (m:Merge {corpus: $corpus})
RETURN count(*) AS total

// name: inherit_merges(corpus, ids, gone, heir)
// mode: write
// returns: inherited
// Merges into an entity that is gone: one of what they merged stands in its place.
CYPHER 25
UNWIND $ids AS id
MATCH (m:Merge {id: id, corpus: $corpus})
USING INDEX SEEK m:Merge(id)
SET m.canonical_id = $heir,
    m.merged_ids = [key IN m.merged_ids WHERE key <> $heir]
WITH m
CALL (m) {
  UNWIND m.merged_ids AS key
  MATCH (:MergedEntity {id: key})-[i:MERGED_INTO]->()
  WHERE i.parent = $gone
  SET i.parent = $heir
  RETURN count(*) AS moved
}
FOREACH (_ IN CASE WHEN size(m.merged_ids) = 0 THEN [1] ELSE [] END | DETACH DELETE m)
RETURN count(*) AS inherited
