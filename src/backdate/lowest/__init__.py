"""Whether the lower bounds that a project declares are true (``check --lowest``)."""
