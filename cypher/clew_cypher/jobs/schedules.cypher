// Schedules and their ticks. Times are seconds since 1970 (UTC) of the database's clock; where a
// statement takes now_s, null means that clock, and a number is a test's.
// A statement that changes a schedule first writes to it: that takes the node's lock, and what is
// read after it is what the winner of a race left behind.

// name: create_schedule(id, name, kind, corpus, params, cron, every_s, zone, next_s, start_s)
// mode: write
// returns: schedule
// Enter a schedule; start_s is what an interval counts from.
CYPHER 25
CREATE (schedule:Schedule:ZBookkeeping {
  id: $id,
  name: $name,
  kind: $kind,
  corpus: $corpus,
  params: $params,
  cron: $cron,
  every_s: $every_s,
  zone: $zone,
  start_s: $start_s,
  next_s: $next_s,
  ticked_s: $start_s,
  paused: false,
  job_id: null,
  created_at: datetime.realtime()
})
RETURN schedule {.*} AS schedule

// name: clock()
// mode: read
// returns: now_s
// The database's clock.
CYPHER 25
RETURN datetime.realtime().epochMillis / 1000.0 AS now_s

// name: due_schedules(now_s, set_back_s)
// mode: read
// returns: schedule, now_s
// Schedules whose tick has come, earliest first, and those that ticked in what is now the future:
// the clock was set back by more than set_back_s.
CYPHER 25
WITH coalesce($now_s, datetime.realtime().epochMillis / 1000.0) AS now_s
MATCH (schedule:Schedule)
WHERE NOT schedule.paused
  AND (schedule.next_s <= now_s OR schedule.ticked_s > now_s + $set_back_s)
RETURN schedule {.*} AS schedule, now_s
ORDER BY schedule.next_s, schedule.id

// name: claim_tick(id, run_id, expected_s, next_s, job_id, missed, now_s)
// mode: write
// returns: state
// Claim a tick: the schedule moves on to its next one, and the run is there once. No row: another
// ticker has it, the schedule was paused, or the tick has not come (a schedule that is read while
// it is moved on is found by its tick of before and shown with the one after). The state is 'started', 'skipped' (the job of the run
// before is not over), or 'repeated' (the clock was set back, and this tick has run).
CYPHER 25
MATCH (schedule:Schedule {id: $id})
SET schedule.checked_at = datetime.realtime()
WITH schedule, coalesce($now_s, datetime.realtime().epochMillis / 1000.0) AS now_s
WHERE NOT schedule.paused AND schedule.next_s = $expected_s AND $expected_s <= now_s
OPTIONAL MATCH (before:ScheduleRun {id: $run_id})
OPTIONAL MATCH (job:Job {id: schedule.job_id})
WITH schedule, now_s, CASE
    WHEN before IS NOT NULL THEN 'repeated'
    WHEN job.state IN ['queued', 'running'] THEN 'skipped'
    ELSE 'started'
  END AS state
FOREACH (_ IN CASE WHEN state = 'repeated' THEN [] ELSE [1] END |
  CREATE (run:ScheduleRun:ZBookkeeping {
    name: '~ schedule run',
    id: $run_id,
    schedule_id: schedule.id,
    corpus: schedule.corpus,
    tick_s: $expected_s,
    claimed_s: now_s,
    by_hand: false,
    missed: $missed,
    state: state,
    job_id: CASE WHEN state = 'started' THEN $job_id ELSE schedule.job_id END
  })-[:RUN_OF]->(schedule)
)
SET
  schedule.next_s = $next_s,
  schedule.ticked_s = now_s,
  schedule.job_id = CASE WHEN state = 'started' THEN $job_id ELSE schedule.job_id END
RETURN state

// name: run_schedule_now(id, run_id, job_id)
// mode: write
// returns: state, schedule
// Run a schedule by hand, whether it is paused or not; its ticks stay as they are. 'skipped': the
// job of the run before is not over, and nothing is recorded.
CYPHER 25
MATCH (schedule:Schedule {id: $id})
SET schedule.checked_at = datetime.realtime()
WITH schedule, datetime.realtime().epochMillis / 1000.0 AS now_s
OPTIONAL MATCH (job:Job {id: schedule.job_id})
WITH schedule, now_s,
  CASE WHEN job.state IN ['queued', 'running'] THEN 'skipped' ELSE 'started' END AS state
