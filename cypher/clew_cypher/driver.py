"""The official Neo4j driver, imported without what it would load for users of DataFrames.

It imports pandas and PyArrow wherever they are installed: a second of CPU in every process.
Import the driver from here, so that whoever comes first does not pay it for all.
"""

from clew_cypher.lean_import import hidden

with hidden("pandas"), hidden("pyarrow"):
    import neo4j
    import neo4j.exceptions
    import neo4j.vector

__all__ = ["neo4j"]
