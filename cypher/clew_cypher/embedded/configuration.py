"""What the embedded Neo4j is started with: its neo4j.conf, its Java options, its password."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
USERNAME = "neo4j"
DATABASE = "neo4j"
_ITERATIONS = 1024

CALLED = (
    *("gds.version", "gds.graph.list", "gds.graph.drop", "gds.graph.project*"),
    *("gds.pageRank.stream", "gds.util.asNode", "db.*", "dbms.*", "tx.*"),
)
"""The procedures and functions that Clew calls, and those of Neo4j itself. Neo4j compiles all that
may be called while it starts, and GDS has hundreds."""
_TIER_4 = 10
"""How many times as often as by default something runs before Java's second compiler takes it up: a
start is over before that pays."""
_JAVA_OPTIONS = (
    "-XX:+UseG1GC",
    f"-XX:Tier4InvocationThreshold={5_000 * _TIER_4}",
    f"-XX:Tier4MinInvocationThreshold={600 * _TIER_4}",
    f"-XX:Tier4CompileThreshold={15_000 * _TIER_4}",
    f"-XX:Tier4BackEdgeThreshold={40_000 * _TIER_4}",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+DisableExplicitGC",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.leakDetection.level=DISABLED",
    "-Djdk.tls.ephemeralDHKeySize=2048",
    "-Djava.awt.headless=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)


@dataclass(frozen=True)
class ServerOptions:
    """Ports and sizes of one start; sizes in MiB.

    ``procedures``: what may be called beside what Clew calls ("gds.*": all of GDS).
    """

    bolt_port: int
    browser_port: int
    heap_mib: int
    page_cache_mib: int
    transaction_timeout_s: int = 600
    procedures: tuple[str, ...] = ()


def neo4j_conf(options: ServerOptions) -> str:
    """Return the text of neo4j.conf: loopback, authentication, and a limit on everything."""
    heap = options.heap_mib
    settings = {
        "server.default_listen_address": HOST,
        "server.default_advertised_address": HOST,
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{HOST}:{options.bolt_port}",
        "server.bolt.advertised_address": f"{HOST}:{options.bolt_port}",
        "server.http.enabled": "true",
        "server.http.listen_address": f"{HOST}:{options.browser_port}",
        "server.http.advertised_address": f"{HOST}:{options.browser_port}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": f"{options.page_cache_mib}m",
        "dbms.memory.transaction.total.max": f"{max(64, heap * 7 // 10)}m",
        "db.memory.transaction.max": f"{max(64, heap * 6 // 10)}m",
        "db.transaction.timeout": f"{options.transaction_timeout_s}s",
        "db.lock.acquisition.timeout": "60s",
        "db.tx_log.rotation.retention_policy": "1 files",
        "db.tx_log.rotation.size": "64m",
        "dbms.security.auth_enabled": "true",
        "dbms.security.procedures.unrestricted": "gds.*",
        "dbms.security.procedures.allowlist": ",".join((*CALLED, *options.procedures)),
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
    }
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def java_arguments(options: ServerOptions, class_path: list[Path]) -> list[str]:
    """Return the JVM's arguments, the class path among them."""
    return [
        f"-Xms{min(options.heap_mib, 512)}m",
        f"-Xmx{options.heap_mib}m",
        *_JAVA_OPTIONS,
        "-cp",
        os.pathsep.join(str(path) for path in class_path),
    ]


def argument_file(arguments: list[str]) -> str:
    """Return the text of a Java @argfile that holds ``arguments``."""
    quoted = (argument.replace("\\", "\\\\").replace('"', '\\"') for argument in arguments)
    return "".join(f'"{argument}"\n' for argument in quoted)


def first_password(home: Path) -> str:
    """Return the password kept in ``home``, made (256 bits, mode 0600) where there is none.

    Before the first start it is handed to Neo4j the way ``neo4j-admin dbms
    set-initial-password`` does: as a salted hash in data/dbms/auth.ini.
    """
    path = home / "password"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32))
    password = path.read_text().strip()
    if not (home / "data" / "databases" / "system").exists():
        folder = home / "data" / "dbms"
        folder.mkdir(parents=True, exist_ok=True)
        write_private(folder / "auth.ini", f"{USERNAME}:{_credential(password)}:\n")
    return password


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, all of it or nothing."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(os.fsencode(text))  # paths are in it, in whatever locale
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _credential(password: str) -> str:
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"SHA-256,{digest.hex()},{salt.hex()},{_ITERATIONS}"
