"""Questions that compare two things, answered by what the evidence says of each."""
