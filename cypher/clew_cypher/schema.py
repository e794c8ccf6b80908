"""The graph's schema as data, and the commands that create it.

Constraints, indexes, the docs page and the UI's legend are made from these tables.
"""

import re
import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, Literal

from clew_cypher.errors import EmbeddingDimensionMismatch, GraphError
from clew_cypher.kinds import KINDS
from clew_cypher.migrations import OnBatch, check_graph, migrate, untold_batch
from clew_cypher.store import GraphStore

FIRST_LOOK_S, LONGEST_LOOK_S = 0.02, 1.0
"""From one look at an index that is being filled to the next, twice as long each time."""

OnFilling = Callable[[str, float], None]


@dataclass(frozen=True)
class NodeLabel:
    """A label, the property that identifies its nodes, and what such a node is.

    ``caption``: the property that a person reads a node by; its nodes have a name that begins with
    "~" where they are ``bookkeeping``, unless they have a name of their own.
    """

    name: str
    key: str
    description: str
    caption: str = "name"
    bookkeeping: bool = False


@dataclass(frozen=True)
class RelationshipType:
    """A relationship type from ``source`` to ``target``, with its properties.

    ``key``: the property that identifies such a relationship; "" where nothing does. ``caption``:
    the property that a person reads one by; "" where that is its type.
    """

    name: str
    source: str
    target: str
    description: str
    properties: tuple[str, ...] = ()
    key: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Index:
    """An index over ``properties`` of a label, or of a relationship type (``of_type``).

    ``filters``: properties by which a vector index can be filtered while it is searched.
    """

    name: str
    kind: Literal["range", "vector", "full-text"]
    label: str
    properties: tuple[str, ...]
    description: str
    filters: tuple[str, ...] = ()
    analyzer: str = ""
    of_type: bool = False


LABELS = (
    NodeLabel("Corpus", "name", "A named set of documents, with its embedder and revision."),
    NodeLabel(
        "Document", "id", "A file, a page or a record, with the state of its indexing.", "title"
    ),
    NodeLabel(
        "Blob",
        "id",
        "A part of an accepted file's bytes, kept until it is ready.",
        bookkeeping=True,
    ),
    NodeLabel("Chunk", "id", "The unit that is retrieved and handed to the reader."),
    NodeLabel("Sentence", "id", "A sentence with its hyperrelation."),
    NodeLabel("Entity", "id", "What mentions of one normalised name refer to."),
    NodeLabel("MergedEntity", "id", "An entity that is one with another, by whose name it goes."),
    NodeLabel("Merge", "id", "A merge of entities that can be undone.", bookkeeping=True),
    NodeLabel(
        "Review", "id", "A pair of entities that may be one: a person decides.", bookkeeping=True
    ),
    NodeLabel("Verdict", "id", "A person's word that two entities are not one.", bookkeeping=True),
    NodeLabel(
        "TitleLinks",
        "corpus",
        "Locked while a corpus' sentences are linked to titles.",
        bookkeeping=True,
    ),
    NodeLabel(
        "FormerTitle",
        "id",
        "A title that a document had: what it named is linked anew.",
        bookkeeping=True,
    ),
    NodeLabel("Job", "id", "A piece of background work in the job ledger.", bookkeeping=True),
    NodeLabel("Schedule", "id", "Background work that is done again and again.", bookkeeping=True),
    NodeLabel(
        "ScheduleRun",
        "id",
        "A tick of a schedule: exactly one a schedule and time.",
        bookkeeping=True,
    ),
    NodeLabel(
        "Webhook", "id", "An address that is told when a job of a corpus ends.", bookkeeping=True
    ),
    NodeLabel(
        "WebhookDelivery",
        "id",
        "That a webhook is told of a job: the tries and their end.",
        bookkeeping=True,
    ),
    NodeLabel("BenchRun", "id", "A run of the bench.", bookkeeping=True),
    NodeLabel("BenchRunPart", "id", "A part of the data of a run of the bench.", bookkeeping=True),
    NodeLabel(
        "Access",
        "id",
        "The secret that signs sessions and keys; locked while users change.",
        bookkeeping=True,
    ),
    NodeLabel("User", "name", "Who may log in or have keys, with a role.", bookkeeping=True),
    NodeLabel(
        "ApiKey", "id", "A program's key: a digest of it, its scopes and its end.", bookkeeping=True
    ),
    NodeLabel("AuditEntry", "id", "A line in the log of who changed what.", bookkeeping=True),
    NodeLabel(
        "SchemaVersion", "id", "Which version of this schema the graph has.", bookkeeping=True
    ),
)

