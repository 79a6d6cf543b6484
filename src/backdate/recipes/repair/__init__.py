"""Repair rules: pure functions from a failure and a recipe to changed recipes."""
