"""What a graph language model is told, a task each (RAS, figures 15 and 16, shortened).

It is trained to know what the actions mean; each token of an instruction costs every question.
"""

from clew_models.language_model.prompt import Prompt

PROMPTS = {
    task: Prompt(task, inputs=("history", "question"), package=__name__)
    for task in ("plan", "answer", "triples")
}
"""By task."""
