"""Editing files: spans, encodings, patches and delta debugging, whatever the files hold."""