RELATIONSHIPS = (
    RelationshipType("BLOB_OF", "Blob", "Document", "The bytes belong to the document."),
    RelationshipType("PART_OF", "Chunk", "Document", "The chunk was cut from the document."),
    RelationshipType("NEXT_CHUNK", "Chunk", "Chunk", "The chunk that follows in the document."),
    RelationshipType("IN_CHUNK", "Sentence", "Chunk", "The sentence stands in the chunk."),
    RelationshipType("NEXT_SENTENCE", "Sentence", "Sentence", "The sentence that follows."),
    RelationshipType(
        "NAMES",
        "Sentence",
        "Document",
        "The sentence names the document by its title, in its characters [start, end).",
        ("corpus", "start", "end"),
    ),
    RelationshipType(
        "MENTIONED_IN",
        "Entity",
        "Chunk",
        "The entity is mentioned in the chunk, or is the title of its document.",
        (
            "count",
            "surface",
            "type",
            "is_title",
            "aliases",
            "origin",
            "short",
            "short_key",
            "short_surface",
        ),
    ),
    RelationshipType(
        "HEAD_OF",
        "Entity",
        "Sentence",
        "The entity is a head of the hyperrelation.",
        ("type", "origin", "short"),
    ),
    RelationshipType(
        "HAS_TAIL",
        "Sentence",
        "Entity",
        "The entity is a tail of the hyperrelation.",
        ("type", "origin", "short"),
    ),
    RelationshipType(
        "RELATION",
        "Entity",
        "Entity",
        "A triple: a chunk, or a line of a knowledge base, states it of the head and the tail.",
        (
            *("id", "corpus", "head", "predicate", "tail", "ttr", "embedding"),
            *("chunk_id", "sentence_id", "extractor", "head_origin", "tail_origin"),
            *("head_short", "tail_short"),
            *("document_id", "version", "line", "relation", "language"),
            *("head_type", "tail_type", "head_iri", "relation_iri", "tail_iri", "caption"),
        ),
        key="id",
        caption="caption",
    ),
    RelationshipType(
        "MERGED_INTO",
        "MergedEntity",
        "Entity",
        "The entity goes by this one.",
        ("merge_id", "parent"),
    ),
    RelationshipType("PART_OF_RUN", "BenchRunPart", "BenchRun", "The data belongs to the run."),
    RelationshipType("MAY_SEE", "User", "Corpus", "The user may see the corpus."),
    RelationshipType("KEY_OF", "ApiKey", "User", "The key acts for the user."),
    RelationshipType("DELIVERY_OF", "WebhookDelivery", "Webhook", "Whom the delivery is for."),
    RelationshipType("RUN_OF", "ScheduleRun", "Schedule", "The tick is of the schedule."),
)

