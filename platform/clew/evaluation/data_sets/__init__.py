"""Data sets of the bench: every format read into the one shape of `base.py`."""
