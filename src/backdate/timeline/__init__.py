"""Instants, and the CPython release calendar."""
