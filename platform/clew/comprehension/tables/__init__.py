"""Tables: the row that a question asks for, and what all rows together tell."""
