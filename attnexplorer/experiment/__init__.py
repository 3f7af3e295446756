"""What is saved: frozen dataclasses, edits as pure functions, validation, the file format, examples. NumPy only."""