INDEXES = (
    Index("document_corpus", "range", "Document", ("corpus", "status"), "Lists documents."),
    Index(
        "document_accepted",
        "range",
        "Document",
        ("corpus", "accepted_at"),
        "Lists files and pages, the newest first; records have no such time.",
    ),
    Index("document_kind", "range", "Document", ("corpus", "kind"), "Counts files of records."),
    Index("document_status", "range", "Document", ("status",), "Finds documents without a job."),
    Index("document_parent", "range", "Document", ("parent_id",), "Finds a file's records."),
    Index(
        "document_unlinked",
        "range",
        "Document",
        ("corpus", "unlinked"),
        "Finds documents whose title sentences do not know yet.",
    ),
    Index(
        "document_first_word",
        "range",
        "Document",
        ("corpus", "first_word"),
        "Finds the titles that begin with a word of a sentence.",
    ),
    Index("job_state", "range", "Job", ("state",), "Finds the jobs that wait or run."),
    Index("job_finished", "range", "Job", ("finished_at",), "Finds the jobs that ended lately."),
    Index(
        "delivery_state", "range", "WebhookDelivery", ("state",), "Finds what is to be delivered."
    ),
    Index("audit_at", "range", "AuditEntry", ("at",), "Lists the log, newest first."),
    Index("chunk_corpus", "range", "Chunk", ("corpus",), "Reads a corpus' chunks."),
    Index(
        "chunk_unlinked_id",
        "range",
        "Chunk",
        ("corpus", "unlinked", "id"),
        "Finds chunks whose sentences are to be linked to the titles that they name, in order.",
    ),
    Index(
        "former_title_corpus",
        "range",
        "FormerTitle",
        ("corpus",),
        "Reads the titles that are gone.",
    ),
    Index("sentence_corpus", "range", "Sentence", ("corpus",), "Reads a corpus' sentences."),
    Index("entity_stale", "range", "Entity", ("corpus", "stale"), "Finds what is to be refreshed."),
    Index("entity_corpus", "range", "Entity", ("corpus", "key"), "Reads a corpus' entities."),
    Index(
        "entity_shown", "range", "Entity", ("name",), "Finds entities by the name that is shown."
    ),
    Index("entity_named", "range", "Entity", ("corpus", "named"), "Counts names and concepts."),
    Index("merged_entity_corpus", "range", "MergedEntity", ("corpus",), "Reads what was merged."),
    Index("merge_corpus", "range", "Merge", ("corpus",), "Lists merges."),
    Index("review_corpus", "range", "Review", ("corpus",), "Lists pairs to review."),
    Index("review_a", "range", "Review", ("a",), "Finds the pairs of an entity that goes."),
    Index("review_b", "range", "Review", ("b",), "Finds the pairs of an entity that goes."),
    Index("verdict_corpus", "range", "Verdict", ("corpus",), "Reads what a person told apart."),
    Index(
        "relation_chunk",
        "range",
        "RELATION",
        ("chunk_id",),
        "Finds the triples of a chunk.",
        of_type=True,
    ),
    Index(
        "relation_document",
        "range",
        "RELATION",
        ("document_id",),
        "Finds the triples of a knowledge base.",
        of_type=True,
    ),
    Index(
        "relation_corpus",
        "range",
        "RELATION",
        ("corpus",),
        "Reads a corpus' triples.",
        of_type=True,
    ),
    Index(
        "names_corpus",
        "range",
        "NAMES",
        ("corpus",),
        "Reads which sentences name which documents.",
        of_type=True,
    ),
    Index("chunk_embedding", "vector", "Chunk", ("embedding",), "Chunks by cosine.", ("corpus",)),
    Index(
        "sentence_embedding",
        "vector",
        "Sentence",
        ("embedding",),
        "Sentences by cosine.",
        ("corpus",),
    ),
    Index(
        "entity_vector",
        "vector",
        "Entity",
        ("embedding",),
        "Entities by cosine; concepts are left out by `named`.",
        ("corpus", "named"),
    ),
    Index(
        "relation_embedding",
        "vector",
        "RELATION",
        ("embedding",),
        "Triples by the cosine of their textual triplet.",
        ("corpus",),
        of_type=True,
    ),
    Index(
        "entity_blocks",
        "full-text",
        "Entity",
        ("blocks",),
        "Entities whose names have the same letters in some way, which resolution compares.",
        analyzer="whitespace",
    ),
    Index(
        "merged_entity_blocks",
        "full-text",
        "MergedEntity",
        ("blocks",),
        "The same for entities that were merged.",
        analyzer="whitespace",
    ),
    Index(
        "chunk_folded",
        "full-text",
        "Chunk",
        ("folded",),
        "Chunks by the folded words of their sentences, in order: which of them hold a title.",
        analyzer="whitespace",
    ),
    Index(
        "entity_name",
        "full-text",
        "Entity",
        ("key", "aliases", "corpus_key"),
        "Entities by words of their name or of another name.",
        analyzer="standard-no-stop-words",
    ),
)

