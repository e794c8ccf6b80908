// The job ledger. Times are the database's clock, so that workers need not agree on one. Where it was
// set back, what was set before lies in the future: job.given_back_at (when not_before was set) tells
// that a job need wait no longer, job.leased_at (when lease_until was) is what rebase_leases looks at.
// A statement that changes a job first writes to it: that takes the node's lock, and what is
// read after it is what the winner of a race left behind.
// job.log holds what happened to the job, a line each: the time, a tab, words; the last 200.

// name: create_job(id, kind, corpus, params, document_ids, request)
// mode: write
// returns: job
// Enter a job once, and hand it the accepted documents that it is to process.
CYPHER 25
MERGE (job:Job {id: $id})
ON CREATE SET
  job:ZBookkeeping,
  job.name = '~ job',
  job.kind = $kind,
  job.corpus = $corpus,
  job.params = $params,
  job.request = $request,
  job.state = 'queued',
  job.attempt = 0,
  job.fencing_token = 0,
  job.progress = '{}',
  job.cancel_requested = false,
  job.created_at = datetime.realtime(),
  job.log = [toString(datetime.realtime()) + '\tQueued.']
WITH job
CALL (job) {
  UNWIND $document_ids AS document_id
  MATCH (document:Document {id: document_id})
  USING INDEX SEEK document:Document(id)
  WHERE document.corpus = $corpus
  SET document.job_id = job.id
}
RETURN job {.*} AS job

// name: take_job(id, owner, lease_ms, attempts)
// mode: write
// returns: job
// Take a waiting job, or one whose lease has run out; no row if somebody else has it.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job, datetime.realtime() AS now
WHERE job.attempt < $attempts
  AND NOT job.cancel_requested
  AND ((job.state = 'queued'
      AND (coalesce(job.not_before, now) <= now OR job.given_back_at > now))
    OR (job.state = 'running' AND job.lease_until < now))
SET
  job.state = 'running',
  job.leased_at = now,
  job.owner = $owner,
  job.attempt = job.attempt + 1,
  job.fencing_token = job.fencing_token + 1,
  job.lease_until = now + duration({milliseconds: $lease_ms}),
  job.started_at = coalesce(job.started_at, now),
  job.not_before = null
SET job.log = (coalesce(job.log, [])
    + (toString(now) + '\tTry ' + toString(job.attempt) + ' begins, by ' + $owner + '.'))[-200..]
RETURN job {.*} AS job

// name: renew_job(id, token, lease_ms, progress, notes, done)
// mode: write
// returns: job
// Prolong the lease and note the progress, and lines for the log; no row if the token is no longer
// the job's. Who has done more than any try before makes its own the first that counts.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job, datetime.realtime() AS now
WHERE job.state = 'running' AND job.fencing_token = $token
SET
  job.leased_at = now,
  job.lease_until = now + duration({milliseconds: $lease_ms}),
  job.progress = $progress,
  job.attempt = CASE WHEN $done > coalesce(job.furthest, 0) THEN 1 ELSE job.attempt END,
  job.log = (coalesce(job.log, [])
    + [note IN $notes | toString(now) + '\t' + note])[-200..]
SET job.furthest = CASE WHEN $done > coalesce(job.furthest, 0) THEN $done ELSE job.furthest END
RETURN job {.*} AS job

// name: hold_job(id, token)
// mode: write
// returns: id
// First in a transaction that writes a job's data: it locks the job until the commit, and no row
// says that the job is no longer the writer's, who then rolls back.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job
WHERE job.state = 'running' AND job.fencing_token = $token
RETURN job.id AS id

// name: lock_job(id, token)
// mode: write
// returns: id
// First in a transaction that undoes what was begun of a job that is about to end: it locks the job
// until the commit, and no row says that somebody took it meanwhile, or that it has ended.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job
WHERE job.state IN ['queued', 'running'] AND job.fencing_token = $token
RETURN job.id AS id

// name: close_job(id, token, state, error, progress)
// mode: write
// returns: job
// End a job (done, failed, cancelled or set_aside) by who owns it. What it leaves unprocessed
// fails visibly in the same transaction (put_off_documents).
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job
WHERE job.state = 'running' AND job.fencing_token = $token
SET
  job.state = $state,
  job.error = $error,
  job.progress = $progress,
  job.finished_at = datetime.realtime(),
  job.log = (coalesce(job.log, []) + (toString(datetime.realtime()) + '\tEnded: '
    + replace($state, '_', ' ') + '.' + coalesce(' ' + $error, '')))[-200..],
  job.owner = null,
  job.lease_until = null
RETURN job {.*} AS job

