"""A method from outside: chunks that share words with the question, those of long titles first."""
