"""backdate: time travel for Python dependencies."""

__version__ = "0.1.0"
