"""Changing how Python source uses a library: found by syntax, edited at spans, all else left as it is."""
