"""Running one command isolated."""
