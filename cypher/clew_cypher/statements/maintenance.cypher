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

// name: full_text_indexes()
// mode: read
// returns: name
// Which corpora have their index of words, ready to be searched.
CYPHER 25
SHOW FULLTEXT INDEXES
YIELD name, state
WHERE state = 'ONLINE'
RETURN name

// name: label_chunks(corpus, label, limit)
// mode: write
// returns: done
// Chunks that were written before each corpus had its own index of words.
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE NOT c:$($label)
WITH c
LIMIT $limit
SET c:$($label)
RETURN count(*) AS done

// name: vector_indexes()
// mode: read
// returns: name, options
// The dimension of an existing vector index cannot be changed, so it is compared first.
CYPHER 25
SHOW VECTOR INDEXES
YIELD name, options
RETURN name, options

// name: name_entities(limit)
// mode: write
// returns: done
// Entities of an earlier version: each had a mention, so each names something.
CYPHER 25
MATCH (e:Entity)
WHERE e.named IS NULL
WITH e
LIMIT $limit
SET e.named = true
RETURN count(*) AS done
