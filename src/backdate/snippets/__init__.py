"""Small functions that work with one version of a library and not with another, judged by running them."""
