"""A causal language model of a few thousand weights with a tokenizer of its own, in a folder."""

from pathlib import Path
from typing import Literal

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEXTS = [
    "Ada Lovelace was born in London and wrote the first program for the Analytical Engine.",
    "Ed Wood is a 1994 American film directed by Tim Burton and starring Johnny Depp.",
    "## is a ## film directed by ##. Translate the query into a clue: ENTITY@@RELATION\n",
] * 20
Kind = Literal["byte-level", "sentencepiece"]
END = "<|end|>"


def tiny_tokenizer(kind: Kind) -> PreTrainedTokenizerFast:
    """Return a tokenizer: byte-level BPE as GPT-2 has it, or pieces with ▁ as SentencePiece."""
    if kind == "byte-level":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=500,
            special_tokens=[END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    else:
        tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Sequence(
            [decoders.ByteFallback(), decoders.Metaspace(), decoders.Fuse()]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=700,
            special_tokens=["<unk>", END, *(f"<0x{byte:02X}>" for byte in range(256))],
            show_progress=False,
        )
    tokenizer.train_from_iterator(TEXTS, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)


def tiny_model(folder: Path, kind: Kind = "byte-level", width: int = 32) -> Path:
    """Write a model with random weights and its tokenizer to ``folder``; its heads are a quarter of
    ``width``.
    """
    tokenizer = tiny_tokenizer(kind)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def small_llama(vocabulary: int, layers: int) -> LlamaForCausalLM:
    """Return a model of random weights for token ids alone, the same each time."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
    )
    return LlamaForCausalLM(config).eval()