VALUE_TYPES = next(kind.types for kind in KINDS if kind.name == "Value")
"""spaCy's types of dates, numbers and amounts: two texts that share one share nothing else."""

CHUNK_WORDS = Index(
    "chunk_words",
    "full-text",
    "ZWords",
    ("title", "text"),
    "A corpus' chunks by their words (Lucene's BM25); one index a corpus (`searching/words.py`).",
    analyzer="english",
)
ENTITIES_WITHOUT_NAMED = "entity_embedding"
"""The index of a graph in which no entity says whether it is `named`: all of them were."""
RETIRED_INDEXES = ("chunk_text", ENTITIES_WITHOUT_NAMED, "chunk_unlinked")
"""Indexes of earlier versions, which are dropped: what an index is of cannot be altered."""

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z_]*(_\d+)?")


def untold_filling(name: str, percent: float) -> None:
    """Tell nobody how full an index is."""


def ensure_schema(
    store: GraphStore,
    dimension: int,
    tell_batch: OnBatch = untold_batch,
    tell_filling: OnFilling = untold_filling,
) -> None:
    """Create constraints and indexes where missing, for vectors of ``dimension``; idempotent.

    Brings a graph of an earlier version up to date (`migrations.py`, which calls ``tell_batch``),
    with the constraints there and before the new indexes. Waits until the indexes can be searched,
    as `await_indexes`. Raises EmbeddingDimensionMismatch where the database already has vector
    indexes of another dimension, GraphIsNewer where it was written by a program that knows more.
    """
    check_graph(store)
    # a command is planned anew each time it is run, though there is nothing left to make
    rows = store.read("existing_indexes")
    existing = {row["name"]: row["dimension"] for row in rows}
    failed = {row["name"] for row in rows if row["state"] == "FAILED"}
    for index in INDEXES:
        found = existing.get(index.name)
        if found not in (None, dimension):
            raise EmbeddingDimensionMismatch(
                f"The embedder makes vectors of {dimension} dimensions, but the vector indexes "
                f"of this database hold {found}.",
                remedy=f"Use the embedder of {found} dimensions that this database was filled "
                "with, or another database (another CLEW_HOME or NEO4J_DATABASE), and ingest "
                "there again.",
            )
    for element in (*LABELS, *RELATIONSHIPS):
        if element.key and constraint_name(element) not in existing:
            store.run_declared(constraint_command(element))
    migrate(store, tell_batch)
    for index in INDEXES:
        if index.name in failed:  # for good: what was in its way may be gone
            drop_index(store, index.name)
        if index.name not in existing or index.name in failed:
            store.run_declared(*index_command(index, dimension))
    for name in RETIRED_INDEXES:
        if name in existing:
            drop_index(store, name)
    await_indexes(store, {index.name for index in INDEXES}, tell_filling)


def await_indexes(
    store: GraphStore, names: Container[str], tell: OnFilling = untold_filling
) -> None:
    """Return once the indexes of these names can be searched, of a large graph after minutes.

    ``tell`` is called with the name of one that is being filled, and how full it is in percent; it
    may raise. Raises GraphError where one cannot be filled.
    """
    pause_s = FIRST_LOOK_S
    while True:
        rows = [row for row in store.read("index_states") if row["name"] in names]
        filling = [row for row in rows if row["state"] != "ONLINE"]
        for row in filling:
            if row["state"] == "FAILED":
                raise GraphError(
                    f"The index {row['name']} could not be filled: {_reason(row['failure'])}.",
                    remedy="Mend what it names; `clew check --repair`, or a start, fills it anew.",
                )
        if not filling:
            return
        tell(filling[0]["name"], filling[0]["percent"])
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_LOOK_S)


