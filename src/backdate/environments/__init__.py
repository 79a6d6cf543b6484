"""Interpreters, resolution at an instant, building and caching virtual environments."""
