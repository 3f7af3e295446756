"""How each stage's cells are made, as steps of arithmetic. Imports `compute` below `explanation` and `experiment`."""
