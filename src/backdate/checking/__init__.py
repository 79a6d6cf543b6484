"""Comparing a project at two instants."""
