"""`clew train`: models of one's own."""

from typing import Annotated

import typer
from rich.text import Text

from clew.cli.output import console, errors, print_json, progress_bar, table
from clew.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Train models on your own documents.")

STAGES = {
    "examples": "Making examples",
    "evaluate before": "Asking held-out questions before",
    "train": "Training",
    "evaluate after": "Asking held-out questions after",
}
FIGURES = {
    "entity": "right entity among those decoded",
    "traced": "right chunk among those traced",
    "first_clue": "right chunk by the likeliest clue",
    "chunks": "chunks traced, on average",
}


@app.command()
def translator(
    corpus: Annotated[str, typer.Option("--corpus", "-c", help="Corpus whose graph is learned.")],
    examples: Annotated[int, typer.Option(min=20, help="Questions made from the graph.")] = 4000,
    held_out: Annotated[
        int, typer.Option(min=1, help="Questions kept apart, asked before and after.")
    ] = 100,
    epochs: Annotated[float, typer.Option(min=0.01, help="Passes over the examples.")] = 1.0,
    learning_rate: Annotated[float, typer.Option(min=0, help="Largest learning rate.")] = 5e-4,
    rank: Annotated[int, typer.Option(min=1, help="Rank of the LoRA adapter.")] = 8,
    batch: Annotated[int, typer.Option(min=1, help="Examples of one step.")] = 32,
    seed: Annotated[int, typer.Option(help="Draws the examples and their order.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
) -> None:
    """Fit the translator's language model to a corpus (a LoRA adapter; KG-Translator §3.3.3).

    Questions are made from the triples of the corpus' graph, and the model learns to translate
    them into clues. It runs on a GPU where there is one; on a processor, an example of the default
    model takes about a quarter of a second. Interrupted, the same command goes on from its last
    checkpoint. The new version serves at once (setting `translator_adapter`).

    Example: `clew train translator --corpus mine --examples 2000`
    """
    from clew.clew import Clew
    from clew.training.translator import TranslatorTraining
    from clew_models.translator.training import TrainingOptions

    request = TranslatorTraining(
        corpus=corpus,
        examples=examples,
        held_out=held_out,
        seed=seed,
        options=TrainingOptions(
            epochs=epochs, learning_rate=learning_rate, rank=rank, batch=batch, seed=seed
        ),
    )
    with Clew(Settings.load()) as clew, progress_bar() as bar:
        task = bar.add_task("Beginning", total=None)

        def tell(stage: str, done: int, total: int) -> None:
            bar.update(task, description=STAGES[stage], completed=done, total=total or None)

        try:
            version = clew.train_translator(request, tell)
        except KeyboardInterrupt:
            errors.print("The checkpoints are kept: the same command goes on from the last one.")
            raise
    if as_json:
        print_json(version.model)
        return
    before, after = version.model.figures["before"], version.model.figures["after"]
    rows = [
        (words, _figure(name, before[name]), _figure(name, after[name]))
        for name, words in FIGURES.items()
    ]
    title = f"translator {version.model.version}, {after['questions']} held-out questions"
    console.print(table(title, ("", "before", "after"), rows))
    console.print(Text(f"It lies in {version.folder}; the learning curve is curve.svg.", "dim"))


@app.command("list")
def versions(
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """Show the versions of the translator, newest first; the first one serves."""
    from clew.clew import Clew

    with Clew(Settings.load()) as clew:
        models = clew.trained_models()
    if as_json:
        print_json(models)
        return
    if not models:
        console.print("No version was trained yet: `clew train translator --corpus NAME`.")
        return
    rows = [
        (
            model.version,
            model.base_model,
            str(model.data.get("corpus", "")),
            str(model.data.get("examples", "")),
            _figure("traced", model.figures["after"]["traced"]),
        )
        for model in models
    ]
    heads = ("version", "model", "corpus", "examples", "traced")
    console.print(table("Versions of the translator", heads, rows))


def _figure(name: str, value: float) -> str:
    return f"{value:.1f}" if name == "chunks" else f"{value:.0%}"
