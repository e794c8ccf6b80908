"""Reading folders, URLs and buckets again: what is new or changed is indexed.

What vanished is dealt with as asked. What is unchanged costs a look at its bytes, in a bucket at
its ETag, and nothing else.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest, JobStopped
from clew.indexing import corpora
from clew.indexing.ingesting import accept_report, finish
from clew.indexing.limits import limits_of
from clew.results.ingest import Vanished
from clew.settings import Settings
from clew_cypher.corpora import get_corpus
from clew_cypher.searching.documents import documents_below
from clew_ingest.errors import UnreadableSource
from clew_ingest.pipeline.progress import AcceptReport
from clew_ingest.reading.buckets import is_bucket, plain_address
from clew_ingest.reading.sources import find_sources, is_url, local_path

if TYPE_CHECKING:
    from clew.resources.resources import Resources

REINDEX = "reindex"
"""The kind of the job."""


def allowed_folder(settings: Settings, given: str) -> Path:
    """Return a folder or file that schedules made over REST may read.

    Raises InvalidRequest for one that lies outside ``schedule_folders``.
    """
    roots = [Path(root).resolve() for root in settings.schedule_folders.split(os.pathsep) if root]
    path = local_path(given).resolve()
    if not any(path.is_relative_to(root) for root in roots):
        raise InvalidRequest(
            "This server reads no such folder for schedules that come over the network.",
            remedy="Name it in the setting schedule_folders, or make the schedule with "
            "`clew schedules reindex` on this machine.",
        )
    return path


def allowed_bucket(settings: Settings, given: str) -> str:
    """Return the address in a bucket, without a slash at its end, that schedules made over REST
    may read.

    Raises UnreadableSource for what names no bucket, InvalidRequest for one outside ``s3_buckets``.
    """
    address = plain_address(given)
    allowed = [one.strip().strip("/") for one in settings.s3_buckets.split(",") if one.strip()]
    if not any(f"{address}/".startswith(f"s3://{one}/") for one in allowed):
        raise InvalidRequest(
            "This server reads no such bucket for schedules that come over the network.",
            remedy="Name it in the setting s3_buckets, or make the schedule with "
            "`clew schedules reindex` on this machine.",
        )
    return address


def accept_again(
    resources: "Resources",
    corpus: str,
    sources: Sequence[str],
    job_id: str,
    *,
    confined: bool,
    cancelled: Callable[[], bool],
) -> AcceptReport:
    """Accept what is new or changed of the sources; those that cannot be had are in the report.

    ``confined``: they came over the network, see ``allowed_folder``. Raises UnknownCorpus (it was
    deleted, and is not made anew), InvalidRequest; UnreadableSource for a folder that is not there
    or a bucket that cannot be listed; IngestCancelled.
    """
    get_corpus(resources.store, corpus)
    for source in sources:
        if is_url(source):
            continue
        if is_bucket(source):
            if confined:
                allowed_bucket(resources.settings, source)
            continue
        if confined:
            allowed_folder(resources.settings, source)
        if not Path(source).exists():
            raise UnreadableSource(
                f"{source} is not there, so nothing was read and nothing deleted.",
                remedy="Bring it back, or delete the schedule.",
            )
    return accept_report(resources, sources, corpus, job_id=job_id, cancelled=cancelled)


def vanished(
    resources: "Resources", corpus: str, sources: Sequence[str], gone: Mapping[str, str]
) -> Vanished:
    """Return the documents whose file or page is not there any more.

    Files vanished that lay below a folder or bucket of the sources; pages, of which ``gone`` has
    the id by the address: their server answers 404 or 410. What is there and cannot be read has
    not vanished.
    """
    documents = dict(gone)
    emptied = []
    for source in sources:
        here = _root(source)
        if here is None:
            continue
        known = documents_below(resources.store, corpus, here)
        found, left_out = find_sources([source], limits_of(resources.settings))
        if known and not found:
            emptied.append(source)
        there = {item.uri for item in found}
        unread = tuple(item.uri for item in left_out)
        documents |= {
            uri: known[uri]
            for uri in sorted(known.keys() - there)
            if not any(uri == skipped or uri.startswith(f"{skipped}/") for skipped in unread)
        }
    return Vanished(documents=documents, emptied=tuple(emptied))


def delete_vanished(
    resources: "Resources",
    corpus: str,
    sources: Sequence[str],
    gone: Mapping[str, str],
    cancelled: Callable[[], bool] = lambda: False,
) -> Vanished:
    """Delete the documents that ``vanished`` returns, and return them; what they leave is resolved.

    Raises UnreadableSource for a folder or bucket without any file from which documents came: it
    may be a disk that is not mounted. Raises JobStopped as soon as ``cancelled`` says so.
    """
    found = vanished(resources, corpus, sources, gone)
    if found.emptied:
        raise UnreadableSource(
            f"{found.emptied[0]} holds no file that is read, but documents came from it; none was "
            "deleted.",
            remedy="Is its disk mounted, its prefix right? If they shall go: `clew delete`.",
        )
    ids = takewhile(lambda _: not cancelled(), found.documents.values())
    corpora.delete_documents(resources, corpus, ids)
    if cancelled():
        raise JobStopped("The job was told to stop.")
    if found.documents:
        finish(resources, corpus, cancelled)
    return found


def _root(source: str) -> str | None:
    """Return how the addresses of all documents below a folder or bucket begin; None for others."""
    if is_bucket(source):
        return plain_address(source) + "/"
    folder = local_path(source)
    if is_url(source) or not folder.is_dir():
        return None
    return folder.resolve().as_uri().rstrip("/") + "/"
