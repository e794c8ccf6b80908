"""A language model in an engine of vLLM, in this process (KT-6): scores for `engine_tree.py`.

A request is a text, the tokens that may follow it, and one token to write, which nobody reads. The
logits processor (`vllm_processor.py`) leaves the model's own log-probabilities of those tokens and
minus infinity elsewhere; so the likeliest N, as many as are allowed, are the allowed ones, and
`processed_logits` hands them out as they are. The prefix cache is on: what a text begins with is
computed once, in blocks of 16 tokens, and shared by all requests that begin with it.

Written for vLLM 0.33.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew_models.constrained_decoding.allowed_slots import ALLOWED, packed
from clew_models.constrained_decoding.beam_search import Floats
from clew_models.constrained_decoding.engine_tree import Request
from clew_models.constrained_decoding.token_trie import Tokens
from clew_models.errors import ModelError, ModelNotInstalled, PromptRefused

PROCESSOR = "clew_models.constrained_decoding.vllm_processor:AllowedTokens"
LONGEST = 8192
"""Tokens of a text, at most: room for them is kept, whatever the model could read."""


class VllmEngine:
    """A `ScoringEngine` over `vllm.LLM`; shared by threads, which take turns."""

    def __init__(self, llm: Any) -> None:
        self._llm = llm
        self._longest = int(llm.model_config.max_model_len) - 1
        self._lock = threading.Lock()

    def next_scores(self, requests: Sequence[Request]) -> list[Floats]:
        """Return the model's own log-probabilities of each request's tokens, in one batch.

        Raises PromptRefused where a text is longer than the engine has room for.
        """
        from vllm import SamplingParams

        longest = max(len(text) for text, _ in requests)
        if longest > self._longest:
            raise PromptRefused(
                f"A text of {longest} tokens is longer than vLLM has room for ({self._longest}).",
                remedy="Ask a shorter question, or set the backend to 'transformers'.",
            )
        prompts = [{"prompt_token_ids": list(text)} for text, _ in requests]
        parameters = [
            SamplingParams(
                max_tokens=1,
                temperature=0.0,
                logprobs=len(tokens),
                flat_logprobs=True,
                detokenize=False,
                extra_args={ALLOWED: packed(tokens)},
            )
            for _, tokens in requests
        ]
        with self._lock:
            answers = self._llm.generate(prompts, parameters, use_tqdm=False)
        found = [answer.outputs[0].logprobs for answer in answers]
        return [
            scores_of(tokens, likeliest.token_ids, likeliest.logprobs)
            for (_, tokens), likeliest in zip(requests, found, strict=True)
        ]


def scores_of(tokens: Tokens, found: Sequence[int], scores: Sequence[float]) -> Floats:
    """Return the scores [N] of ``tokens`` (ascending) among those that an engine ``found``.

    One that was not found has minus infinity. Raises ModelError where the engine found a token that
    was not allowed: then it did not run our logits processor.
    """
    ids, values = np.asarray(found, dtype=np.int64), np.asarray(scores, dtype=np.float32)
    ids, values = ids[values > -np.inf], values[values > -np.inf]
    places = np.searchsorted(tokens, ids)
    within = places < len(tokens)
    if not within.all() or (tokens[places] != ids).any():
        raise ModelError(
            "vLLM scored tokens that were not allowed: it did not run Clew's logits processor.",
            remedy="Install a vLLM that Clew is written for (0.33 or newer, with Model Runner V2).",
        )
    result = np.full(len(tokens), -np.inf, dtype=np.float32)
    result[places] = values
    return result


def load_engine(
    folder: Path, *, tokenizer: Path, precision: str, memory_share: float
) -> VllmEngine:
    """Start an engine with the model of ``folder`` in this process.

    ``tokenizer``: the directory of its tokenizer. ``precision``: the numbers it computes with.
    ``memory_share``: of the device's memory, which vLLM takes at once, weights included. Raises
    ModelNotInstalled without vLLM, ModelError where it does not start.
    """
    vllm_device()
    from vllm import LLM

    try:
        llm = LLM(
            model=str(folder),
            tokenizer=str(tokenizer),
            dtype=precision,
            max_model_len=_room(folder),
            gpu_memory_utilization=memory_share,
            enable_prefix_caching=True,
            logits_processors=[PROCESSOR],
            logprobs_mode="processed_logits",
            max_logprobs=-1,
            use_tqdm_on_load=False,
        )
    except Exception as error:
        raise ModelError(
            f"vLLM did not start with the model in {folder}: {error}",
            remedy="Free memory of the GPU, change the share of the GPU's memory that vLLM "
            "takes, or set the backend to 'transformers'.",
        ) from error
    return VllmEngine(llm)


def vllm_device(wanted: str = "auto") -> str:
    """Return what the installed vLLM computes on: 'cuda', 'cpu' …

    Raises ModelNotInstalled without vLLM, or where that is nothing, or not what is ``wanted``.
    """
    _prepare_environment()
    try:
        from vllm.platforms import current_platform
    except ImportError as error:
        raise ModelNotInstalled(
            "vLLM is not installed.",
            remedy="Install it (`pip install 'clew[vllm]'`, on a machine with a GPU), or set "
            "the backend to 'transformers'.",
        ) from error
    found = str(current_platform.device_type or "")
    if not found or wanted not in ("auto", found):
        raise ModelNotInstalled(
            f"The installed vLLM computes on {found or 'nothing that this machine has'}.",
            remedy="Set the device to 'auto' on a machine with a GPU, or the backend to "
            "'transformers'.",
        )
    return found


def _room(folder: Path) -> int:
    """Return the tokens of the longest text: what the model can read, within `LONGEST`."""
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    return min(int(getattr(config, "max_position_embeddings", LONGEST)), LONGEST)


def _prepare_environment() -> None:
    """Set what vLLM reads from the environment only: it has no argument for these."""
    # a worker of Celery may not have child processes, and a step is quicker without one
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    # nothing is told to anybody; standard output belongs to the caller, and warnings come each time
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
