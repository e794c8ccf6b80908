"""`clew strategies`: the ways of finding evidence."""

from typing import Annotated

import typer
from rich.text import Text

from clew.cli.output import console, print_json, table
from clew.errors import CLEW_ERRORS
from clew.settings import Settings
from clew.strategies.catalogue import STRATEGIES, in_steps
from clew.strategies.searching import check_strategy


def strategies(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Say what each way of finding evidence does, and which one is the default.

    One of these names is what `--strategy` of `clew ask`, `clew search` and `clew bench` takes.
    `iterative:NAME` is any of them in several steps, led by a language model.
    """
    settings = Settings.load()
    if as_json:
        listed = [
            {
                "name": spec.name,
                "in_steps": in_steps(spec.name),
                "summary": spec.summary,
                "paper": spec.paper,
                "settings": spec.settings,
                "ablations": [ablation.name for ablation in spec.ablations],
                "default": spec.name == settings.strategy,
            }
            for spec in STRATEGIES
        ]
        print_json({"strategies": listed, "default": settings.strategy})
        return
    rows = [(spec.name, spec.summary, spec.paper) for spec in STRATEGIES]
    console.print(table("Ways of finding evidence", ("name", "what it does", "from"), rows))
    console.print(
        Text(
            f"{in_steps('NAME')}: one of these in several steps. After each search a language "
            "model says what is still missing, and that is searched for next."
        )
    )
    try:
        check_strategy(settings, in_steps(STRATEGIES[0].name))
    except CLEW_ERRORS as error:
        console.print(Text(f"{error.message} {error.remedy}", "yellow"))
    console.print(Text(f"Where none is named: {settings.strategy} (setting `strategy`).", "dim"))
