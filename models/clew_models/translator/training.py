"""Structure-aware fine-tuning of the translator (KT-10; KG-Translator §3.3.3, Eq. 7).

    L = E log Π P(e_i | q, e_<i) · Π P(r_j | q, e, r_<j)

The model learns to write the clue of a question; the prompt is not learned. Differs from the paper:
LoRA (Hu et al., 2022) on all linear layers in place of all weights, with a learning rate to match,
so that a processor is enough for the default model and an adapter is small; and questions of
several steps are answered with a chain of clues.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew_models.language_model.lora import with_lora
from clew_models.loading_lock import loading_alone
from clew_models.translator.backbone import Backbone
from clew_models.translator.encoding import EncodedExample, encode, padded
from clew_models.translator.examples import TranslationExample

CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class TrainingOptions:
    """How to train. The paper: batch 64, rate 1e-5 (all weights), one epoch, cosine, warm-up 0.1.

    ``batch``: examples of one step. ``slice``: examples computed at a time. ``rank``: of LoRA.
    ``max_tokens``: longer examples are left out. ``save_steps``: steps between checkpoints.
    """

    epochs: float = 1.0
    batch: int = 64
    slice: int = 16
    learning_rate: float = 5e-4
    warmup: float = 0.1
    rank: int = 8
    max_tokens: int = 2048
    save_steps: int = 10
    seed: int = 0


@dataclass(frozen=True)
class TrainingPoint:
    """The loss at one step: of the training data (``loss``), or of held-out data."""

    step: int
    loss: float
    held_out: bool


@dataclass(frozen=True)
class TrainingResult:
    """What was learned: the curve, and how many examples could not be used."""

    points: tuple[TrainingPoint, ...]
    examples: int
    left_out: int
    seconds: float


Progress = Callable[[int, int], None]
"""Step, and steps in all."""


def train(
    backbone: Backbone,
    examples: Sequence[TranslationExample],
    held_out: Sequence[TranslationExample],
    folder: Path,
    options: TrainingOptions,
    progress: Progress = lambda step, total: None,
    point: Callable[[TrainingPoint], None] = lambda point: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> TrainingResult | None:
    """Train an adapter and write it to ``folder``; goes on from the newest checkpoint there.

    ``point`` is called with each point of the curve as it comes. Where ``cancelled`` says so, the
    training leaves a checkpoint and ends without an adapter: None. ``backbone`` is used up: load
    it anew to translate. Raises ValueError without examples.
    """
    vocabulary = backbone.vocabulary
    encoded = [encode(vocabulary, example, options.max_tokens) for example in examples]
    usable = [example for example in encoded if example is not None]
    checks = [encode(vocabulary, example, options.max_tokens) for example in held_out]
    if not usable:
        raise ValueError("There is no example to learn from.")
    trainer = prepared_trainer(
        backbone,
        usable,
        [check for check in checks if check is not None],
        folder / CHECKPOINTS,
        options,
        _reporting(progress, point, cancelled),
    )
    trainer.train(resume_from_checkpoint=_newest_checkpoint(folder / CHECKPOINTS))
    if trainer.state.global_step < trainer.state.max_steps:
        return None
    _save_adapter(trainer.model, folder, backbone.name)
    history = trainer.state.log_history
    points = [
        TrainingPoint(int(entry["step"]), entry["loss"], False)
        for entry in history
        if "loss" in entry
    ] + [
        TrainingPoint(int(entry["step"]), entry["eval_loss"], True)
        for entry in history
        if "eval_loss" in entry
    ]
    seconds = next((e["train_runtime"] for e in history if "train_runtime" in e), 0.0)
    result = TrainingResult(tuple(points), len(usable), len(encoded) - len(usable), seconds)
    (folder / "training.json").write_text(json.dumps(asdict(result), indent=1) + "\n")
    return result


@loading_alone
def prepared_trainer(
    backbone: Backbone,
    examples: Sequence[EncodedExample],
    held_out: Sequence[EncodedExample],
    checkpoints: Path,
    options: TrainingOptions,
    callback: Any,
) -> Any:
    """Return transformers' Trainer of the backbone with LoRA."""
    import torch
    from transformers import PrinterCallback, Trainer, TrainingArguments

    model = with_lora(backbone.model, options.rank)
    cpu = backbone.model.device.type == "cpu"
    arguments = TrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=options.epochs,
        per_device_train_batch_size=options.slice,
        per_device_eval_batch_size=options.slice,
        gradient_accumulation_steps=max(options.batch // options.slice, 1),
        learning_rate=options.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=options.warmup,
        logging_steps=1,
        eval_strategy="steps" if held_out else "no",
        eval_steps=options.save_steps,
        save_steps=options.save_steps,
        save_total_limit=1,
        seed=options.seed,
        bf16=backbone.model.dtype == torch.bfloat16,
        use_cpu=cpu,
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=_Data(examples),
        eval_dataset=_Data(held_out),
        data_collator=lambda batch: padded(batch, backbone.vocabulary.end),
        callbacks=[callback],
    )
    # it prints to standard output, which belongs to the caller
    trainer.remove_callback(PrinterCallback)
    return trainer


def _newest_checkpoint(folder: Path) -> str | None:
    """Return the newest whole checkpoint, None without one; a half one, whose writing was killed,
    is removed. The Trainer writes its state last, and removes the checkpoint before only then.
    """
    found = sorted(folder.glob("checkpoint-*"), key=lambda path: -int(path.name.split("-")[1]))
    for path in found:
        try:
            json.loads((path / "trainer_state.json").read_text())
        except (OSError, ValueError):
            shutil.rmtree(path)
            continue
        return str(path)
    return None


def _save_adapter(model: Any, folder: Path, base_model: str) -> None:
    """Write the adapter in half precision, which is enough for weights that are added to others,
    and without the path of the base model on this machine.
    """
    from safetensors.torch import load_file, save_file

    model.save_pretrained(str(folder))
    weights = folder / "adapter_model.safetensors"
    halves = {name: tensor.half() for name, tensor in load_file(weights).items()}
    save_file(halves, weights, metadata={"format": "pt"})
    configuration = folder / "adapter_config.json"
    entries = json.loads(configuration.read_text())
    entries["base_model_name_or_path"] = base_model
    configuration.write_text(json.dumps(entries, indent=1) + "\n")
    (folder / "README.md").unlink(missing_ok=True)  # peft's form of a model card, not filled in


class _Data:
    """Examples as the Trainer takes them."""

    def __init__(self, examples: Sequence[EncodedExample]) -> None:
        self._examples = examples

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, place: int) -> EncodedExample:
        return self._examples[place]


@loading_alone
def _reporting(
    progress: Progress,
    point: Callable[[TrainingPoint], None],
    cancelled: Callable[[], bool],
) -> Any:
    from transformers import TrainerCallback

    class Reporting(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            for name, held_out in (("loss", False), ("eval_loss", True)):
                if name in (logs or {}):
                    point(TrainingPoint(state.global_step, logs[name], held_out))
            progress(state.global_step, state.max_steps)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if cancelled() and state.global_step < state.max_steps:
                control.should_save = control.should_training_stop = True

    return Reporting()
