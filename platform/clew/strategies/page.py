"""Makes the page of all strategies: ``python -m clew.strategies.page > platform/STRATEGIES.md``.

A test compares the page in the repository with this one, so the two cannot drift apart.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic.fields import FieldInfo

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.iterative.spec import ABLATIONS, OPTIONS, in_steps

_HEAD = f"""# Strategies

Made by `python -m clew.strategies.page > platform/STRATEGIES.md` from what each method declares;
a test compares the two. The first is the default. Any of them can be asked in several steps, as
`{in_steps("NAME")}`; settings of that are at the end. [SETTINGS.md](SETTINGS.md) says where values
are taken from.
"""


def strategies_page() -> str:
    """Return the page as Markdown: a part for each strategy, in the order of the tuple."""
    parts = [_HEAD]
    parts += ["\n".join(_part(spec)) for spec in STRATEGIES]
    steps = [f"## {in_steps('NAME')}", "", *_rows("iterative", OPTIONS.model_fields)]
    steps += ["", *_ablations(in_steps("NAME"), ABLATIONS)]
    return "\n\n".join(part.strip() for part in [*parts, "\n".join(steps)]) + "\n"


def _part(spec: StrategySpec) -> Iterator[str]:
    yield f"## {spec.name}"
    yield ""
    yield spec.summary
    yield ""
    yield f"- From: {spec.paper}."
    yield f"- Needs: {', '.join(spec.needs) or 'the graph alone'}."
    if spec.training:
        yield f"- Learns: `clew train {spec.name}`."
    if spec.reads:
        yield f"- Reads also: {', '.join(f'`{name}`' for name in spec.reads)}."
    if spec.options and spec.backbone == next(iter(spec.backbones), ""):
        yield ""
        yield from _rows(spec.prefix, spec.options.model_fields)
    if spec.ablations:
        yield ""
        yield from _ablations(spec.name, spec.ablations)


def _rows(prefix: str, fields: Mapping[str, FieldInfo]) -> Iterator[str]:
    yield "| setting | default | meaning |"
    yield "|---|---|---|"
    for name, field in fields.items():
        meaning = (field.description or "").replace("|", "\\|")
        default = "empty" if field.default == "" else f"`{field.default}`"
        yield f"| `{prefix}_{name}` | {default} | {meaning} |"


def _ablations(name: str, ablations: Sequence[Ablation]) -> Iterator[str]:
    yield f"Ablations, by `clew bench DATASET --ablations {name}`:"
    yield ""
    yield "| row | the part whose worth the difference shows | settings |"
    yield "|---|---|---|"
    for one in ablations:
        values = ", ".join(f"`{key}` `{value}`" for key, value in one.settings.items())
        needs = "; needs a training of its own" if one.trained else ""
        if one.where:
            needs += "; where " + ", ".join(f"`{key}` is `{v}`" for key, v in one.where.items())
        yield f"| {one.name} | {one.shows}{needs} | {values} |"


if __name__ == "__main__":
    print(strategies_page(), end="")
