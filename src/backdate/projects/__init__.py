"""Source trees: where they come from, their configuration files, unpinning."""
