"""Where recipes are read: one module for each kind of file."""
