"""Where the program begins: what the commands need is loaded here, so that an interrupt meanwhile
ends it as a later one does.
"""

import sys


def main() -> None:
    """Run the command line. Errors meant for people end with their exit code, one sentence each."""
    try:
        from clew.cli import app
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)  # as typer ends a command that is interrupted
    app.main()