FOREACH (_ IN CASE WHEN state = 'started' THEN [1] ELSE [] END |
  CREATE (run:ScheduleRun:ZBookkeeping {
    name: '~ schedule run',
    id: $run_id,
    schedule_id: schedule.id,
    corpus: schedule.corpus,
    tick_s: toInteger(now_s),
    claimed_s: now_s,
    by_hand: true,
    missed: 0,
    state: state,
    job_id: $job_id
  })-[:RUN_OF]->(schedule)
  SET schedule.job_id = $job_id
)
RETURN state, schedule {.*} AS schedule

// name: move_schedule(id, expected_s, next_s, now_s)
// mode: write
// returns: id
// Give a schedule another next tick, after the clock was set back; no row if another ticker did.
// Ticks that ran before come again: schedule.turned_back tells their runs from those of then.
CYPHER 25
MATCH (schedule:Schedule {id: $id})
SET schedule.checked_at = datetime.realtime()
WITH schedule
WHERE schedule.next_s = $expected_s
SET
  schedule.next_s = $next_s,
  schedule.ticked_s = $now_s,
  schedule.turned_back = coalesce(schedule.turned_back, 0) + 1
RETURN schedule.id AS id

// name: pause_schedule(id)
// mode: write
// returns: schedule
// Let a schedule rest: it does not tick.
CYPHER 25
MATCH (schedule:Schedule {id: $id})
SET schedule.paused = true
RETURN schedule {.*} AS schedule

// name: resume_schedule(id, next_s, now_s)
// mode: write
// returns: schedule
// Let a schedule that rests tick again, from next_s on; another one stays as it is.
CYPHER 25
MATCH (schedule:Schedule {id: $id})
SET schedule.checked_at = datetime.realtime()
FOREACH (_ IN CASE WHEN schedule.paused THEN [1] ELSE [] END |
  SET schedule.paused = false, schedule.next_s = $next_s, schedule.ticked_s = $now_s
)
RETURN schedule {.*} AS schedule

// name: list_schedules(corpus, id)
// mode: read
// returns: schedule, run, job
// Schedules by name, of one corpus or all, or the one of an id; with the last run and its job.
CYPHER 25
MATCH (schedule:Schedule)
WHERE ($corpus IS NULL OR schedule.corpus = $corpus) AND ($id IS NULL OR schedule.id = $id)
OPTIONAL CALL (schedule) {
  MATCH (run:ScheduleRun)-[:RUN_OF]->(schedule)
  RETURN run
  ORDER BY run.claimed_s DESC, run.tick_s DESC
  LIMIT 1
}
OPTIONAL MATCH (job:Job {id: run.job_id})
RETURN schedule {.*} AS schedule, run {.*} AS run, job {.state, .error, .progress} AS job
ORDER BY schedule.name, schedule.id

// name: schedule_runs(id, limit)
// mode: read
// returns: run, job
// The runs of a schedule, newest first, each with the state of its job as long as that is kept.
CYPHER 25
MATCH (run:ScheduleRun)-[:RUN_OF]->(:Schedule {id: $id})
WITH run
ORDER BY run.claimed_s DESC, run.tick_s DESC
LIMIT $limit
OPTIONAL MATCH (job:Job {id: run.job_id})
RETURN run {.*} AS run, job {.state, .error, .progress} AS job
ORDER BY run.claimed_s DESC, run.tick_s DESC

// name: delete_schedule(id)
// mode: write
// returns: deleted
// A schedule with its runs; a job that it started goes on.
CYPHER 25
MATCH (schedule:Schedule {id: $id})
OPTIONAL MATCH (run:ScheduleRun)-[:RUN_OF]->(schedule)
WITH schedule, collect(run) AS runs
FOREACH (run IN runs | DETACH DELETE run)
DETACH DELETE schedule
RETURN count(*) AS deleted

// name: delete_old_runs(before_s, limit)
// mode: write
// returns: deleted
// Forget runs that were claimed before a time.
CYPHER 25
MATCH (run:ScheduleRun)
WHERE run.claimed_s < $before_s
WITH run LIMIT $limit
DETACH DELETE run
RETURN count(*) AS deleted
