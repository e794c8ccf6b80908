"""From a matplotlib figure to SVG that stands in the page: colours, tooltips, no id twice."""

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

from clew.evaluation.report.theme import LIGHT, STEPS, STRATEGY_LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VARIABLES = (
    *LIGHT,
    *(f"s{place}" for place in range(len(STRATEGY_LIGHT))),
    *(f"t{place}" for place in range(len(STEPS))),
)
PANEL_WIDTH = 380
"""Width of a panel in the page's pixels; text keeps its size on a phone."""
_SENTINEL = re.compile(r"#fe01([0-9a-f]{2})")
_STATE = threading.Lock()
_NAMESPACE = re.compile(r"^\{[^}]*\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "clew",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 11.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.7,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
}


def colour(variable: str) -> str:
    """Return the colour that stands for a CSS variable until ``to_svg`` puts it in."""
    return f"#fe01{VARIABLES.index(variable):02x}"


def plain(text: str, limit: int = 24) -> str:
    """Return a label that XML can hold, cut to ``limit`` characters."""
    clean = _CONTROL.sub(" ", text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


@contextmanager
def _settings() -> Iterator[None]:
    """matplotlib's settings are the process's: one figure at a time, and they are put back."""
    import matplotlib

    themed = {
        "text.color": colour("ink"),
        "axes.labelcolor": colour("ink-soft"),
        "axes.edgecolor": colour("line-strong"),
        "xtick.color": colour("ink-soft"),
        "ytick.color": colour("ink-soft"),
        "grid.color": colour("line"),
    }
    with (
        _STATE,
        matplotlib.rc_context(cast(Any, _SETTINGS | themed)),
        warnings.catch_warnings(),
    ):
        # the browser's fonts draw the text; matplotlib's only says how much room it takes
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


class Tips:
    """Tooltips of the artists of one figure."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, artist: Any, text: str) -> None:
        """Show ``text`` where the pointer rests on the artist."""
        gid = f"tip{len(self.texts)}"
        self.texts[gid] = text
        artist.set_gid(gid)


def draw(
    name: str,
    description: str,
    height: int,
    paint: Callable[["Axes", Tips], None],
    width: int = PANEL_WIDTH,
) -> str:
    """Return a chart as an SVG element. The same chart gives the same text.

    ``name``: unique within the page. ``description``: what is read in place of the picture.
    ``width``, ``height``: in the page's pixels. ``paint``: draws into the axes.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    tips = Tips()
    with _settings():
        # the SVG backend has 72 units an inch: one unit is one pixel of the page
        layout = ConstrainedLayoutEngine(w_pad=0.04, h_pad=0.04)
        figure = Figure(figsize=(width / 72, height / 72), layout=layout)
        FigureCanvasSVG(figure)
        paint(figure.add_subplot(), tips)
        text = _saved(figure)
    root = _placed(text, name, tips.texts)
    _, _, wide, high = root.get("viewBox", "").split()
    for key, value in (("width", wide), ("height", high), ("role", "img")):
        root.set(key, value)
    root.set("aria-label", _CONTROL.sub(" ", description))
    return ElementTree.tostring(root, encoding="unicode")


def marker(name: str, variable: str, shape: str) -> str:
    """Return a strategy's marker, a symbol of 16 pixels square that legends use by its name."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with _settings():
        figure = Figure(figsize=(16 / 72, 16 / 72))
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.plot([0], [0], marker=shape, markersize=9, color=colour(variable), clip_on=False)
        text = _saved(figure)
    root = _placed(text, name, {})
    root.tag = "symbol"
    root.set("id", name)
    return ElementTree.tostring(root, encoding="unicode")


def _saved(figure: "Figure") -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return buffer.getvalue()


def _placed(text: str, name: str, tips: Mapping[str, str]) -> ElementTree.Element:
    """Return the picture as an element of HTML: no namespaces, its ids under its name."""
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            if _NAMESPACE.sub("", child.tag) in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _NAMESPACE.sub("", element.tag)
        attributes = {_NAMESPACE.sub("", key): value for key, value in element.attrib.items()}
        element.attrib.clear()
        for key, value in attributes.items():
            element.set(key, _value(key, value, name))
        tip = tips.get(attributes.get("id", ""))
        if tip is not None:
            title = ElementTree.Element("title")
            title.text = _CONTROL.sub(" ", tip)
            element.insert(0, title)
    box = root.get("viewBox", "")
    root.attrib.clear()
    root.set("viewBox", box)
    return root


def _value(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return value.replace("#", f"#{name}-", 1)
    value = value.replace("url(#", f"url(#{name}-")
    return _SENTINEL.sub(lambda match: f"var(--{VARIABLES[int(match[1], 16)]})", value)
