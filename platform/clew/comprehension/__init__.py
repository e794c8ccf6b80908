"""What passages say to a question without a language model: parsed, taken apart, and read."""
