"""Where source trees come from: a folder, a git revision, an sdist. Everything that is read is hostile."""
