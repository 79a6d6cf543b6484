"""The package index as it was at an instant."""
