"""Data sets of the bench: every format read into the one shape of `clew.results.data_set`."""
