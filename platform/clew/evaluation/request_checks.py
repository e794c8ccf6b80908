"""What can be said against a request before any data is looked at. Loads no model."""

from clew.answering.readers import reader_names
from clew.errors import InvalidRequest
from clew.evaluation.ablations import study_of
from clew.evaluation.data_sets.loading import FORMATS, load_data_set
from clew.evaluation.request import CORPUS_PREFIX, NO_READER, SAMPLE, BenchRequest
from clew.results.data_set import DataSetSource
from clew.settings import Settings
from clew.strategies.searching import check_strategy
from clew_ingest.reading.sources import local_path


def check_request(settings: Settings, request: BenchRequest) -> None:
    """Raise what is wrong with a request that can be seen without looking at any data."""
    check_data_set(request.data_set)
    for name in request.strategies or ():
        check_strategy(settings, name)
    if request.strategies == ():
        raise InvalidRequest("No strategy is named.", remedy="Name one, or leave them out for all.")
    if request.ablations is not None:
        if request.strategies is not None:
            raise InvalidRequest(
                "An ablation study is of one method, and strategies are named beside it.",
                remedy="Name the method alone; compare strategies in a run of their own.",
            )
        check_strategy(settings, request.ablations)
        study_of(settings, request.ablations)
    if request.reader not in (None, NO_READER, *reader_names()):
        raise InvalidRequest(
            f"There is no reader {request.reader!r}.",
            remedy=f"There are: {', '.join(reader_names())}, and '{NO_READER}' for no answers.",
        )
    if request.judge and not settings.llm_model:
        raise InvalidRequest(
            "A judge is a language model, and none is configured.",
            remedy="Set llm_base_url and llm_model, or leave the judge out.",
        )
    for what, wanted in (("judge", request.judge), ("MAUVE", request.mauve)):
        if wanted and request.reader == NO_READER:
            raise InvalidRequest(
                f"Without answers there is nothing for {what} to look at.",
                remedy="Choose a reader.",
            )


def check_data_set(name: str) -> None:
    """Raise InvalidDataSet where nothing of that name can be read; reads no questions yet."""
    if name == SAMPLE or name.startswith(CORPUS_PREFIX) or is_data_set(name):
        return
    if not local_path(name).is_dir():
        load_data_set(name)  # raises, and says which formats there are


def is_data_set(name: str) -> bool:
    """Return whether a format of data sets recognises what lies at a path."""
    source = DataSetSource(name, local_path(name))
    return any(known.recognises(source) for known in FORMATS)
