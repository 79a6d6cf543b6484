"""Building data sets of snippets: changed names, code that uses them, cases, and proof by running."""
