"""From what the user named to a data set: the formats there are, and which one it is."""

import hashlib

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets import (
    beir,
    hotpotqa,
    json_lines,
    musique,
    pathquestion,
    sample,
    squad,
    two_wiki,
)
from clew.evaluation.data_sets.record_files import first_record
from clew.evaluation.request import SAMPLE
from clew.results.data_set import DataSet, DataSetFormat, DataSetSource
from clew_ingest.reading.sources import local_path

FORMATS: tuple[DataSetFormat, ...] = (
    sample.FORMAT,
    pathquestion.FORMAT,
    beir.FORMAT,
    squad.FORMAT,
    musique.FORMAT,
    two_wiki.FORMAT,
    hotpotqa.FORMAT,
    json_lines.FORMAT,
)
"""All formats. The first that recognises a source reads it."""


def load_data_set(name: str) -> DataSet:
    """Return the data set at a path, or the one called 'sample'.

    Raises InvalidDataSet where there is nothing, where no format fits, and for the first record
    that cannot be read.
    """
    source = _source(name)
    for format_ in FORMATS:
        if format_.recognises(source):
            return format_.load(source)
    raise InvalidDataSet(f"{name} is no data set that is known. {_seen(source)}", remedy=_known())


def describe_formats() -> str:
    """Return the formats, a line each: name and what it looks like."""
    width = max(len(format_.name) for format_ in FORMATS)
    return "\n".join(f"{format_.name:<{width}}  {format_.summary}" for format_ in FORMATS)


def fingerprint(data_set: DataSet) -> str:
    """Return 16 hex digits that stand for the documents and questions of a set.

    They do not depend on the order of the documents. Of a corpus that exists already, only its
    name counts.
    """
    total = 0
    for document in data_set.documents:
        digest = _digest(document.key, document.title, document.text)
        total += int.from_bytes(digest, "big")  # a sum, so that the order does not matter
    for key, triple in data_set.triples.items():
        total += int.from_bytes(_digest(key, *triple), "big")
    questions = (question.model_dump_json() for question in data_set.questions)
    documents = f"{len(data_set.documents)} {total % 2**256:064x}"
    return _digest(documents, data_set.corpus or "", data_set.unit, *questions).hex()[:16]


def _digest(*parts: str) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.digest()


def _source(name: str) -> DataSetSource:
    if name == SAMPLE:
        return DataSetSource(name)
    path = local_path(name)
    source = DataSetSource(name, path)
    if not path.exists() and not pathquestion.FORMAT.recognises(source):
        raise InvalidDataSet(f"There is no file or folder {name!r}.", remedy=_known())
    return source


def _seen(source: DataSetSource) -> str:
    """Say what was found instead, as far as it may help."""
    if source.path is None:
        return ""
    files = sorted(source.path.glob("*.json*"))[:5] if source.path.is_dir() else [source.path]
    if not files:
        return "The folder holds no .json or .jsonl file."
    parts = []
    for path in files:
        record = first_record(path)
        if record is None:
            parts.append(f"{path.name} does not begin with a JSON object.")
        else:
            fields = ", ".join(list(record)[:8])
            parts.append(f"{path.name} begins with a record of the fields {fields}.")
    return " ".join(parts)


def _known() -> str:
    return f"These are:\n{describe_formats()}"
