"""What a backup tells of itself."""

from clew.results.result import Result


class BackupInfo(Result):
    """What an archive holds. ``digest`` is that of the graph: equal graphs have equal ones."""

    clew: str
    made_at: str
    nodes: int
    relationships: int
    digest: str
    files: int
    size_bytes: int = 0
