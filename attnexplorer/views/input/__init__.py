"""The left dock "Input": tokens, positions, mask, softmax, source and sizes; one section a file."""
