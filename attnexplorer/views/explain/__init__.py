"""The right dock: how the selected number is made, step by step, and the checks of what is displayed."""
