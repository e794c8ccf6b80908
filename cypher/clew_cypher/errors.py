"""What can go wrong in the graph layer, each error with what to do next."""


class GraphError(Exception):
    """Base of every error of this layer.

    ``exit_code`` is what the CLI ends with, ``http_status`` what REST answers with,
    ``remedy`` the sentence that tells a person what to do next.
    """

    exit_code = 4
    http_status = 500

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class GraphUnavailable(GraphError):
    """Neo4j cannot be reached, or refuses the credentials."""

    exit_code = 5
    http_status = 503


class EmbeddingDimensionMismatch(GraphError):
    """The embedder's vectors do not fit the vector indexes of this database."""

    http_status = 409


class GraphIsNewer(GraphError):
    """The graph was brought to a version of the schema that this program does not know."""

    exit_code = 3
    http_status = 409


class UnknownCorpus(GraphError):
    """No corpus of that name exists."""

    exit_code = 3
    http_status = 404


class UnknownDocument(GraphError):
    """No document with that id exists in the corpus."""

    exit_code = 3
    http_status = 404


class UnknownChunk(GraphError):
    """No chunk of that id is in the corpus."""

    exit_code = 3
    http_status = 404


class UnknownStatement(GraphError):
    """A statement was asked for by a name that no .cypher file declares."""


class StatementParameters(GraphError):
    """A statement was called with missing or undeclared parameters."""


class DownloadFailed(GraphError):
    """A jar could not be fetched or does not match the lock."""

    exit_code = 6
    http_status = 503


class StatementFailed(GraphError):
    """Neo4j refused a statement; ``__cause__`` is the driver's error with its code."""


class DataRefused(StatementFailed):
    """… because of what it was to write: another document may well be written."""


class EmbedderMismatch(GraphError):
    """A corpus was embedded with another model than the one that is configured."""

    exit_code = 3
    http_status = 409


class DocumentGone(GraphError):
    """Documents were deleted, or accepted in a newer version, while they were processed.

    ``ids``: the documents that must be left out; nothing of the batch was written.
    """

    http_status = 409

    def __init__(self, message: str, *, ids: tuple[str, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.ids = ids


class EntityVectorsMissing(GraphError):
    """Entities that the graph had were deleted before the batch came without their vectors.

    ``ids``: the entities that must be embedded; nothing of the batch was written.
    """

    http_status = 409

    def __init__(self, message: str, *, ids: tuple[str, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.ids = ids


class UnknownEntity(GraphError):
    """No entity of that id is in the corpus."""

    exit_code = 3
    http_status = 404


class UnknownMerge(GraphError):
    """No merge of that id is in the corpus, or it is undone already."""

    exit_code = 3
    http_status = 404


class UnknownReview(GraphError):
    """No review of that id waits in the corpus."""

    exit_code = 3
    http_status = 404


class KeptChunksGone(GraphError):
    """Chunks of an older version that a batch keeps are not in the graph (any more).

    ``ids``: the chunks; nothing of the batch was written.
    """

    http_status = 409

    def __init__(self, message: str, *, ids: tuple[str, ...], remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.ids = ids
