// Runs of the bench. A run is written whole, in one transaction, and never changed.

// name: save_bench_run(id, created_at, info, figures)
// mode: write
// returns: id
// The run with what lists show of it; its data follows in parts.
CYPHER 25
MERGE (run:BenchRun {id: $id})
SET run:ZBookkeeping, run.name = '~ bench run', run.created_at = $created_at, run.info = $info, run.figures = $figures
RETURN run.id AS id

// name: drop_bench_run_parts(id)
// mode: write
// returns: deleted
// The parts of a run that is saved again or deleted.
CYPHER 25
MATCH (:BenchRun {id: $id})<-[:PART_OF_RUN]-(part:BenchRunPart)
DETACH DELETE part
RETURN count(*) AS deleted

// name: save_bench_run_part(id, part_id, position, data)
// mode: write
// returns: id
// A part of the run's data: a property of many MiB would need as much memory at once.
CYPHER 25
MATCH (run:BenchRun {id: $id})
MERGE (part:BenchRunPart {id: $part_id})
SET part:ZBookkeeping, part.name = '~ bench run part', part.position = $position, part.data = $data
MERGE (part)-[:PART_OF_RUN]->(run)
RETURN part.id AS id

// name: list_bench_runs(limit)
// mode: read
// returns: info, corpus_deleted
// What lists show of the runs, newest first.
CYPHER 25
MATCH (run:BenchRun)
RETURN run.info AS info, coalesce(run.corpus_deleted, false) AS corpus_deleted
ORDER BY run.created_at DESC, run.id
LIMIT $limit

// name: mark_bench_runs(ids)
// mode: write
// returns: marked
// What these runs measured was deleted: they are none of a later corpus of its name.
CYPHER 25
UNWIND $ids AS id
MATCH (run:BenchRun {id: id})
SET run.corpus_deleted = true
RETURN count(*) AS marked

// name: bench_run_figures(id)
// mode: read
// returns: figures
// What was computed of the run when it ended.
CYPHER 25
MATCH (run:BenchRun {id: $id})
RETURN run.figures AS figures

// name: bench_run_parts(id)
// mode: read
// returns: parts
// How many parts the run's data lies in; no row if there is no such run.
CYPHER 25
MATCH (run:BenchRun {id: $id})
RETURN COUNT { (run)<-[:PART_OF_RUN]-(:BenchRunPart) } AS parts

// name: bench_run_part(id, position)
// mode: read
// returns: data
// One part of the run's data.
CYPHER 25
MATCH (:BenchRun {id: $id})<-[:PART_OF_RUN]-(part:BenchRunPart {position: $position})
RETURN part.data AS data

// name: delete_bench_run(id)
// mode: write
// returns: deleted
// The run itself, after its parts.
CYPHER 25
MATCH (run:BenchRun {id: $id})
DETACH DELETE run
RETURN count(*) AS deleted
