"""Graph LLM (RAS): a causal model that reads a question's graph as one token before its text."""

from clew_models.graph_llm.examples import GraphExample, Task, Triple

__all__ = ["GraphExample", "Task", "Triple"]
