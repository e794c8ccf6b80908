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
SET v.version = $version
REMOVE v.step, v.after
RETURN v.version AS version

// name: enter_schema_step(version, step, after)
// mode: write
// returns: version
// How far a migration came: in the transaction of the batch, so that neither is there alone.
CYPHER 25
MERGE (v:SchemaVersion {id: 'graph'})
SET v.version = $version, v.step = $step, v.after = $after
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
