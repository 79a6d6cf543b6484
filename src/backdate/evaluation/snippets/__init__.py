"""Asking solvers about snippets, scoring what they answer, and the figures of it."""
