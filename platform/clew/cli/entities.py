"""`clew entities`: which entities are one thing; reviews, merges, and a person's say."""

from typing import Annotated

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.logged import logged
from clew.cli.output import console, print_json, table
from clew.errors import InvalidRequest
from clew.indexing.corpora import chosen_name
from clew.results.resolution import Judgement, NamedEntity
from clew.settings import Settings

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="""Which entities are one thing.

Ingest merges what is surely one ("J. R. R. Tolkien", "JRR Tolkien") and keeps every name. Pairs
that it is not sure of wait for you:

`clew entities review` lists them with an id each; `clew entities decide ID same` (or `different`)
settles one. `clew entities merges` lists what was merged, `clew entities undo ID` parts it again,
for good. `clew entities merge "NYC" "New York City"` joins what no rule can know.""",
)

Corpus = Annotated[
    str | None, typer.Option("--corpus", "-c", help="Which corpus. [default: settings]")
]
Limit = Annotated[int, typer.Option(help="How many at most.", min=1)]
Offset = Annotated[int, typer.Option(help="How many to skip.", min=0)]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command()
def review(
    corpus: Corpus = None, limit: Limit = 20, offset: Offset = 0, as_json: AsJson = False
) -> None:
    """List pairs of entities that may be one, the likeliest first.

    Settle each with `clew entities decide ID same` or `clew entities decide ID different`.
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew:
        found = clew.reviews(name, limit, offset)
    if as_json:
        print_json(found)
        return
    if not found:
        console.print(f"No pair waits in the corpus {name}.")
        return
    rows = [
        (pair.id, f"{pair.score:.2f}", _shown(pair.a), _shown(pair.b), "; ".join(pair.reasons))
        for pair in found
    ]
    columns = ("id", "score", "this", "and this", "why they may be one")
    console.print(table(f"Pairs to review in {name}", columns, rows))


@app.command()
def decide(
    review_id: Annotated[str, typer.Argument(metavar="ID", help="Of `clew entities review`.")],
    verdict: Annotated[str, typer.Argument(metavar="VERDICT", help="same or different.")],
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Say of a pair whether it is one thing.

    `same` merges the two, which `clew entities undo` takes back; `different` keeps them apart for
    good.
    """
    settings = Settings.load()
    if verdict not in ("same", "different"):
        raise InvalidRequest(f"{verdict!r} is no verdict.", remedy="Say same or different.")
    name = chosen_name(settings, corpus)
    target = f"corpus={name}, review={review_id}, verdict={verdict}"
    with Clew(settings) as clew, logged(clew, "entities decide", target):
        said = clew.decide(name, review_id, verdict)  # type: ignore[arg-type]
    _tell(said, as_json)


@app.command()
def merges(
    corpus: Corpus = None, limit: Limit = 20, offset: Offset = 0, as_json: AsJson = False
) -> None:
    """List what was merged, newest first, with the reasons.

    `clew entities undo ID` parts the entities of one again.
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew:
        found = clew.merges(name, limit, offset)
    if as_json:
        print_json(found)
        return
    if not found:
        console.print(f"Nothing is merged in the corpus {name}.")
        return
    rows = [
        (
            merge.id,
            _shown(merge.canonical),
            ", ".join(_shown(entity) for entity in merge.merged),
            Text(merge.by, "cyan" if merge.by == "person" else ""),
            "; ".join(merge.reasons),
        )
        for merge in found
    ]
    columns = ("id", "entity", "merged into it", "by", "why")
    console.print(table(f"Merges in {name}", columns, rows))


@app.command()
def merge(
    one: Annotated[str, typer.Argument(help="Name or id of an entity.", show_default=False)],
    other: Annotated[str, typer.Argument(help="Name or id of another.", show_default=False)],
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Merge two entities because you know that they are one.

    Example: `clew entities merge "Mark Twain" "Samuel Clemens"`
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew, logged(clew, "entities merge", f"corpus={name}"):
        said = clew.merge(name, one, other)
    _tell(said, as_json)


@app.command()
def undo(
    merge_id: Annotated[str, typer.Argument(metavar="ID", help="Of `clew entities merges`.")],
    corpus: Corpus = None,
) -> None:
    """Undo a merge: the graph is as before, and the same is not merged again."""
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew, logged(clew, "entities undo", f"corpus={name}, merge={merge_id}"):
        clew.undo_merge(name, merge_id)
    console.print("Undone. These entities are kept apart from now on.", highlight=False)


@app.command()
def resolve(corpus: Corpus = None, as_json: AsJson = False) -> None:
    """Look for entities that are one, here and now.

    Ingest does so at its end; this is for a corpus that was filled with resolve_entities off.
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew, logged(clew, "entities resolve", f"corpus={name}"):
        found = clew.resolve(name)
    if as_json:
        print_json(found)
        return
    console.print(
        f"Looked at {found.entities} entities in {found.seconds:.1f} s: {found.merges} merges "
        f"made, {found.undone} undone; short forms joined in {found.documents} documents; "
        f"{found.reviews} pairs wait: `clew entities review`.",
        highlight=False,
        markup=False,
    )


def _shown(entity: NamedEntity) -> str:
    name = f"{entity.name or entity.id} ({entity.type or 'title'})"
    return f"{name}, that is {entity.goes_by}" if entity.goes_by else name


def _tell(said: Judgement, as_json: bool) -> None:
    if as_json:
        print_json(said)
        return
    if said.merge_id is None:
        text = f"{_shown(said.a)} and {_shown(said.b)} are kept apart."
    else:
        text = (
            f"{_shown(said.a)} and {_shown(said.b)} are one now. "
            f"Undo it: `clew entities undo {said.merge_id}`."
        )
    console.print(text, highlight=False, markup=False)
