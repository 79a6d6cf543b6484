"""The version of backdate."""

__version__ = "0.1.0"
