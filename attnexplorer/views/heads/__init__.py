"""The Heads workspace: all heads of a layer side by side, one enlarged, and what each adds to the output."""
