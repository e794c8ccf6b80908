"""`clew train`: models of one's own."""

from typing import Annotated, Any

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
    data_set: Annotated[
        str | None,
        typer.Option(
            metavar="DATASET",
            help="Learn from the single-hop questions of a data set that `clew bench` reads, whose "
            "documents are in the corpus. [default: questions made from the graph]",
        ),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=20, help="Questions to learn from; fewer where there are fewer.")
    ] = 4000,
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

    Questions are made from the triples of the corpus' graph, or come from a data set, and the model
    learns to translate them into clues. It runs on a GPU where there is one; on a processor, an
    example of the default model takes about a quarter of a second. Interrupted, the same command
    goes on from its last checkpoint. The new version serves what starts from then on; workers
    that run take it after `clew down` and `clew up`. `translator_adapter` chooses another one.

    Of a data set, those questions count that have an answer and one document that proves it, and
    the steps of longer ones (MuSiQue, 2WikiMultihopQA). A question becomes an example where a
    sentence of that document, with its answer, can be a clue; the others are left out and counted.

    Examples: `clew train translator --corpus mine --examples 2000`; `clew train translator
    --corpus bench-musique-1a2b3c4d --data-set ~/musique` (after `clew bench ~/musique`)
    """
    from clew.clew import Clew
    from clew.training.translator import TranslatorTraining
    from clew_models.translator.training import TrainingOptions

    request = TranslatorTraining(
        corpus=corpus,
        data_set=data_set,
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
    for line in _used(version.model.data):
        console.print(Text(line))
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
            str(model.data.get("data_set", "graph")),
            str(model.data.get("examples", "")),
            _figure("traced", model.figures["after"]["traced"]),
        )
        for model in models
    ]
    heads = ("version", "model", "corpus", "made from", "examples", "traced")
    console.print(table("Versions of the translator", heads, rows))


def _used(data: dict[str, Any]) -> list[str]:
    """Return what became of a data set's questions, in lines; none where the graph made them."""
    if "questions" not in data:
        return []
    use = data["questions"]
    lines = [
        f"{data['data_set']}: {use['used']} of {use['questions']} single-hop questions became "
        f"examples ({use['named']} name what they are about)."
    ]
    if use["several_steps"]:
        lines.append(f"{use['chains']} of {use['several_steps']} with several steps became chains.")
    return lines + [f"Left out, {count}: {reason}." for reason, count in use["left_out"].items()]


def _figure(name: str, value: float) -> str:
    return f"{value:.1f}" if name == "chunks" else f"{value:.0%}"
