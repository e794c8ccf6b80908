"""REST under /api/v1: thin views that validate, call one function and answer."""

from clew_web.api import (
    access,
    bench,
    corpora,
    documents,
    entities,
    graph,
    health,
    jobs,
    metrics,
    openai,
    questions,
    schedules,
    settings,
    trained_models,
    webhooks,
)

BLUEPRINTS = (
    questions.api,
    documents.api,
    corpora.api,
    jobs.api,
    graph.api,
    entities.api,
    bench.api,
    trained_models.api,
    access.api,
    schedules.api,
    webhooks.api,
    settings.api,
    openai.api,
)
HEALTH = health.api
METRICS = metrics.api

__all__ = ["BLUEPRINTS", "HEALTH", "METRICS"]
