"""Where proposals come from, one source a file."""
