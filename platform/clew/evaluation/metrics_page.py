"""Makes the page of all metrics: ``python -m clew.evaluation.metrics_page`` prints it.

A test compares platform/METRICS.md with it, so the two cannot drift apart.
"""

from clew.evaluation.metrics.case import MetricSpec
from clew.evaluation.scoring import METRICS

_HEAD = """# Metrics of the bench

Made by `python -m clew.evaluation.metrics_page > platform/METRICS.md` from the code; a test
compares the two. Those in bold are tested and compared. Every figure is a mean over the questions
that count for it (its denominator); their number is shown with it. Where a strategy raises on a
question, each metric of rankings and answers that applies to the question is 0 for it. Intervals
are percentile bootstrap intervals of 95 % (10,000 resamples); differences are tested by paired
randomisation, adjusted by Holm.
"""
_GROUPS = {
    "retrieval": "Of the ranking",
    "triples": "Of triples (KAMR)",
    "answer": "Of the answer",
    "evidence": "Of the evidence",
    "judge": "By a language model (KG-CQR, KG-Translator)",
}


def metrics_page() -> str:
    """Return the page as Markdown: a table for each group of metrics."""
    parts = [_HEAD]
    for group, title in _GROUPS.items():
        rows = [_row(metric) for metric in METRICS if metric.group == group]
        parts += [f"\n## {title}\n\n| metric | name | what it is |\n|---|---|---|\n"]
        parts += ["\n".join(rows), "\n"]
    return "".join(parts)


def _row(metric: MetricSpec) -> str:
    name = f"**{metric.label}**" if metric.main else metric.label
    return f"| {name} | `{metric.name}` | {metric.denominator} |"


if __name__ == "__main__":
    print(metrics_page(), end="")
