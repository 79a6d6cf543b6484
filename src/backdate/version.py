"""The version of backdate."""

__version__ = "0.2.0"
