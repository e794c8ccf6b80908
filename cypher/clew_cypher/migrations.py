"""Bringing a graph that an earlier Clew wrote to what this one reads, step by step.

The graph says which version it has (`SchemaVersion`). A migration is the way from the version
before; its steps run in batches, each with how far it came in the same transaction, so that what is
killed goes on where it was. One that is done changes nothing when it is run again.
"""

from collections.abc import Callable
from dataclasses import dataclass

from clew_cypher.errors import GraphIsNewer
from clew_cypher.kinds import BOOKKEEPING_NAMES, KIND_OF_TYPE
from clew_cypher.statements import statement
from clew_cypher.store import GraphStore, Transaction

BATCH = 2000
"""Elements a transaction."""

OnBatch = Callable[[int, str, int], None]


def untold_batch(version: int, description: str, done: int) -> None:
    """Tell nobody how far a migration is."""


@dataclass(frozen=True)
class Migration:
    """The way to ``version``. ``steps``: statements (after, limit) that return {last, done}.

    A step takes elements in the order of a key, those behind ``after``, and says the ``last`` one.
    It may ask for what of `kinds.py` it needs, too.
    """

    version: int
    description: str
    steps: tuple[str, ...]


MIGRATIONS = (
    Migration(1, "Entities say whether they are named.", ("migrate_named",)),
    Migration(
        2,
        "Entities have kinds, chunks, sentences and triples captions, bookkeeping a label.",
        (
            "migrate_kinds",
            "migrate_chunks",
            "migrate_sentences",
            "migrate_captions",
            "migrate_bookkeeping",
        ),
    ),
    Migration(3, "Records are not among the files that are listed.", ("migrate_records",)),
)

VERSION = MIGRATIONS[-1].version
"""The version that this program reads and writes."""


def graph_version(store: GraphStore) -> int:
    """Return the version of the graph: 0 where it was written before graphs said so.

    An empty graph has the version of this program.
    """
    (row,) = store.read("schema_version")
    return VERSION if row["empty"] and not row["version"] else int(row["version"])


def migrate(store: GraphStore, tell: OnBatch = untold_batch) -> int:
    """Bring the graph to the version of this program; return how many versions it went.

    ``tell`` is called after each batch with the version, what it does and how many elements are
    done in this step. Cheap where there is nothing to do. Raises GraphIsNewer where another
    program brought the graph to a version that this one does not know.
    """
    (state,) = store.read("schema_version")
    check_version(state["version"])
    if state["empty"]:
        if state["version"] != VERSION:
            store.write("enter_schema_version", version=VERSION)
        return 0
    todo = [migration for migration in MIGRATIONS if migration.version > state["version"]]
    for number, migration in enumerate(todo):
        _run(store, migration, (state["step"], state["after"]) if number == 0 else (0, ""), tell)
    return len(todo)


def check_graph(store: GraphStore) -> None:
    """Raise GraphIsNewer where another program brought the graph beyond what this one knows."""
    check_version(store.read("schema_version")[0]["version"])


def check_version(version: int) -> None:
    """Raise GraphIsNewer where ``version`` is beyond what this program knows."""
    if version > VERSION:
        raise GraphIsNewer(
            f"The graph has schema version {version}, and this Clew knows none above {VERSION}.",
            remedy="Use the newer Clew that wrote it, or restore a backup from before the upgrade.",
        )


def _run(store: GraphStore, migration: Migration, begin: tuple[int, str], tell: OnBatch) -> None:
    step, after = begin
    while step < len(migration.steps):
        done = 0
        while True:
            found, last = store.in_transaction(_batch(migration, step, after))
            if not found:
                break
            done += found
            after = last
            tell(migration.version, migration.description, done)
        step, after = step + 1, ""
    store.write("enter_schema_version", version=migration.version)


def _batch(migration: Migration, step: int, after: str) -> Callable[[Transaction], tuple[int, str]]:
    def work(transaction: Transaction) -> tuple[int, str]:
        name = migration.steps[step]
        known = {"kinds": KIND_OF_TYPE, "names": BOOKKEEPING_NAMES}
        needed = {key: known[key] for key in statement(name).parameters & known.keys()}
        (row,) = transaction.run(name, after=after, limit=BATCH, **needed)
        if row["done"]:
            transaction.run(
                "enter_schema_step", version=migration.version - 1, step=step, after=row["last"]
            )
        return int(row["done"]), row["last"] or ""

    return work
