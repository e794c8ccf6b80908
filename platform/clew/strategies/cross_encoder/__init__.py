"""cross-encoder: a model reads the question and each of another strategy's passages together."""
