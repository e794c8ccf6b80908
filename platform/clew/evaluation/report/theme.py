"""The report's colours in light and dark, once, and how each strategy is told from the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LIGHT = {
    "paper": "#faf8f5",
    "surface": "#ffffff",
    "surface-sunken": "#f3efe9",
    "surface-raised": "#ffffff",
    "ink": "#1f1b16",
    "ink-soft": "#5c544a",
    "line": "#e3dcd2",
    "line-strong": "#8d8375",
    "accent": "#b83d0a",
    "accent-strong": "#8f2f07",
    "accent-wash": "#fdeee3",
    "entity": "#0f6b66",
    "entity-wash": "#ddf1ef",
    "chunk": "#54489b",
    "chunk-wash": "#eae7f8",
    "good": "#1a6b3c",
    "good-wash": "#e0f3e6",
    "warn": "#855300",
    "warn-wash": "#fdf0d0",
    "bad": "#a8182c",
    "bad-wash": "#fde6e8",
}
"""As the web UI's tokens.css has them; a test compares the two."""
DARK = {
    "paper": "#16130f",
    "surface": "#1f1b16",
    "surface-sunken": "#191612",
    "surface-raised": "#28231d",
    "ink": "#f3ede4",
    "ink-soft": "#b5aa9b",
    "line": "#3a332a",
    "line-strong": "#85796a",
    "accent": "#ff9c66",
    "accent-strong": "#ffb68d",
    "accent-wash": "#3a2214",
    "entity": "#5fd0c6",
    "entity-wash": "#13322f",
    "chunk": "#b3a6ff",
    "chunk-wash": "#2a2547",
    "good": "#74d39a",
    "good-wash": "#16301f",
    "warn": "#f2c25b",
    "warn-wash": "#362a0f",
    "bad": "#ff8f9c",
    "bad-wash": "#3b1a1f",
}
STRATEGY_LIGHT = (
    *("#c4500a", "#0067ac", "#00795a", "#a5407c", "#806000"),
    *("#2a86bd", "#4b463f", "#5b3fa8", "#7a3b1d", "#5d6d00"),
)
"""After Okabe and Ito: told apart by people with any of the common colour deficiencies."""
STRATEGY_DARK = (
    *("#ff9c66", "#6fb3ff", "#4fd1a5", "#f29ac8", "#e3c14f"),
    *("#9fdcff", "#cfc6b8", "#b3a6ff", "#d9a58a", "#bccb5a"),
)
STEPS = (
    *("#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#44bb99", "#bbcc33"),
    *("#b8a6d9", "#99ddff", "#d9b38c", "#aaaa00", "#8fb3a3", "#dddddd"),
)
"""Fills of bars in both themes, after Tol's light scheme; each bar has an outline."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h")
"""One more than there are colours: strategy 11 has the first one's colour, but another shape."""


@dataclass(frozen=True)
class StrategyStyle:
    """How a strategy is drawn everywhere: ``variable``: of its colour; ``marker``: matplotlib's."""

    name: str
    variable: str
    marker: str


def strategy_styles(names: Sequence[str]) -> dict[str, StrategyStyle]:
    """Return a style for each strategy, by its place in the run."""
    return {
        name: StrategyStyle(name, f"s{place % len(STRATEGY_LIGHT)}", MARKERS[place % len(MARKERS)])
        for place, name in enumerate(names)
    }


def theme_css() -> str:
    """Return the variables: light, dark where the system or ``data-theme`` says so."""
    steps = {f"t{place}": colour for place, colour in enumerate(STEPS)}
    light = LIGHT | {f"s{n}": colour for n, colour in enumerate(STRATEGY_LIGHT)} | steps
    dark = DARK | {f"s{n}": colour for n, colour in enumerate(STRATEGY_DARK)} | steps
    system = _block(':root:not([data-theme="light"])', "dark", dark)
    # the selector outweighs a theme that was chosen
    paper = _block(":root:root:root", "light", light)
    return "\n".join(
        (
            _block(":root", "light", light),
            f"@media (prefers-color-scheme: dark) {{\n{system}\n}}",
            _block(':root[data-theme="dark"]', "dark", dark),
            f"@media print {{\n{paper}\n}}",
        )
    )


def _block(selector: str, scheme: str, variables: Mapping[str, str]) -> str:
    lines = [f"  --{name}: {colour};" for name, colour in variables.items()]
    return "\n".join((f"{selector} {{", f"  color-scheme: {scheme};", *lines, "}"))
