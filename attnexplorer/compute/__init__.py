"""Small pure functions from an experiment to every number of it. NumPy and `experiment` only."""
