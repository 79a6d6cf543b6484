"""The kinds of tasks: one file a kind, chosen in ``choose.py``."""
