"""Pictures that are zoomed and pushed about on screen. pyqtgraph is imported here alone, once a plot is made."""
