"""A llama model of random weights in a GGUF file, as the default language model comes in one."""

import json
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType
from gguf.quants import quantize

from .tiny_model import END, tiny_tokenizer

LAYERS, WIDTH, INNER, HEADS, KEY_HEADS, CONTEXT = 2, 64, 96, 4, 2, 320
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '<|end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


def tiny_gguf(file: Path, kind: GGMLQuantizationType = GGMLQuantizationType.Q4_1) -> Path:
    """Write the model to ``file``; its matrices are of a ``kind``."""
    tokenizer = tiny_tokenizer("byte-level")
    vocabulary = tokenizer.get_vocab()
    tokens = sorted(vocabulary, key=lambda token: vocabulary[token])
    merges = json.loads(tokenizer.backend_tokenizer.to_str())["model"]["merges"]
    writer = GGUFWriter(file, "llama")
    writer.add_file_type(LlamaFileType.MOSTLY_Q4_1)
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token == END else 1 for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_eos_token_id(vocabulary[END])
    writer.add_bos_token_id(vocabulary[END])
    writer.add_unk_token_id(vocabulary[END])
    writer.add_pad_token_id(vocabulary[END])
    writer.add_chat_template(TEMPLATE)
    random = np.random.default_rng(0)

    def matrix(name: str, rows: int, columns: int, of: GGMLQuantizationType) -> None:
        values = random.normal(size=(rows, columns)).astype(np.float32) * columns**-0.5
        writer.add_tensor(name, quantize(values, of), raw_dtype=of)

    def norm(name: str) -> None:
        writer.add_tensor(name, (1 + 0.2 * random.normal(size=WIDTH)).astype(np.float32))

    matrix("token_embd.weight", len(tokens), WIDTH, GGMLQuantizationType.Q8_0)
    keys = WIDTH // HEADS * KEY_HEADS
    for layer in range(LAYERS):
        norm(f"blk.{layer}.attn_norm.weight")
        norm(f"blk.{layer}.ffn_norm.weight")
        for name, rows, columns in (
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", keys, WIDTH),
            ("attn_v", keys, WIDTH),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_gate", INNER, WIDTH),
            ("ffn_up", INNER, WIDTH),
            ("ffn_down", WIDTH, INNER),
        ):
            matrix(f"blk.{layer}.{name}.weight", rows, columns, kind)
    norm("output_norm.weight")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file
