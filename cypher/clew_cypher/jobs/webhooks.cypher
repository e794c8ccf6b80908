// Webhooks, and what they are told: a delivery is to be sent until it is delivered or given up.
// A webhook is told of one job at a time. Until w.free_at it is left alone: it is being told, or it
// did not answer, w.silent times in a row; w.told_at says when that was set. A time that was set in
// what is now the future says that the clock was set back since: then nothing is waited for.
// What is read again after a lock was taken is written to first: else the server may take it for
// known from before.

// name: create_webhook(id, url, secret, corpus, kinds)
// mode: write
// returns: webhook
// It is told of jobs that end from now on; the secret signs, so it is kept as it is.
CYPHER 25
MATCH (:Corpus {name: $corpus})
CREATE (w:Webhook:ZBookkeeping {id: $id, name: '~ webhook'})
SET w.url = $url, w.secret = $secret, w.corpus = $corpus, w.kinds = $kinds,
    w.created_at = datetime.realtime(), w.looked_until = datetime.realtime()
RETURN w {.id, .url, .corpus, .kinds, created_at: toString(w.created_at)} AS webhook

// name: list_webhooks(corpus)
// mode: read
// returns: webhook
// Of a corpus, or of all where that is null; newest first.
CYPHER 25
MATCH (w:Webhook)
WHERE $corpus IS NULL OR w.corpus = $corpus
WITH w
ORDER BY w.created_at DESC, w.id
RETURN w {.id, .url, .corpus, .kinds, created_at: toString(w.created_at)} AS webhook

// name: get_webhook(id)
// mode: read
// returns: webhook
// One of them.
CYPHER 25
MATCH (w:Webhook {id: $id})
RETURN w {.id, .url, .corpus, .kinds, created_at: toString(w.created_at)} AS webhook

// name: delete_webhook(id)
// mode: write
// returns: deleted
// With its deliveries, sent or not.
CYPHER 25
MATCH (w:Webhook {id: $id})
OPTIONAL MATCH (d:WebhookDelivery)-[:DELIVERY_OF]->(w)
WITH w, collect(d) AS deliveries
FOREACH (d IN deliveries | DETACH DELETE d)
DETACH DELETE w
RETURN true AS deleted

// name: untold_jobs(overlap_ms)
// mode: read
// returns: jobs
// How many deliveries enter_deliveries would enter: without any nothing is written, and a backup
// finds the graph at rest.
CYPHER 25
WITH datetime.realtime() AS now
MATCH (w:Webhook)
WITH w, now, CASE WHEN w.looked_until > now THEN now ELSE w.looked_until END
  - duration({milliseconds: $overlap_ms}) AS since
MATCH (job:Job)
WHERE job.finished_at >= since
  AND (job.finished_at >= w.created_at OR w.created_at > now)
  AND job.corpus = w.corpus
  AND (size(w.kinds) = 0 OR job.kind IN w.kinds)
  AND NOT EXISTS { (:WebhookDelivery {id: w.id + '-' + job.id}) }
RETURN count(*) AS jobs

// name: enter_deliveries(overlap_ms)
// mode: write
// returns: entered
// A delivery a webhook and ended job, once: its id is unique. Jobs that ended a little before the
// last look are looked at again, since a transaction is seen only after the time it wrote. The lock
// on the webhook lets one process look at a time.
CYPHER 25
WITH datetime.realtime() AS now
MATCH (w:Webhook)
WITH w, now, CASE WHEN w.looked_until > now THEN now ELSE w.looked_until END
  - duration({milliseconds: $overlap_ms}) AS since
SET w.looked_until = now
WITH w, now, since
CALL (w, now, since) {
  MATCH (job:Job)
  WHERE job.finished_at >= since
    AND (job.finished_at >= w.created_at OR w.created_at > now)
    AND job.corpus = w.corpus
    AND (size(w.kinds) = 0 OR job.kind IN w.kinds)
  MERGE (d:WebhookDelivery {id: w.id + '-' + job.id})
  ON CREATE SET
    d:ZBookkeeping,
    d.name = '~ webhook delivery',
    d.job_id = job.id,
    d.state = 'queued',
    d.attempt = 0,
    d.due_at = now,
    d.created_at = now
  MERGE (d)-[:DELIVERY_OF]->(w)
  RETURN count(d) AS found
}
RETURN sum(found) AS entered

