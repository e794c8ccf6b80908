// Webhooks, and what they are told: a delivery is to be sent until it is delivered or given up.

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
MATCH (w:Webhook)
WITH w, w.looked_until - duration({milliseconds: $overlap_ms}) AS since
MATCH (job:Job)
WHERE job.finished_at >= since
  AND job.finished_at >= w.created_at
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
MATCH (w:Webhook)
WITH w, datetime.realtime() AS now, w.looked_until - duration({milliseconds: $overlap_ms}) AS since
SET w.looked_until = now
WITH w, now, since
CALL (w, now, since) {
  MATCH (job:Job)
  WHERE job.finished_at >= since
    AND job.finished_at >= w.created_at
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
// returns: id, attempt, url, secret, job
// One that is due, for so long: whoever dies meanwhile leaves it to another one after that.
CYPHER 25
MATCH (d:WebhookDelivery {state: 'queued'})
WHERE d.due_at <= datetime.realtime()
WITH d
ORDER BY d.due_at, d.id
LIMIT 1
SET d.checked_at = datetime.realtime()
WITH d, datetime.realtime() AS now
WHERE d.state = 'queued' AND d.due_at <= now
SET d.due_at = now + duration({milliseconds: $lease_ms}), d.attempt = d.attempt + 1
WITH d
MATCH (d)-[:DELIVERY_OF]->(w:Webhook)
OPTIONAL MATCH (job:Job {id: d.job_id})
RETURN d.id AS id, d.attempt AS attempt, w.url AS url, w.secret AS secret,
       job {
         .id, .kind, .corpus, .state, .attempt, .error,
         created_at: toString(job.created_at),
         started_at: toString(job.started_at),
         finished_at: toString(job.finished_at)
       } AS job

// name: settle_delivery(id, attempt, state, status, error, wait_ms)
// mode: write
// returns: id
// How a try ended; no row where another process has tried since.
CYPHER 25
MATCH (d:WebhookDelivery {id: $id})
USING INDEX d:WebhookDelivery(id)
SET d.checked_at = datetime.realtime()
WITH d
WHERE d.attempt = $attempt AND d.state = 'queued'
SET d.state = $state, d.status = $status, d.error = $error, d.tried_at = datetime.realtime(),
    d.due_at = datetime.realtime() + duration({milliseconds: $wait_ms})
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
// It is due now, whatever became of it; its tries go on being counted.
CYPHER 25
MATCH (d:WebhookDelivery {id: $id})
SET d.state = 'queued', d.due_at = datetime.realtime()
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
