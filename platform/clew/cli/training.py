"""`clew train`: models of one's own; a command a method that learns, made from its options."""

import inspect
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from clew.clew import Clew
from clew.cli.logged import logged
from clew.cli.output import Lines, console, errors, print_json, progress_bar, table
from clew.indexing.corpora import chosen_name
from clew.results.training import ModelVersion, TrainingProgress
from clew.settings import Settings
from clew.strategies.base import Learner
from clew.strategies.catalogue import trainable
from clew.strategies.learning.training import Training

EVERY = """

The new version serves at once, in running workers too, if it measured no worse than the one that
does; `clew train promote` and `clew train rollback` decide otherwise. Interrupted, the same command
goes on where it stopped."""


class _Methods(TyperGroup):
    """Finds the commands of the methods when they are asked for: what they import is not light."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*(one.name for one in trainable()), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        learner = next((one for one in trainable() if one.name == cmd_name), None)
        return _command(learner) if found is None and learner is not None else found


app = typer.Typer(
    cls=_Methods, no_args_is_help=True, help="Train models on your own documents, and choose them."
)
Corpus = Annotated[
    str | None, typer.Option("--corpus", "-c", help="Which corpus. [default: settings]")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
Method = Annotated[str, typer.Argument(help="The method; `clew train --help` lists them.")]


def _command(learner: Learner) -> Any:
    """Return the command that trains a method, with the options of its own model."""
    training: Training = learner.trained_by()
    parameters = [
        _option("corpus", str, inspect.Parameter.empty, "Corpus that is learned.", "-c"),
        *([_data_set()] if training.data_sets else []),
        *(
            _option(
                name, field.annotation, field.default, field.description or "", **_bounds(field)
            )
            for name, field in training.options.model_fields.items()
        ),
        _flag("in_background", "--in-background", "Hand it to a worker; `clew jobs` shows it."),
        _flag("as_json", "--json", "Print the manifest, or the job, as JSON."),
    ]

    def run(**given: Any) -> None:
        _train(learner.name, training, **given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__doc__ = (training.help or training.summary) + EVERY
    made = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    made.command(learner.name)(run)
    return typer.main.get_command(made)


def _option(
    name: str, kind: Any, default: Any, help_: str, *short: str, **bounds: Any
) -> inspect.Parameter:
    spelled = f"--{name.replace('_', '-')}"
    option = typer.Option(spelled, *short, help=help_, **bounds)
    return _parameter(name, Annotated[kind, option], default)


def _flag(name: str, spelled: str, help_: str) -> inspect.Parameter:
    return _parameter(name, Annotated[bool, typer.Option(spelled, help=help_)], False)


def _data_set() -> inspect.Parameter:
    option = typer.Option(
        "--data-set",
        metavar="DATASET",
        help="Learn from the single-hop questions of a data set that `clew bench` reads, whose "
        "documents are in the corpus. [default: questions made from the graph]",
        show_default=False,
    )
    return _parameter("data_set", Annotated[str | None, option], None)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)


def _bounds(field: Any) -> dict[str, Any]:
    """Return what the command line checks of a field; the model checks all of it."""
    found = {}
    for bound in field.metadata:
        for ours, theirs in (("ge", "min"), ("gt", "min"), ("le", "max"), ("lt", "max")):
            if getattr(bound, ours, None) is not None:
                found[theirs] = getattr(bound, ours)
    return found


def _train(
    method: str,
    training: Training,
    corpus: str,
    in_background: bool,
    as_json: bool,
    data_set: str | None = None,
    **options: Any,
) -> None:
    target = f"method={method}, corpus={corpus}"
    with Clew(Settings.load()) as clew, logged(clew, "train", target):
        if in_background:
            job = clew.submit_training(method, corpus, data_set=data_set, **options)
            if as_json:
                print_json(job)
            else:
                console.print(
                    f"Job {job.id} trains {method} on {corpus}: `clew jobs` shows it, "
                    f"`clew jobs --cancel {job.id}` stops it."
                )
            return
        with progress_bar() as bar:
            task = bar.add_task("Beginning", total=None)
            lines = Lines()

            def tell(progress: TrainingProgress) -> None:
                words = _stage(progress)
                bar.update(
                    task,
                    description=words,
                    completed=progress.done,
                    total=progress.total or None,
                )
                lines.tell(words, progress.done, progress.total or None, stage=progress.stage)

            try:
                version = clew.train(method, corpus, data_set=data_set, tell=tell, **options)
            except KeyboardInterrupt:
                errors.print("What is done is kept: the same command goes on from there.")
                raise
    if as_json:
        print_json(version)
    else:
        _present(version)


def _stage(progress: TrainingProgress) -> str:
    from clew.training.request import STAGES

    loss = "" if progress.loss is None else f", loss {progress.loss:.3f}"
    return f"{STAGES[progress.stage]}{loss if progress.stage == 'learn' else ''}"


def _present(version: ModelVersion) -> None:
    console.print(_figures(version))
    for line in _used(version.data):
        console.print(Text(line))
    if version.promotion:
        console.print(Text(version.promotion, "green" if version.serves else "yellow"))
    console.print(Text(f"It lies in {version.folder}; the learning curve is curve.svg.", "dim"))


def _figures(version: ModelVersion) -> Any:
    from clew.training.serving import shown

    measured = [name for name in ("before", "serving", "after") if name in version.figures]
    rows = [
        (figure.words, *(shown(figure, version.figures[name]) for name in measured))
        for figure in version.shown
    ]
    titles = {"before": "before", "serving": "what served", "after": "after"}
    questions = version.figures["after"].get("questions", "?")
    return table(
        f"{version.kind} {version.version}, {questions} held-out questions",
        ("", *(titles[name] for name in measured)),
        rows,
    )


@app.command("list")
def versions(
    method: Annotated[str | None, typer.Argument(help="Only those of this method.")] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Only those that may serve this corpus.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """Show the versions that were trained, newest first, and which of them serve."""
    from clew.training.serving import shown

    with Clew(Settings.load()) as clew:
        models = clew.trained_models(method, corpus)
    if as_json:
        print_json(models)
        return
    if not models:
        console.print("No version was trained yet: `clew train METHOD --corpus NAME`.")
        return
    rows = [
        (
            model.kind,
            model.version,
            model.corpus or "any",
            Text("serves", "green") if model.serves else "",
            model.base_model,
            str(model.data.get("data_set", "graph")),
            str(model.data.get("examples", "")),
            f"{shown(model.decides, model.figures['before'])} → "
            f"{shown(model.decides, model.figures['after'])}",
            Text("stale" if model.stale else "", "yellow"),
        )
        for model in models
    ]
    heads = ("method", "version", "corpus", "", "model", "made from", "examples", "measured", "")
    console.print(table("Trained versions", heads, rows))
    for model in models:
        if model.stale and model.serves:
            console.print(Text(f"{model.kind} {model.version}: {model.stale}", "yellow"))


@app.command("show")
def show(
    method: Method,
    version: Annotated[str, typer.Argument(help="The version: `clew train list`.")],
    as_json: AsJson = False,
) -> None:
    """Show a version: its figures, what it was made from, and how it learned."""
    with Clew(Settings.load()) as clew:
        model = clew.trained_model(method, version)
    if as_json:
        print_json(model)
        return
    console.print(_figures(model))
    facts = {
        "corpus": model.corpus or "any",
        "serves": "yes" if model.serves else "no",
        "base model": model.base_model,
        "trained": model.created_at,
        **{name: value for name, value in model.data.items() if not isinstance(value, dict)},
        **model.options,
    }
    console.print(table("What made it", ("", ""), facts.items()))
    for line in (*_used(model.data), model.stale, model.promotion):
        if line:
            console.print(Text(line))


@app.command("promote")
def promote(
    method: Method,
    version: Annotated[str, typer.Argument(help="The version that shall serve.")],
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", "-c", help="Which corpus a general version shall serve."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let a version serve from now on, whatever it measured; running workers take it up."""
    target = f"method={method}, version={version}"
    with Clew(Settings.load()) as clew, logged(clew, "train promote", target):
        model = clew.promote(method, version, corpus)
    if as_json:
        print_json(model)
        return
    console.print(f"{method} {version} serves {corpus or model.corpus or 'every corpus'} now.")
    if model.stale:
        errors.print(Text(model.stale, "yellow"))


@app.command("rollback")
def rollback(method: Method, corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Let the version serve a corpus that did before the one that serves now.

    Where a method's versions serve every corpus, leave the corpus out.
    """
    settings = Settings.load()
    general = any(one.name == method and one.trained_by().general for one in trainable())
    served = "every corpus" if general else chosen_name(settings, corpus)
    target = f"method={method}, corpus={served}"
    with Clew(settings) as clew, logged(clew, "train rollback", target):
        model = clew.roll_back(method, corpus)
    if as_json:
        print_json(model.model_dump(mode="json") if model else {"version": None})
        return
    what = f"version {model.version}" if model else "the base model, untrained,"
    console.print(f"{method}: {what} serves {served} now.")


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
