// What the server is.

// name: server_version()
// mode: read
// returns: version, edition
// Of the database's kernel.
CYPHER 25
CALL dbms.components() YIELD name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version, edition

// name: gds_version()
// mode: read
// returns: version
// Of the Graph Data Science library.
CYPHER 25
RETURN gds.version() AS version

// name: graph_id()
// mode: read
// returns: id
// What no two databases share, whatever address they are reached by: a copy made by `clew restore`
// has one of its own.
CYPHER 25
CALL db.info() YIELD id
RETURN id
