"""Running one command in isolation."""
