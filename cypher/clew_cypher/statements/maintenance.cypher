// name: await_indexes(timeout_s)
// mode: read
// returns: done
// A new index is populated in the background; a search before that fails.
CYPHER 25
CALL db.awaitIndexes($timeout_s)
RETURN true AS done

// name: vector_indexes()
// mode: read
// returns: name, options
// The dimension of an existing vector index cannot be changed, so it is compared first.
CYPHER 25
SHOW VECTOR INDEXES
YIELD name, options
RETURN name, options
