// name: index_states()
// mode: read
// returns: name, state, percent, failure
// Every index with its state. A new one is filled in the background; a search before that fails.
CYPHER 25
SHOW INDEXES
YIELD name, state, populationPercent, failureMessage
RETURN name, state, populationPercent AS percent, failureMessage AS failure

// name: existing_indexes()
// mode: read
// returns: name, state, dimension
// What is there is not made again, and a constraint has an index of its own name. The dimension of
// a vector index cannot be changed, so it is compared first; other indexes have none.
CYPHER 25
SHOW INDEXES
YIELD name, state, options
RETURN name, state, options.indexConfig['vector.dimensions'] AS dimension
