"""Health checks for containers: ``python -m clew.runtime.probe web|query|ingest|gpu``.

``web`` asks the web server of this container, a queue's name sends a task through that queue and
waits until it comes back. Ends with status 0 where all is well, else 1 and the reason.
"""

import sys
import urllib.request

from clew.errors import CLEW_ERRORS
from clew.settings import Settings

TIMEOUT_S = 20.0


def probe(what: str, settings: Settings) -> str:
    """Return what was found; raises an error of Clew or an OSError where it is not well."""
    if what == "web":
        address = f"http://127.0.0.1:{settings.web_port}/health"
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as response:
            return f"{address} answered {response.status}"
    from clew.jobs.pulse import ping

    return f"a task came back after {ping(settings, what, TIMEOUT_S):.3f} s"


def main() -> int:
    """Check what the command line names."""
    try:
        sys.stdout.write(probe(sys.argv[1], Settings.load()) + "\n")
    except (*CLEW_ERRORS, OSError) as error:
        sys.stdout.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
