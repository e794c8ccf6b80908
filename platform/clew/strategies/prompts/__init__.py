"""The prompts of iterative: files beside this one, each with the inputs it declares."""

from clew.answering.prompts import Prompt

NEXT_QUERY_SYSTEM = Prompt("next_query.system.md", inputs=(), package=__name__)
NEXT_QUERY_USER = Prompt(
    "next_query.user.md", inputs=("passages", "queries", "question"), package=__name__
)

__all__ = ["NEXT_QUERY_SYSTEM", "NEXT_QUERY_USER"]
