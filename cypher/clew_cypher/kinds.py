"""The labels that a person sees beside those of the schema: kinds of entities, and bookkeeping."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A label of entities beside ``Entity``, and the ``types`` that have it (spaCy's, and ours)."""

    name: str
    types: tuple[str, ...]
    description: str


KINDS = (
    Kind("Person", ("PERSON",), "Somebody."),
    Kind("Organisation", ("ORG", "NORP"), "A company, an institution, or a people or party."),
    Kind("Place", ("GPE", "LOC", "FAC"), "A country, a town, a landscape or a building."),
    Kind("Work", ("WORK_OF_ART", "PRODUCT", "LAW"), "What was made: a book, a ship, a law."),
    Kind("Event", ("EVENT",), "What happened: a war, a flood, a match."),
    Kind("Identifier", ("CODE",), "Stands for one thing: an order's number, a room's."),
    Kind("Concept", ("CONCEPT", "LANGUAGE"), "A phrase that names nothing, or a language."),
    Kind(
        "Value",
        ("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"),
        "A date, a number or an amount.",
    ),
)
"""An entity whose type is not known has none of them."""

KIND_OF_TYPE = {type_: kind.name for kind in KINDS for type_ in kind.types}

BOOKKEEPING = "ZBookkeeping"
"""The second label of what is no part of a corpus' content, such as jobs and users.

The Z sorts it, and what else analysts have no use for, behind the labels that they look for.
"""

BOOKKEEPING_NAMES = {
    "Access": "~ access",
    "ApiKey": "~ API key",
    "AuditEntry": "~ audit entry",
    "BenchRun": "~ bench run",
    "BenchRunPart": "~ bench run part",
    "Blob": "~ blob",
    "FormerTitle": "~ former title",
    "Job": "~ job",
    "Merge": "~ merge",
    "Review": "~ review",
    "Schedule": "~ schedule",
    "ScheduleRun": "~ schedule run",
    "SchemaVersion": "~ schema version",
    "TitleLinks": "~ title links",
    "User": "~ user",
    "Verdict": "~ verdict",
    "Webhook": "~ webhook",
    "WebhookDelivery": "~ webhook delivery",
}
"""The names of such nodes, which sort away, where they have none of their own."""

DEFAULT_EXTRACTOR = "rules"
"""Who makes the triples of a corpus for which nobody chose."""
