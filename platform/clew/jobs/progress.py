"""An ingest's progress as the ledger keeps it: counts that the CLI and the web UI show.

``done``, ``failed`` and ``total`` count documents, ``stage`` is the one that spoke last; at the
end ``stage`` is "done", ``wall_seconds`` says how long it took, and ``failures`` holds the first
failed documents with their reason. ``superseded`` were deleted, or left to a later job.
"""

from typing import Any

from clew_ingest.pipeline.progress import IngestProgress, IngestReport

FAILURES = 20
"""So many failed documents are named in the job; every Document has its own error."""

EXTRACTION = (
    *("triples", "triples_total", "triples_kept", "kept_chunks"),
    *("llm_calls", "prompt_tokens", "completion_tokens"),
)
TROUBLE = ("triples_dropped", "extractions_failed", "read_in_part")
"""Items of replies that were no triples, chunks that the extractor could do nothing with, and
documents of which something could not be read."""


def running_ingest(state: IngestProgress, before: int = 0) -> dict[str, Any]:
    """Return what the ledger keeps of a run; ``before``: documents that earlier tries did."""
    return {
        "stage": state.stage,
        "done": before + state.documents_done,
        "failed": state.documents_failed,
        "total": before + state.documents_total,
        "parsed": state.parsed,
        "chunks": state.chunks,
        "sentences": state.sentences,
        "entities": state.entities,
        **{name: getattr(state, name) for name in EXTRACTION},
        "seconds": {name: round(spent, 2) for name, spent in state.seconds.items()},
    }


def ended_ingest(report: IngestReport, before: int = 0) -> dict[str, Any]:
    """Return what the ledger keeps of a run that has ended; ``before`` as above."""
    total = before + report.ready + report.unchanged + report.superseded + len(report.failed)
    return {
        "stage": "done",
        "done": total,
        "failed": len(report.failed),
        "total": total,
        "ready": report.ready,
        "unchanged": report.unchanged,
        "superseded": report.superseded,
        "chunks": report.chunks,
        "sentences": report.sentences,
        "entities": report.entities,
        "mentions": report.mentions,
        **{name: getattr(report, name) for name in (*EXTRACTION, *TROUBLE)},
        "seconds": {name: round(spent, 2) for name, spent in report.seconds.items()},
        "wall_seconds": round(report.wall_seconds, 2),
        "failures": [
            {"id": failed.id, "uri": failed.uri, "error": failed.error}
            for failed in report.failed[:FAILURES]
        ],
    }
