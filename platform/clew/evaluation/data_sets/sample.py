"""The sample corpus as a data set: 66 articles, with questions they answer and some they do not."""

from clew import sample_corpus
from clew.evaluation.request import SAMPLE
from clew.results.data_set import (
    BenchDocument,
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
)
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.readers import read


def load(source: DataSetSource) -> DataSet:
    """Return the sample corpus; a document's key is the name of its file without ``.md``."""
    limits = IngestLimits()
    documents = []
    for path in sorted(sample_corpus.ARTICLES.glob("*.md")):
        article = read(path.read_bytes(), path.name, limits).documents[0]
        documents.append(BenchDocument(path.stem, article.title, article.text))
    questions = [
        BenchQuestion(
            id=row.id,
            question=row.question,
            answers=(row.answer, *row.aliases),
            gold=dict.fromkeys(row.articles, 1),
            type=row.type,
            hops=row.hops,
        )
        for row in sample_corpus.questions()
    ]
    questions += [
        BenchQuestion(id=row.id, question=row.question, answerable=False, type="unanswerable")
        for row in sample_corpus.unanswerable_questions()
    ]
    return DataSet(source.name, SAMPLE, documents, tuple(questions))


FORMAT = DataSetFormat(
    name=SAMPLE,
    summary="'sample': the sample corpus that comes with Clew, with its questions",
    recognises=lambda source: source.path is None and source.name == SAMPLE,
    load=load,
)
