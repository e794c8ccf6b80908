"""Explanation cards as JSON, as they come with evidence and before it; for the workers' fake."""

from typing import Any

BUILT = "She was built at the Seld Shipyard."
FOUNDED = "The Seld Shipyard was founded by Victor Ferrand in 1874."
HIDDEN = "Victor Ferrand <b>sold</b> the works in 1890."


def span(number: int, chunk_id: str, text: str, piece: str = "") -> dict[str, Any]:
    start = text.index(piece) if piece else None
    end = text.index(piece) + len(piece) if piece else None
    ids = {"chunk_id": chunk_id, "sentence_id": f"s{number}"}
    return {**ids, "text": text, "start": start, "end": end}


def quote(text: str, score: float | None, *spans: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "parts": text.split("@@") if "@@" in text else [],
        "label": text.split("@@")[0],
        "score": score,
        "score_name": "log-probability",
        "spans": list(spans),
        "chunk_ids": list(dict.fromkeys(one["chunk_id"] for one in spans)),
        "tags": [],
        "after": None,
        **more,
    }


QUOTES = (
    quote(
        "Aurelia@@was built at ##",
        -0.36,
        span(1, "c1", BUILT, "was built at"),
        tags=["forward", "named in the question"],
    ),
    quote(
        "Seld Shipyard@@## was founded by ## in",
        -2.3,
        span(2, "c2", FOUNDED, "was founded by Victor Ferrand in"),
        tags=["forward"],
        after=0,
        chunk_ids=["c2", "c3", "c9"],
    ),
    quote(
        "Victor Ferrand@@sold the@@1874",
        -14.5,
        span(3, "c9", HIDDEN),
        tags=["reverse", "written by the model"],
    ),
)


def quotes_card(*quotes: dict[str, Any], left_out: int = 0) -> dict[str, Any]:
    return {
        "kind": "quotes",
        "title": "Clues",
        "summary": "What the question was translated into.",
        "quotes": list(quotes),
        "left_out": left_out,
    }


def node(id_: str, kind: str, label: str, stage: int) -> dict[str, Any]:
    document_id = id_.replace("c", "d") if kind == "chunk" else None
    return {"id": id_, "kind": kind, "label": label, "stage": stage, "document_id": document_id}


def edge(source: str, target: str, stage: int, kind: str = "MENTIONED_IN", **more: Any) -> Any:
    ends = {"source": source, "target": target}
    return {"id": None, **ends, "kind": kind, "text": "", "stage": stage, **more}


SUBGRAPH = {
    "kind": "subgraph",
    "title": "Where the clues lead",
    "summary": "From each clue's entity to its passages.",
    "nodes": [
        node("e1", "entity", "Aurelia", 0),
        node("c1", "chunk", "Aurelia", 0),
        node("e2", "entity", "Seld Shipyard", 1),
        node("c2", "chunk", "Seld Shipyard", 1),
        node("s2", "sentence", FOUNDED, 1),
        node("c3", "chunk", "A passage", 1),
    ],
    "edges": [
        edge("e1", "c1", 0, text=BUILT),
        edge("e2", "s2", 1, kind="HEAD_OF", text=FOUNDED),
        edge("s2", "c2", 1, kind="IN_CHUNK"),
        edge("e2", "c3", 1),
        edge("e1", "e2", 1, kind="RELATION", id="r1", text="was built at"),
    ],
    "stages": ["the question's names", "what clues led to"],
}

ROUNDS = {
    "kind": "rounds",
    "title": "Rounds",
    "summary": "After each search a language model says what is missing.",
    "rounds": [
        {
            "number": 1,
            "asked": "Who founded the shipyard that built the Aurelia?",
            "found": [{"id": "c1", "title": "Aurelia"}, {"id": "c9", "title": "The works"}],
            "decided": "who founded the Seld Shipyard is missing",
            "seconds": 0.02,
        },
        {
            "number": 2,
            "asked": "founder of the Seld Shipyard",
            "found": [],
            "decided": "",
            "seconds": None,
        },
    ],
}

EXPLANATION = [quotes_card(*QUOTES), SUBGRAPH]
