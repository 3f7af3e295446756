"""Attention weights that another program computed, as a document that the heads views show; nothing can be edited."""
