"""Fixing a project: both sides of a check, a solver, a patch with its reasons, applied only when asked."""
