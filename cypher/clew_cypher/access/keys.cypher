// API keys: of the key itself only a digest is kept.

// name: create_api_key(id, user, name, digest, scopes, expires_at)
// mode: write
// returns: id
// No row where there is no such user.
CYPHER 25
MATCH (u:User {name: $user})
CREATE (k:ApiKey:ZBookkeeping {id: $id})-[:KEY_OF]->(u)
SET k.name = $name, k.digest = $digest, k.scopes = $scopes, k.expires_at = $expires_at,
    k.created_at = datetime.realtime()
RETURN k.id AS id

// name: api_key(id)
// mode: read
// returns: digest, scopes, key_name, live, noted, name, role, disabled, all_corpora, corpora
// A key with its user, all that a request is judged by, in one round trip.
CYPHER 25
MATCH (k:ApiKey {id: $id})-[:KEY_OF]->(u:User)
RETURN k.digest AS digest, k.scopes AS scopes, k.name AS key_name,
       k.revoked_at IS NULL AND k.expires_at > datetime.realtime() AS live,
       coalesce(k.last_used_at > datetime.realtime() - duration({minutes: 1}), false) AS noted,
       u.name AS name, u.role AS role, u.disabled AS disabled, u.all_corpora AS all_corpora,
       COLLECT { MATCH (u)-[:MAY_SEE]->(c:Corpus) RETURN c.name ORDER BY c.name } AS corpora

// name: list_api_keys()
// mode: read
// returns: id, name, user, scopes, state, created_at, expires_at, last_used_at
// Keys of all users, newest first.
CYPHER 25
MATCH (k:ApiKey)-[:KEY_OF]->(u:User)
RETURN k.id AS id, k.name AS name, u.name AS user, k.scopes AS scopes,
       CASE
         WHEN k.revoked_at IS NOT NULL THEN 'revoked'
         WHEN k.expires_at <= datetime.realtime() THEN 'expired'
         ELSE 'valid'
       END AS state,
       toString(k.created_at) AS created_at, toString(k.expires_at) AS expires_at,
       toString(k.last_used_at) AS last_used_at
ORDER BY created_at DESC, id

// name: note_key_use(id)
// mode: write
// returns: id
// That it was used now; asked for at most once a minute and key.
CYPHER 25
MATCH (k:ApiKey {id: $id})
SET k.last_used_at = datetime.realtime()
RETURN k.id AS id

// name: revoke_api_key(id)
// mode: write
// returns: id
// A key that was revoked stays listed, and keeps the time of the first revocation.
CYPHER 25
MATCH (k:ApiKey {id: $id})
SET k.revoked_at = coalesce(k.revoked_at, datetime.realtime())
RETURN k.id AS id
