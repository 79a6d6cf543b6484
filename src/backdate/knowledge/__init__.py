"""What is known of libraries, Python and Debian: rows in TOML files, one schema, one loader.

``tables/`` holds the rows, ``change_rows.py`` and ``schema.py`` say what a row is, ``load.py`` reads a file
when it is first asked for. ``docs/reference/knowledge.md`` says how to add a row.
"""
