"""Low-rank adapters on the linear layers of any causal model (Hu et al. 2021, arXiv:2106.09685)."""

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from clew_models.loading_lock import loading_alone


@loading_alone
def with_lora(model: Any, rank: int) -> Any:
    """Return a causal model of transformers with an adapter, scaled by 2; it alone is trained."""
    from peft import LoraConfig, get_peft_model

    configuration = LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    with without_deprecations():
        return get_peft_model(model, configuration)


@contextlib.contextmanager
def without_deprecations() -> Iterator[None]:
    """Hide what peft is told of its use of transformers; users can do nothing about it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing")
        yield
