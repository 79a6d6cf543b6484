"""What people say about how a project is set up: ``[tool.backdate]``, ``backdate.toml``, the command line.

Settings are read into one ``Configuration``, each with where it was written. What widens the rights of a
project's code (the network, Debian packages, services, variables of this machine) counts only where the user
wrote it or trusts who did (``trust.py``).
"""
