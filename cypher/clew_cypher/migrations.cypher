// name: schema_version()
// mode: read
// returns: version, step, after, empty
// What the graph says of itself. Before graphs said so, they had the version 0; one
// without anything else has nothing to migrate.
CYPHER 25
OPTIONAL MATCH (v:SchemaVersion {id: 'graph'})
RETURN coalesce(v.version, 0) AS version, coalesce(v.step, 0) AS step,
       coalesce(v.after, '') AS after, NOT EXISTS { MATCH (n) WHERE NOT n:SchemaVersion } AS empty

// name: enter_schema_version(version)
// mode: write
// returns: version
// A migration is done, or the graph is new.
CYPHER 25
MERGE (v:SchemaVersion {id: 'graph'})
SET v:ZBookkeeping, v.name = '~ schema version', v.version = $version
REMOVE v.step, v.after
RETURN v.version AS version

// name: enter_schema_step(version, step, after)
// mode: write
// returns: version
// How far a migration came: in the transaction of the batch, so that neither is there alone.
CYPHER 25
MERGE (v:SchemaVersion {id: 'graph'})
SET v:ZBookkeeping, v.name = '~ schema version', v.version = $version, v.step = $step, v.after = $after
RETURN v.version AS version

// name: migrate_named(after, limit)
// mode: write
// returns: last, done
// To version 1. Entities of before each had a mention, so each names something.
CYPHER 25
MATCH (e:Entity)
WHERE e.id > $after
WITH e
ORDER BY e.id
LIMIT $limit
SET e.named = coalesce(e.named, true)
RETURN max(e.id) AS last, count(*) AS done

// name: migrate_kinds(after, limit, kinds)
// mode: write
// returns: last, done
// To version 2. Entities get the label of their kind, as refresh_entities gives it.
CYPHER 25
MATCH (e:Entity)
WHERE e.id > $after
WITH e
ORDER BY e.id
LIMIT $limit
SET e:$(CASE WHEN $kinds[e.type] IS NULL THEN [] ELSE [$kinds[e.type]] END)
RETURN max(e.id) AS last, count(*) AS done

// name: migrate_chunks(after, limit)
// mode: write
// returns: last, done
// To version 2. Chunks get a name, and the label of their corpus' index of words another one.
CYPHER 25
MATCH (c:Chunk)
WHERE c.id > $after
WITH c
ORDER BY c.id
LIMIT $limit
OPTIONAL MATCH (home:Corpus {name: c.corpus})
WITH c, home.corpus_key AS key
SET c.name = c.title + ' · ' + toString(c.position + 1)
REMOVE c:$(CASE WHEN key IS NULL THEN [] ELSE ['CorpusChunk_' + key] END)
SET c:$(CASE WHEN key IS NULL THEN [] ELSE ['ZWords_' + key] END)
RETURN max(c.id) AS last, count(*) AS done

// name: migrate_sentences(after, limit)
// mode: write
// returns: last, done
// To version 2. Sentences get a name, their beginning.
CYPHER 25
MATCH (s:Sentence)
WHERE s.id > $after
WITH s
ORDER BY s.id
LIMIT $limit
SET s.name = CASE WHEN size(s.text) > 60 THEN left(s.text, 59) + '…' ELSE s.text END
RETURN max(s.id) AS last, count(*) AS done

// name: migrate_captions(after, limit)
// mode: write
// returns: last, done
// To version 2. Triples get a caption; of text it is the base form, until it is ingested anew.
CYPHER 25
MATCH ()-[r:RELATION]->()
WHERE r.id > $after
WITH r
ORDER BY r.id
LIMIT $limit
SET r.caption = coalesce(r.caption, r.relation, r.predicate)
RETURN max(r.id) AS last, count(*) AS done

// name: migrate_bookkeeping(after, limit, names)
// mode: write
// returns: last, done
// To version 2. What is no content gets a label of its own, and a name by its label ({label: name})
// where it has none.
CYPHER 25
MATCH (n:Access|ApiKey|AuditEntry|BenchRun|BenchRunPart|Blob|FormerTitle|Job|Merge|Review|Schedule
         |ScheduleRun|SchemaVersion|TitleLinks|User|Verdict)
WITH n, [label IN labels(n) WHERE label IN keys($names)][0] AS label
WITH n, label, label + ' ' + coalesce(n.id, n.name, n.corpus) AS key
WHERE key > $after
ORDER BY key
LIMIT $limit
SET n:ZBookkeeping, n.name = coalesce(n.name, $names[label])
RETURN max(key) AS last, count(*) AS done

// name: migrate_records(after, limit)
// mode: write
// returns: last, done
// To version 3. When a record came into being is told by created_at; accepted_at is of files and pages.
CYPHER 25
MATCH (d:Document)
WHERE d.id > $after AND d.parent_id IS NOT NULL
WITH d
ORDER BY d.id
LIMIT $limit
SET d.created_at = coalesce(d.created_at, d.accepted_at)
REMOVE d.accepted_at
RETURN max(d.id) AS last, count(*) AS done
