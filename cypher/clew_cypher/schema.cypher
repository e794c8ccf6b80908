// name: await_indexes(timeout_s)
// mode: read
// returns: done
// A new index is populated in the background; a search before that fails.
CYPHER 25
CALL db.awaitIndexes($timeout_s)
RETURN true AS done

// name: await_index(name, timeout_s)
// mode: read
// returns: done
// As above, for one index.
CYPHER 25
CALL db.awaitIndex($name, $timeout_s)
RETURN true AS done

// name: existing_indexes()
// mode: read
// returns: name, dimension
// What is there is not made again, and a constraint has an index of its own name. The dimension of
// a vector index cannot be changed, so it is compared first; other indexes have none.
CYPHER 25
SHOW INDEXES
YIELD name, options
RETURN name, options.indexConfig['vector.dimensions'] AS dimension