// name: requeue_job(id, token, error, wait_ms, attempt_back)
// mode: write
// returns: job
// Give a job back by who owns it: after an error (wait, then try again) or because the worker
// stops (attempt_back 1: this try does not count). One that is to be cancelled ends here: nobody
// would take it again. What that leaves unprocessed fails in the same transaction.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job, datetime.realtime() AS now
WHERE job.state = 'running' AND job.fencing_token = $token
SET
  job.state = CASE WHEN job.cancel_requested THEN 'cancelled' ELSE 'queued' END,
  job.error = coalesce($error, job.error),
  job.attempt = job.attempt - $attempt_back,
  job.given_back_at = now,
  job.not_before = now + duration({milliseconds: $wait_ms}),
  job.finished_at = CASE WHEN job.cancel_requested THEN now END,
  job.log = (coalesce(job.log, []) + (toString(now)
    + CASE WHEN job.cancel_requested THEN '\tCancelled.' ELSE '\tGiven back, to be tried again.' END
    + coalesce(' ' + $error, '')))[-200..],
  job.owner = null,
  job.lease_until = null
RETURN job {.*} AS job

// name: cancel_job(id)
// mode: write
// returns: job
// Ask a running job to stop; a waiting or an abandoned one is cancelled at once. One that has
// ended stays as it is.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job, datetime.realtime() AS now
WITH job, now,
  job.state = 'queued' OR (job.state = 'running' AND job.lease_until < now) AS idle
SET job.log = CASE
    WHEN idle THEN (coalesce(job.log, []) + (toString(now) + '\tCancelled.'))[-200..]
    WHEN job.state = 'running' AND NOT job.cancel_requested
      THEN (coalesce(job.log, []) + (toString(now) + '\tAsked to stop.'))[-200..]
    ELSE job.log END
SET job.cancel_requested =
  job.cancel_requested OR job.state IN ['queued', 'running']
FOREACH (_ IN CASE WHEN idle THEN [1] ELSE [] END |
  SET
    job.state = 'cancelled',
    job.finished_at = now,
    job.owner = null,
    job.lease_until = null
)
RETURN job {.*} AS job

// name: abandon_jobs(owners)
// mode: write
// returns: id
// End the leases of owners that are known to be dead, so that nobody waits for them to run out.
CYPHER 25
MATCH (job:Job {state: 'running'})
WHERE job.owner IN $owners
SET job.checked_at = datetime.realtime()
WITH job
WHERE job.state = 'running' AND job.owner IN $owners
SET job.lease_until = datetime.realtime() - duration({milliseconds: 1})
RETURN job.id AS id

// name: rebase_leases()
// mode: write
// returns: id
// A lease that was set in what is now the future runs as long as it was to, from now on: the clock
// was set back since. Who lives renews it; of one who died the others would wait till then.
CYPHER 25
MATCH (job:Job {state: 'running'})
WHERE job.leased_at > datetime.realtime()
SET job.checked_at = datetime.realtime()
WITH job, datetime.realtime() AS now
WHERE job.state = 'running' AND job.leased_at > now
SET
  job.lease_until = now + duration.inSeconds(job.leased_at, job.lease_until),
  job.leased_at = now
RETURN job.id AS id

// name: job_owners()
// mode: read
// returns: owner
// Who holds a lease now.
CYPHER 25
MATCH (job:Job {state: 'running'})
RETURN DISTINCT job.owner AS owner

// name: lost_jobs(attempts)
// mode: read
// returns: id
// Jobs that lost their worker and will not be tried again: at the last try, or being cancelled.
CYPHER 25
MATCH (job:Job {state: 'running'})
WHERE job.lease_until < datetime.realtime()
  AND (job.attempt >= $attempts OR job.cancel_requested)
RETURN job.id AS id
ORDER BY id

// name: end_lost_job(id, attempts)
// mode: write
// returns: job
// End such a job as what it is: cancelled, or set aside with the reason.
CYPHER 25
MATCH (job:Job {id: $id})
SET job.checked_at = datetime.realtime()
WITH job, datetime.realtime() AS now
WHERE job.state = 'running'
  AND job.lease_until < now
  AND (job.attempt >= $attempts OR job.cancel_requested)
SET
  job.state = CASE WHEN job.cancel_requested THEN 'cancelled' ELSE 'set_aside' END,
  job.error = CASE WHEN job.cancel_requested THEN job.error ELSE
    'Set aside: its worker died or hung at each of ' + toString(job.attempt) + ' tries.'
    + coalesce(' The last error seen was: ' + job.error, '') END,
  job.finished_at = now,
  job.log = (coalesce(job.log, []) + (toString(now) + CASE
    WHEN job.cancel_requested THEN '\tCancelled; its worker had died.'
    ELSE '\tSet aside: its worker died or hung.' END))[-200..],
  job.owner = null,
  job.lease_until = null