// name: take_delivery(lease_ms)
// mode: write
// returns: id, attempt, silent, age_s, url, secret, job
// One that is due, with its webhook, for so long: whoever dies meanwhile leaves it to another one
// after that. The webhook that was told longest ago comes first.
CYPHER 25
WITH datetime.realtime() AS now
MATCH (d:WebhookDelivery {state: 'queued'})-[:DELIVERY_OF]->(w:Webhook)
WHERE (d.due_at <= now OR coalesce(d.tried_at, d.created_at) > now)
  AND (coalesce(w.free_at, now) <= now OR w.told_at > now)
WITH d, w
ORDER BY coalesce(w.told_at, w.created_at), d.due_at, d.id
LIMIT 1
SET w.checked_at = datetime.realtime(), d.checked_at = datetime.realtime()
WITH d, w, datetime.realtime() AS now
WHERE d.state = 'queued'
  AND (d.due_at <= now OR coalesce(d.tried_at, d.created_at) > now)
  AND (coalesce(w.free_at, now) <= now OR w.told_at > now)
SET
  d.attempt = d.attempt + 1,
  d.tried_at = now,
  d.due_at = now + duration({milliseconds: $lease_ms}),
  w.told_at = now,
  w.free_at = now + duration({milliseconds: $lease_ms})
WITH d, w, now
OPTIONAL MATCH (job:Job {id: d.job_id})
RETURN d.id AS id, d.attempt AS attempt, coalesce(w.silent, 0) AS silent,
       (now.epochMillis - d.created_at.epochMillis) / 1000.0 AS age_s,
       w.url AS url, w.secret AS secret,
       job {
         .id, .kind, .corpus, .state, .attempt, .error,
         created_at: toString(job.created_at),
         started_at: toString(job.started_at),
         finished_at: toString(job.finished_at)
       } AS job

// name: settle_delivery(id, attempt, state, status, error, wait_ms, silent, rest_ms)
// mode: write
// returns: id
// How a try ended, and how long the webhook is left alone; no row where another process has tried
// since.
CYPHER 25
MATCH (d:WebhookDelivery {id: $id})
USING INDEX SEEK d:WebhookDelivery(id)
MATCH (d)-[:DELIVERY_OF]->(w:Webhook)
SET w.checked_at = datetime.realtime(), d.checked_at = datetime.realtime()
WITH d, w, datetime.realtime() AS now
WHERE d.attempt = $attempt AND d.state = 'queued'
SET
  d.state = $state,
  d.status = $status,
  d.error = $error,
  d.tried_at = now,
  d.due_at = now + duration({milliseconds: $wait_ms}),
  w.silent = $silent,
  w.told_at = now,
  w.free_at = now + duration({milliseconds: $rest_ms})
RETURN d.id AS id

// name: list_deliveries(webhook_id, limit)
// mode: read
// returns: delivery
// Newest first.
CYPHER 25
MATCH (d:WebhookDelivery)-[:DELIVERY_OF]->(:Webhook {id: $webhook_id})
WITH d
ORDER BY d.created_at DESC, d.id
LIMIT $limit
RETURN d {
         .id, .job_id, .state, .attempt, .status, .error,
         created_at: toString(d.created_at),
         tried_at: toString(d.tried_at),
         next_at: CASE WHEN d.state = 'queued' THEN toString(d.due_at) END
       } AS delivery

// name: retry_delivery(id)
// mode: write
// returns: delivery
// It is due now, whatever became of it, and its webhook is not left alone any longer; its tries go
// on being counted.
CYPHER 25
MATCH (d:WebhookDelivery {id: $id})-[:DELIVERY_OF]->(w:Webhook)
SET
  w.free_at = datetime.realtime(),
  d.state = 'queued',
  d.due_at = datetime.realtime()
RETURN d {
         .id, .job_id, .state, .attempt, .status, .error,
         created_at: toString(d.created_at),
         tried_at: toString(d.tried_at),
         next_at: toString(d.due_at)
       } AS delivery

// name: delete_old_deliveries(days, limit)
// mode: write
// returns: deleted
// What was entered longer ago, of jobs that are kept no longer: those would be entered again.
CYPHER 25
MATCH (d:WebhookDelivery)
WHERE d.created_at < datetime.realtime() - duration({days: $days})
  AND NOT EXISTS { (:Job {id: d.job_id}) }
WITH d
LIMIT $limit
DETACH DELETE d
RETURN count(*) AS deleted
