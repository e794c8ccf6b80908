"""The learning curve of a training: points that are kept as they come, and a picture of them."""

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path

from clew.results.training import CurvePoint

CURVE, OLDER, PICTURE = "curve.jsonl", "training.json", "curve.svg"


def add_point(folder: Path, point: CurvePoint) -> None:
    """Keep a point of the curve of the version in ``folder``."""
    with (folder / CURVE).open("a+b") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":  # a training was killed within this line
                file.write(b"\n")
        file.write(point.model_dump_json().encode() + b"\n")


def read_curve(folder: Path) -> tuple[CurvePoint, ...]:
    """Return the points that are known by now, by step; () where there are none.

    A training that went on from a checkpoint did some steps twice: the later point counts.
    """
    points: dict[tuple[int, bool], CurvePoint] = {}
    for entry in _entries(folder):
        point = CurvePoint.model_validate(entry)
        points[point.step, point.held_out] = point
    return tuple(sorted(points.values(), key=lambda point: (point.step, point.held_out)))


def _entries(folder: Path) -> list[dict[str, object]]:
    try:
        lines = (folder / CURVE).read_text(encoding="utf-8").splitlines(keepends=True)
    except OSError:
        return _older(folder)
    # the line in which a training was killed may be half there
    return [json.loads(line) for line in lines if line.endswith("}\n")]


def _older(folder: Path) -> list[dict[str, object]]:
    """Return the points of a version of an earlier Clew, which kept them in one file."""
    try:
        kept = json.loads((folder / OLDER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return list(kept.get("points", ()))


def write_curve(points: Sequence[CurvePoint], path: Path, title: str, loss: str) -> None:
    """Write the picture of a curve to ``path``."""
    path.write_text(draw_curve(points, title, loss), encoding="utf-8")


def draw_curve(points: Sequence[CurvePoint], title: str, loss: str) -> str:
    """Return the losses by step as SVG: of the training data, and of held-out data.

    ``loss``: what is drawn, with its unit.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for held_out, label, style in (
        (False, "training data", {"alpha": 0.6, "linewidth": 1.2}),
        (True, "held-out data", {"marker": "o", "linewidth": 1.8}),
    ):
        chosen = [point for point in points if point.held_out == held_out]
        if chosen:
            steps = [point.step for point in chosen]
            axes.plot(steps, [point.loss for point in chosen], label=label, **style)
    axes.set_xlabel("step")
    axes.set_ylabel(loss)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    if points:
        axes.legend()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    return drawn.getvalue()
