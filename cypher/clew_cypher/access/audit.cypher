// The log of changes. Entries are never changed.

// name: record_audit(id, who, action, target, outcome, address)
// mode: write
// returns: id
// The time is the database's, so that entries of several servers are in order.
CYPHER 25
CREATE (entry:AuditEntry:ZBookkeeping {id: $id, name: '~ audit entry'})
SET entry.at = datetime.realtime(), entry.who = $who, entry.action = $action,
    entry.target = $target, entry.outcome = $outcome, entry.address = $address
RETURN entry.id AS id

// name: list_audit(who, action, limit, offset)
// mode: read
// returns: id, at, who, action, target, outcome, address
// Newest first; an empty filter takes all. An action is meant with all that begin with it.
CYPHER 25
MATCH (entry:AuditEntry)
WHERE entry.at IS NOT NULL
  AND ($who = '' OR entry.who = $who)
  AND entry.action STARTS WITH $action
RETURN entry.id AS id, toString(entry.at) AS at, entry.who AS who, entry.action AS action,
       entry.target AS target, entry.outcome AS outcome, entry.address AS address
ORDER BY entry.at DESC, entry.id
SKIP $offset
LIMIT $limit

// name: count_audit(who, action)
// mode: read
// returns: entries
// How many entries `list_audit` has in all.
CYPHER 25
MATCH (entry:AuditEntry)
WHERE entry.at IS NOT NULL
  AND ($who = '' OR entry.who = $who)
  AND entry.action STARTS WITH $action
RETURN count(*) AS entries