RETURN job {.*} AS job

// name: due_jobs(kinds, attempts, limit)
// mode: read
// returns: job
// Jobs that wait, or whose lease has run out, oldest first. Never one that is being worked on.
CYPHER 25
WITH datetime.realtime() AS now
MATCH (job:Job)
WHERE job.state IN ['queued', 'running']
  AND job.kind IN $kinds
  AND job.attempt < $attempts
  AND NOT job.cancel_requested
  AND ((job.state = 'queued'
      AND (coalesce(job.not_before, now) <= now OR job.given_back_at > now))
    OR (job.state = 'running' AND job.lease_until < now))
WITH job
ORDER BY job.created_at, job.id
LIMIT $limit
RETURN job {.*} AS job
ORDER BY job.created_at, job.id

// name: get_job(id)
// mode: read
// returns: job
// One job.
CYPHER 25
MATCH (job:Job {id: $id})
RETURN job {.*} AS job

// name: list_jobs(corpus, states, of_deleted, limit, offset)
// mode: read
// returns: job
// Jobs, newest first; a null corpus or states means all, of_deleted also those whose corpus was
// deleted since. Of those that are not shown the log is not read.
CYPHER 25
MATCH (job:Job)
WHERE ($corpus IS NULL OR job.corpus = $corpus)
  AND ($states IS NULL OR job.state IN $states)
  AND ($of_deleted OR job.corpus_deleted IS NULL)
WITH job
ORDER BY job.created_at DESC, job.id
SKIP $offset
LIMIT $limit
RETURN job {.*} AS job
ORDER BY job.created_at DESC, job.id

// name: count_jobs(corpus, states, of_deleted)
// mode: read
// returns: total
// How many jobs the pages of list_jobs have together.
CYPHER 25
MATCH (job:Job)
WHERE ($corpus IS NULL OR job.corpus = $corpus)
  AND ($states IS NULL OR job.state IN $states)
  AND ($of_deleted OR job.corpus_deleted IS NULL)
RETURN count(job) AS total

// name: failed_documents(job_id, corpus)
// mode: read
// returns: id
// The files and pages that a job could not index.
CYPHER 25
MATCH (document:Document {corpus: $corpus, status: 'failed'})
WHERE document.job_id = $job_id AND document.parent_id IS NULL
RETURN document.id AS id
ORDER BY id

// name: jobs_with_documents(corpus, ids)
// mode: read
// returns: id, documents
// The jobs that have still to process these documents: the last that was entered for one has it.
CYPHER 25
UNWIND $ids AS id
MATCH (document:Document {id: id, corpus: $corpus})
USING INDEX SEEK document:Document(id)
WHERE document.status = 'accepted'
MATCH (job:Job {id: document.job_id})
WHERE job.state IN ['queued', 'running']
RETURN job.id AS id, count(document) AS documents
ORDER BY id

// name: job_documents(job_id, corpus)
// mode: read
// returns: id
// The accepted documents that a job has still to process.
CYPHER 25
MATCH (document:Document {corpus: $corpus, status: 'accepted'})
WHERE document.job_id = $job_id AND document.parent_id IS NULL
RETURN document.id AS id
ORDER BY id

// name: orphaned_documents(grace_ms, limit)
// mode: read
// returns: corpus, ids
// Documents that were accepted a while ago, or in what is the future since the clock was set back,
// and that no live job will process.
CYPHER 25
WITH datetime.realtime() AS now, duration({milliseconds: $grace_ms}) AS grace
MATCH (document:Document {status: 'accepted'})
WHERE document.parent_id IS NULL
  AND NOT now - grace <= document.accepted_at <= now + grace
  AND NOT EXISTS {
    MATCH (job:Job {id: document.job_id})
    WHERE job.state IN ['queued', 'running']
  }
WITH document
ORDER BY document.id
LIMIT $limit
RETURN
  document.corpus AS corpus,
  collect(document.id) AS ids

// name: delete_old_jobs(days, limit)
// mode: write
// returns: deleted
// Forget jobs that ended long ago.
CYPHER 25
MATCH (job:Job)
WHERE job.finished_at < datetime.realtime() - duration({days: $days})
WITH job
LIMIT $limit
DETACH DELETE job
RETURN count(*) AS deleted

// name: job_counts()
// mode: read
// returns: kind, state, jobs
// For metrics; the ledger keeps jobs for 90 days.
CYPHER 25
MATCH (job:Job)
RETURN job.kind AS kind, job.state AS state, count(*) AS jobs
ORDER BY kind, state