def vector_dimension(store: GraphStore) -> int | None:
    """Return how many numbers the vectors of this graph have; None where it has no such index."""
    names = {index.name for index in INDEXES if index.kind == "vector"}
    found = (row["dimension"] for row in store.read("existing_indexes") if row["name"] in names)
    return next(found, None)


def drop_index(store: GraphStore, name: str) -> None:
    """Drop an index by its name, so that ``ensure_schema`` makes it anew."""
    store.run_declared(f"CYPHER 25 DROP INDEX {_identifier(name)} IF EXISTS")


def constraint_name(element: NodeLabel | RelationshipType) -> str:
    """Return the name of the constraint on a key, which is also that of the index behind it."""
    return f"{_identifier(element.name).lower()}_{_identifier(element.key)}"


def constraint_command(element: NodeLabel | RelationshipType) -> str:
    """Return the command that makes the key of a label or a relationship type unique."""
    name, key = _identifier(element.name), _identifier(element.key)
    pattern = _pattern(name, isinstance(element, RelationshipType))
    return (
        f"CYPHER 25 CREATE CONSTRAINT {constraint_name(element)} IF NOT EXISTS "
        f"FOR {pattern} REQUIRE n.{key} IS UNIQUE"
    )


def index_command(index: Index, dimension: int) -> tuple[str, dict[str, Any]]:
    """Return the command that creates ``index``, and its parameters."""
    name, label = _identifier(index.name), _identifier(index.label)
    properties = ", ".join(f"n.{_identifier(key)}" for key in index.properties)
    pattern = _pattern(label, index.of_type)
    if index.kind == "range":
        return f"CYPHER 25 CREATE INDEX {name} IF NOT EXISTS FOR {pattern} ON ({properties})", {}
    if index.kind == "full-text":
        return _full_text_command(name, label, properties, index.analyzer)
    filters = ", ".join(f"n.{_identifier(key)}" for key in index.filters)
    options: dict[str, Any] = {
        "vector.dimensions": dimension,
        "vector.similarity_function": "cosine",
        # quantised, the index took up to three times as long to write and missed 2 of the nearest
        # 100 (HotpotQA-100, 5,170 vectors); without, it missed none
        "vector.quantization.enabled": False,
    }
    return (
        f"CYPHER 25 CREATE VECTOR INDEX {name} IF NOT EXISTS "
        f"FOR {pattern} ON {properties} WITH [{filters}] OPTIONS {{indexConfig: $options}}",
        {"options": options},
    )


def _reason(failure: str) -> str:
    """Return the last cause that Java's stack names."""
    lines = [line.strip() for line in failure.splitlines()]
    said = [line for line in lines if line and not line.startswith(("at ", "..."))]
    return said[-1].removeprefix("Caused by: ").rstrip(".") if said else "it is not said why"


Command = tuple[str, dict[str, Any]]


def word_index_commands(corpus_key: str) -> tuple[Command, Command]:
    """Return the commands that create and drop the full-text index of one corpus' chunks."""
    if not corpus_key.isdecimal():
        raise ValueError(f"{corpus_key!r} is no key of a corpus.")
    name = f"{_identifier(CHUNK_WORDS.name)}_{corpus_key}"
    label = f"{_identifier(CHUNK_WORDS.label)}_{corpus_key}"
    properties = ", ".join(f"n.{_identifier(key)}" for key in CHUNK_WORDS.properties)
    create = _full_text_command(name, label, properties, CHUNK_WORDS.analyzer)
    return create, (f"CYPHER 25 DROP INDEX {name} IF EXISTS", {})


def _full_text_command(name: str, label: str, properties: str, analyzer: str) -> Command:
    return (
        f"CYPHER 25 CREATE FULLTEXT INDEX {name} IF NOT EXISTS "
        f"FOR (n:{label}) ON EACH [{properties}] OPTIONS {{indexConfig: $options}}",
        {"options": {"fulltext.analyzer": analyzer}},
    )


def _pattern(name: str, of_type: bool) -> str:
    return f"()-[n:{name}]-()" if of_type else f"(n:{name})"


def _identifier(name: str) -> str:
    if not IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is no plain identifier.")
    return name
