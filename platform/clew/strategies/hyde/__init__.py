"""hyde: retrieval for a passage that a language model imagines (KG-CQR's comparison, KC-10)."""
