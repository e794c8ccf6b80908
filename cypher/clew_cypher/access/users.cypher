// Users. Each change begins with lock_access, so that two cannot both take the last administrator.

// name: access_state()
// mode: read
// returns: secret, users, administrators
// Whether anybody has to log in, and how many administrators can; the secret signs sessions and keys.
// One row, also before any user.
CYPHER 25
OPTIONAL MATCH (access:Access {id: 'access'})
RETURN access.secret AS secret,
       COUNT { MATCH (:User) } AS users,
       COUNT {
         MATCH (u:User)
         WHERE u.role = 'admin' AND NOT u.disabled AND u.password IS NOT NULL
       } AS administrators

// name: lock_access(secret)
// mode: write
// returns: secret
// Changes of users wait here for each other; the secret is made with the first.
CYPHER 25
MERGE (access:Access {id: 'access'})
ON CREATE SET access:ZBookkeeping, access.name = '~ access', access.secret = $secret
SET access.changed_at = datetime.realtime()
RETURN access.secret AS secret

// name: user(name)
// mode: read
// returns: name, role, disabled, all_corpora, corpora, created_at, password, epoch
// A user with what a login is checked by.
CYPHER 25
MATCH (u:User {name: $name})
RETURN u.name AS name, u.role AS role, u.disabled AS disabled, u.all_corpora AS all_corpora,
       COLLECT { MATCH (u)-[:MAY_SEE]->(c:Corpus) RETURN c.name ORDER BY c.name } AS corpora,
       toString(u.created_at) AS created_at, u.password AS password, u.epoch AS epoch

// name: list_users()
// mode: read
// returns: name, role, disabled, all_corpora, corpora, created_at, has_password, keys
// Users by name, with how many keys of theirs are still good.
CYPHER 25
MATCH (u:User)
RETURN u.name AS name, u.role AS role, u.disabled AS disabled, u.all_corpora AS all_corpora,
       COLLECT { MATCH (u)-[:MAY_SEE]->(c:Corpus) RETURN c.name ORDER BY c.name } AS corpora,
       toString(u.created_at) AS created_at, u.password IS NOT NULL AS has_password,
       COUNT {
         MATCH (u)<-[:KEY_OF]-(k:ApiKey)
         WHERE k.revoked_at IS NULL AND k.expires_at > datetime.realtime()
       } AS keys
ORDER BY name

// name: save_user(name, role, disabled, all_corpora, password, epoch)
// mode: write
// returns: name
// Sessions know the epoch that they began in: with another one they end.
CYPHER 25
MERGE (u:User {name: $name})
ON CREATE SET u:ZBookkeeping, u.created_at = datetime.realtime()
SET u.role = $role, u.disabled = $disabled, u.all_corpora = $all_corpora,
    u.password = $password, u.epoch = $epoch
RETURN u.name AS name

// name: delete_user(name)
// mode: write
// returns: keys
// A user with their grants and API keys, of which it returns the number.
CYPHER 25
MATCH (u:User {name: $name})
OPTIONAL MATCH (k:ApiKey)-[:KEY_OF]->(u)
WITH u, collect(k) AS keys
FOREACH (k IN keys | DETACH DELETE k)
DETACH DELETE u
RETURN size(keys) AS keys

// name: grant_corpus(name, corpus)
// mode: write
// returns: corpus
// The grant is a relationship: it goes with the corpus, and is not that of a later one of its name.
CYPHER 25
MATCH (u:User {name: $name})
MATCH (c:Corpus {name: $corpus})
MERGE (u)-[:MAY_SEE]->(c)
RETURN c.name AS corpus

// name: revoke_corpus(name, corpus)
// mode: write
// returns: corpus
// No row where there was no such grant.
CYPHER 25
MATCH (:User {name: $name})-[grant:MAY_SEE]->(c:Corpus {name: $corpus})
DELETE grant
RETURN c.name AS corpus
