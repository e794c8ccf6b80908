"""The logits processor of vLLM that holds each request to its tokens (KT-6).

vLLM loads it by its name, in whatever process computes. It is written for the interface of Model
Runner V2, as of vLLM 0.33; what it does is in `allowed_slots.py`, which needs no vLLM.
"""

from typing import Any

from vllm.v1.worker.gpu.sample.logits_processor import LogitsProcessor

from clew_models.constrained_decoding.allowed_slots import AllowedSlots, unpacked


class AllowedTokens(LogitsProcessor):
    """Forbids what a request does not allow, and leaves the model's own log-probabilities."""

    def __init__(self, vllm_config: Any, req_states: Any) -> None:
        super().__init__(vllm_config, req_states)
        self._slots = AllowedSlots()

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        unpacked(sampling_params.extra_args)

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        return self._slots.take(req_idx, unpacked(sampling_params.extra_args))

    def apply(self, logits: Any, ctx: Any) -> Any:
        # without speculative decoding a request has one row; the slots are known on the host
        return self._slots.hold(logits, ctx.idx_mapping_np.tolist())
