"""The solver without a model: evidence to proposals, proposals to edits, and only edits that help stay."""
