"""Results in the forms that people, CI services and editors read: a renderer a file, each a pure function."""
