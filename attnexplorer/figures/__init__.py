"""Colours, one painting routine for screen and paper, and what is exported. QtCore, QtGui, QtSvg; no widgets."""
