"""What a language model that judges replied: a JSON object, or why it is none."""

from clew_models.errors import MalformedOutput, PromptRefused

UNREADABLE = (MalformedOutput, PromptRefused, ValueError)
"""What is raised where a model did not give what was asked for, by itself or by `read_object`."""


def not_replied(name: str, asked_for: str, error: Exception) -> str:
    """Return the sentence that says what the model ``name`` failed to give."""
    detail = " ".join(str(error).split())[:200]
    return f"The language model {name!r} did not reply with {asked_for}: {detail}"
