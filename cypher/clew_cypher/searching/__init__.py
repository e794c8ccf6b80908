"""What questions and pages read: vectors, words, entities, paths, projections."""
