"""planner (RAS): plan, retrieve and structure, in rounds, with a graph that grows."""
