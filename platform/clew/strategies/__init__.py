"""Ways of finding evidence for a question; `catalogue.py` has the tuple of all."""
