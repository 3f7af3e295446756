"""The dialog that brings matrices of other programs into an experiment: which, where to, which way round."""
