"""Reading folders and URLs again: what is new or changed is indexed, what vanished is dealt with.

What is unchanged costs a look at its bytes, and nothing else.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest
from clew.indexing import corpora
from clew.indexing.ingesting import accept_report
from clew.settings import Settings
from clew_cypher.corpora import get_corpus
from clew_cypher.writing.documents import documents_below
from clew_ingest.errors import UnreadableSource
from clew_ingest.pipeline.progress import AcceptReport
from clew_ingest.reading.sources import find_sources, is_url

if TYPE_CHECKING:
    from clew.resources.resources import Resources

REINDEX = "reindex"
"""The kind of the job."""


def allowed_folder(settings: Settings, given: str) -> Path:
    """Return a folder or file that schedules made over REST may read.

    Raises InvalidRequest for one that lies outside ``schedule_folders``.
    """
    roots = [Path(root).resolve() for root in settings.schedule_folders.split(os.pathsep) if root]
    path = Path(given).expanduser().resolve()
    if not any(path.is_relative_to(root) for root in roots):
        raise InvalidRequest(
            "This server reads no such folder for schedules that come over the network.",
            remedy="Name it in the setting schedule_folders, or make the schedule with "
            "`clew schedules add` on this machine.",
        )
    return path


def accept_again(
    resources: "Resources", corpus: str, sources: Sequence[str], job_id: str, *, confined: bool
) -> AcceptReport:
    """Accept what is new or changed of the sources; those that cannot be had are in the report.

    ``confined``: they came over the network, see ``allowed_folder``. Raises UnknownCorpus (it was
    deleted, and is not made anew), InvalidRequest; UnreadableSource for a folder that is not there.
    """
    get_corpus(resources.store, corpus)
    for source in sources:
        if is_url(source):
            continue
        if confined:
            allowed_folder(resources.settings, source)
        if not Path(source).exists():
            raise UnreadableSource(
                f"{source} is not there, so nothing was read and nothing deleted.",
                remedy="Bring it back, or delete the schedule.",
            )
    return accept_report(resources, sources, corpus, job_id=job_id)


def delete_vanished(
    resources: "Resources", corpus: str, sources: Sequence[str], report: AcceptReport
) -> int:
    """Delete the documents whose file or page is not there any more; return how many.

    Files vanished that lay below a folder of the sources; pages, where their server answers 404
    or 410. What is there and cannot be read stays. Raises UnreadableSource for a folder without
    any file from which documents came: it may be a disk that is not mounted.
    """
    gone = [item.id for item in report.sources if item.gone]
    for source in sources:
        path = Path(source)
        if is_url(source) or not path.is_dir():
            continue
        here = path.resolve().as_uri().rstrip("/") + "/"
        known = documents_below(resources.store, corpus, here)
        found, left_out = find_sources([path])
        if known and not found:
            raise UnreadableSource(
                f"{source} holds no file that is read, but {len(known)} documents came from it; "
                "none was deleted.",
                remedy="Is its disk mounted? If they shall go: `clew delete`.",
            )
        there = {item.uri for item in found}
        unread = tuple(item.uri for item in left_out)
        gone += [
            known[uri]
            for uri in sorted(known.keys() - there)
            if not any(uri == skipped or uri.startswith(f"{skipped}/") for skipped in unread)
        ]
    for document_id in gone:
        corpora.delete_document(resources, corpus, document_id)
    return len(gone)
