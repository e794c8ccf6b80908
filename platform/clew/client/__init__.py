"""`ClewClient`: Clew over REST, for programs on another machine. Loads neither models nor Neo4j.

    with ClewClient("http://localhost:8750", key="YOUR-KEY") as clew:
        clew.wait(clew.upload("report.pdf", corpus="papers"))
        print(clew.ask("Who founded the shipyard?", corpus="papers").text)

What comes back are the types of the facade, `clew.Clew`. One client serves many threads; for
coroutines there is `clew.async_client.AsyncClewClient`.
"""

from clew.client.client import ClewClient
from clew.client.errors import (
    ApiError,
    BadRequest,
    Conflict,
    NotAllowed,
    NotFound,
    NotReady,
    ServerFault,
    TookTooLong,
)

__all__ = [
    "ApiError",
    "BadRequest",
    "ClewClient",
    "Conflict",
    "NotAllowed",
    "NotFound",
    "NotReady",
    "ServerFault",
    "TookTooLong",
]
