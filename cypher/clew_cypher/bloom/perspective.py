"""A perspective for Neo4j Bloom, in its import format, made from the declared schema.

The format is not documented; this follows perspectives that Bloom 2.x exports (version 2.3.0, as
public examples have it), with what newer ones require too (captions, sizes, metadata). Entries of
scene actions follow those of search phrases. It was not opened in Bloom.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from clew_cypher.bloom.queries import PHRASES, SCENE_ACTIONS, query_text
from clew_cypher.kinds import KINDS
from clew_cypher.schema import INDEXES, LABELS, RELATIONSHIPS

NAME = "Clew"
FORMAT_VERSION = "2.3.0"
MADE_AT_MS = 1_767_225_600_000
"""The same file from the same schema: a moment that is fixed, not that of the download."""


@dataclass(frozen=True)
class Look:
    """How nodes of a label are drawn: ``icon`` is a name of Bloom's icon set."""

    label: str
    color: str
    icon: str
    size: float = 1.0


LOOKS = (
    Look("Person", "#F79767", "person"),
    Look("Organisation", "#C990C0", "building"),
    Look("Place", "#8DCC93", "map-marker"),
    Look("Work", "#57C7E3", "book"),
    Look("Event", "#F16667", "calendar"),
    Look("Identifier", "#A5ABB6", "barcode", 0.75),
    Look("Concept", "#D9C8AE", "bulb", 0.75),
    Look("Value", "#848484", "hash", 0.5),
    Look("Entity", "#FFC454", "tag"),
    Look("Document", "#4C8EDA", "file", 1.5),
    Look("Chunk", "#569480", "paragraph"),
    Look("Sentence", "#ECB5C9", "quote", 0.75),
    Look("Corpus", "#DA7194", "folder", 2.0),
)
"""In this order: a node has the look of the first of its labels that is here."""

PROPERTIES = {
    "Entity": ("name", "type", "corpus", "aliases", "named", "id"),
    "Document": ("title", "uri", "media_type", "status", "corpus", "chunks", "triples", "id"),
    "Chunk": ("name", "title", "text", "corpus", "position", "headings", "pages", "id"),
    "Sentence": ("name", "text", "hyperrelation", "corpus", "position", "id"),
    "Corpus": ("name", "extractor", "embedder", "revision"),
}
"""What is shown of a node; vectors and marks of the pipeline are not."""

TYPES = {
    "aliases": "array",
    "headings": "array",
    "pages": "array",
    "named": "boolean",
    **dict.fromkeys(("position", "chunks", "triples", "count", "line", "revision"), "bigint"),
}
HIDDEN_OF_RELATIONSHIPS = frozenset({"embedding", "corpus"})


def perspective() -> dict[str, Any]:
    """Return the perspective; the same for the same schema."""
    shown = {look.label for look in LOOKS}
    relationships = [
        kind for kind in RELATIONSHIPS if kind.source in shown and kind.target in shown
    ]
    hidden = [kind.name for kind in RELATIONSHIPS if kind not in relationships]
    categories = [_category(number, look) for number, look in enumerate(LOOKS, start=1)]
    return {
        "name": NAME,
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, "clew/perspective")),
        "type": "STANDARD_PERSPECTIVE",
        "version": FORMAT_VERSION,
        "createdAt": MADE_AT_MS,
        "lastEditedAt": MADE_AT_MS,
        "categories": categories,
        "labels": {
            look.label: [
                {"propertyKey": key, "type": look.label, "dataType": TYPES.get(key, "string")}
                for key in _properties(look.label)
            ]
            for look in LOOKS
        },
        "relationshipTypes": [_relationship(kind) for kind in relationships],
        "hiddenRelationshipTypes": hidden,
        "hiddenCategories": [],
        "hideUncategorisedData": True,
        "isAuto": False,
        "history": [],
        "parentPerspectiveId": None,
        "palette": {"colors": [look.color for look in LOOKS], "currentIndex": 0},
        "templates": [_template(number) for number in range(len(PHRASES))],
        "sceneActions": [_action(number, categories) for number in range(len(SCENE_ACTIONS))],
        "metadata": {
            "pathSegments": [
                {"source": kind.source, "relationshipType": kind.name, "target": kind.target}
                for kind in relationships
            ],
            "indexes": [
                {"label": index.label, "type": "native", "propertyKeys": list(index.properties)}
                for index in INDEXES
                if index.kind == "range" and index.label in shown
            ],
            "stats": {"labels": {}, "relationshipTypes": {}},
        },
    }


def _base(label: str) -> str:
    return "Entity" if label in {kind.name for kind in KINDS} else label


def _properties(label: str) -> tuple[str, ...]:
    return PROPERTIES[_base(label)]


def _caption(key: str, type_: str = "property") -> list[dict[str, Any]]:
    return [{"key": key, "type": type_, "isCaption": True, "inTooltip": True, "styles": []}]


def _category(number: int, look: Look) -> dict[str, Any]:
    caption = next(label.caption for label in LABELS if label.name == _base(look.label))
    return {
        "id": number,
        "name": look.label,
        "labels": [look.label],
        "color": look.color,
        "icon": look.icon,
        "size": look.size,
        "textSize": 1,
        "textAlign": "top",
        "properties": [
            {
                "name": key,
                "exclude": False,
                "isCaption": key == caption,
                "dataType": TYPES.get(key, "string"),
            }
            for key in _properties(look.label)
        ],
        "caption": [caption],
        "captionKeys": [caption],
        "captions": _caption(caption),
        "styleRules": [],
        "createdAt": MADE_AT_MS,
        "lastEditedAt": MADE_AT_MS,
    }


def _relationship(kind: Any) -> dict[str, Any]:
    caption = _caption(kind.caption) if kind.caption else _caption(kind.name, "relationship")
    return {
        "id": kind.name,
        "name": kind.name,
        "color": "#4C8EDA" if kind.caption else "#A5ABB6",
        "size": 2 if kind.caption else 1,
        "textSize": 1,
        "textAlign": "top",
        "captions": caption,
        "captionKeys": [kind.caption or "0_REL_TYPE_CAPTION_KEY"],
        "styleRules": [],
        "properties": [
            {"propertyKey": key, "type": kind.name, "dataType": TYPES.get(key, "string")}
            for key in kind.properties
            if key not in HIDDEN_OF_RELATIONSHIPS
        ],
    }


def _template(number: int) -> dict[str, Any]:
    phrase = PHRASES[number]
    return {
        "name": phrase.words.split(" $")[0],
        "id": f"tmpl:{MADE_AT_MS + number}",
        "createdAt": MADE_AT_MS + number,
        "text": phrase.words,
        "description": phrase.description,
        "cypher": query_text(phrase.statement),
        "isUpdateQuery": False,
        "hasCypherErrors": False,
        "params": [
            {
                "name": f"${parameter.name}",
                "dataType": "String",
                "collapsed": False,
                "suggestionLabel": parameter.label or None,
                "suggestionProp": parameter.key or None,
                "suggestionBoolean": False,
                "cypher": None,
            }
            for parameter in phrase.parameters
        ],
    }


def _action(number: int, categories: list[dict[str, Any]]) -> dict[str, Any]:
    action = SCENE_ACTIONS[number]
    return {
        "name": action.words,
        "id": f"action:{MADE_AT_MS + number}",
        "createdAt": MADE_AT_MS + number,
        "cypher": query_text(action.statement),
        "isUpdateQuery": False,
        "hasCypherErrors": False,
        "nodeCategoryIds": [
            category["id"] for category in categories if _base(category["name"]) in action.labels
        ],
    }
