"""Tests changed so that a real execution of them fails: for judge runs and for audits of suites."""
