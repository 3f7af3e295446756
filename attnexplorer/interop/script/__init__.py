"""Writing an experiment out as code that reads like a lesson: one writer, two dialects (NumPy and PyTorch). No Qt."""
