"""Dialogs, and the bars that say something without stopping anyone; imported when they are needed."""
