"""A run of the bench as one HTML page that needs nothing from elsewhere."""

from clew.evaluation.report.rendering import render_report

__all__ = ["render_report"]
