"""The Scaling workspace: what 1/√d_k is for, on the experiment's own numbers and on random vectors."""
