"""The learning curve of a training run as a picture."""

from collections.abc import Sequence
from pathlib import Path

from clew_models.translator.training import TrainingPoint


def write_curve(points: Sequence[TrainingPoint], path: Path, title: str) -> None:
    """Write the losses by step as SVG to ``path``: of the training data, and of held-out data."""
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
    axes.set_ylabel("loss (nats a token)")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
