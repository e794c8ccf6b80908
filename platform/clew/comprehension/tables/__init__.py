"""Questions that a whole table answers: how many rows, the largest, the total, which ones."""
