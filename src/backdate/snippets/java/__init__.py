"""Java snippets: the JDK's own compiler says which of their names are deprecated, or gone."""
