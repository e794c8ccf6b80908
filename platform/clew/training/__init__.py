"""Training: data made from data sets and from graphs, runs that can go on, and what they made."""
