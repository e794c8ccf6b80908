"""Make the secrets of docker-compose.yml: ``python3 platform/clew/runtime/compose_secrets.py``.

Needs nothing but Python, so that a machine with containers alone can run it. What is there
already stays. The files can be read by the containers' users, which are not yours; the directory
is closed to everybody else on this machine.
"""

import secrets
import sys
from pathlib import Path

RABBITMQ = """default_user = clew
default_pass = {password}
consumer_timeout = 86400000
"""
"""A consumer may hold a message for a day: longer than the longest training."""


def make_secrets(folder: Path) -> list[Path]:
    """Write what is missing in ``folder``; return the files that were made."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    made: list[Path] = []
    neo4j = _kept(folder / "neo4j_password", secrets.token_urlsafe(32), made)
    _kept(folder / "neo4j_auth", f"neo4j/{neo4j}", made)
    broker = _kept(folder / "broker_password", secrets.token_urlsafe(32), made)
    _kept(folder / "broker_url", f"redis://:{broker}@valkey:6379/0", made)
    rabbitmq = _kept(folder / "rabbitmq_password", secrets.token_urlsafe(32), made)
    _kept(folder / "rabbitmq_url", f"amqp://clew:{rabbitmq}@rabbitmq:5672//", made)
    _kept(folder / "rabbitmq_conf", RABBITMQ.format(password=rabbitmq), made)
    _kept(folder / "access_token", secrets.token_urlsafe(32), made)
    return made


def _kept(path: Path, value: str, made: list[Path]) -> str:
    if not path.exists():
        path.write_text(value)
        path.chmod(0o644)
        made.append(path)
    return path.read_text()


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "secrets")
    for path in make_secrets(folder):
        sys.stdout.write(f"made {path}\n")
