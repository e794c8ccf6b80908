"""Questions of a training that a language model words (QS-5, KA-2), where one is set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.resources.language_models import Role
from clew.resources.replies import reply_cache
from clew.strategies.learning.training import TrainingRun
from clew_ingest.triples.reply_cache import reply_key
from clew_models.errors import PromptRefused
from clew_models.language_model import without_thoughts
from clew_models.language_model.prompt import Prompt

LONGEST_QUESTION = 300
"""Characters of a question that is used."""


@dataclass(frozen=True)
class Asked:
    """What one question is to be worded of.

    ``inputs``: of the prompt. ``named``: what the question must say; ``unnamed``: what it may not
    tell, its answer first of all. ``sources``: one or more texts, or ids of triples: the reply
    goes when one of them is deleted.
    """

    inputs: Mapping[str, str]
    unnamed: Sequence[str]
    sources: Sequence[str]
    named: Sequence[str] = ()

    def takes(self, question: str) -> bool:
        """Whether a reply is one question that says what it must and tells nothing else."""
        single = question.endswith("?") and "\n" not in question and question.count("?") == 1
        return (
            single
            and len(question) <= LONGEST_QUESTION
            and all(name in question for name in self.named)
            and not any(name in question for name in self.unnamed)
        )


def wanted(run: TrainingRun, model: str) -> bool:
    """Whether a language model words the questions: ``model`` is "auto", "none" or "openai"."""
    return model != "none" and (model != "auto" or bool(run.resources.settings.llm_model))


def write_questions(
    run: TrainingRun, role: Role, prompt: Prompt, asked: Sequence[Asked]
) -> tuple[list[str | None], dict[str, Any]]:
    """Return the question that the language model of ``role`` writes for each of ``asked``, None
    where it refuses or its reply cannot be used, and what it did, for the manifest.

    What it wrote before is not asked again. Raises JobStopped where the run was told to stop, and
    LanguageModelUnavailable.
    """
    model = run.resources.language_model(role)
    written: list[str | None] = []
    calls = tokens = 0
    with reply_cache(run.resources.settings) as cache:
        for done, one in enumerate(asked, 1):
            key = reply_key(prompt.name, prompt.version, model.name, *one.inputs.values())
            question = cache.get(key)
            if not question:
                calls += 1
                try:
                    completion = model.complete(prompt.messages(**one.inputs))
                except PromptRefused:
                    question = ""
                else:
                    question = without_thoughts(completion.text).strip()
                    tokens += completion.prompt_tokens + completion.completion_tokens
                if question:
                    cache.put(key, question, source=one.sources[0], further=one.sources[1:])
            written.append(question if one.takes(question) else None)
            run.tell(done, len(asked))
            if run.cancelled():
                raise run.stopped()
    usable = sum(question is not None for question in written)
    return written, {
        "written_by": model.name,
        "written": usable,
        "could_not_be_used": len(asked) - usable,
        "calls": calls,
        "tokens": tokens,
    }
