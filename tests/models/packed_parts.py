"""A packed model and the same in transformers."""

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig, LlamaForCausalLM

from ..tiny_gguf import TEMPLATE


def of_transformers(source: Path) -> tuple[LlamaForCausalLM, Any]:
    """Return the model of a GGUF file in float32, and its tokenizer, as transformers read them."""
    model = AutoModelForCausalLM.from_pretrained(
        source.parent,
        gguf_file=source.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.float32,
    )
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    # transformers overlooks an end whose token is 0, and the template of this file
    tokenizer.chat_template = TEMPLATE
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(model.config.eos_token_id)
    return model.eval(), tokenizer
