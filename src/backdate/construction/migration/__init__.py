"""Building migration tasks: each candidate examined, set up on both sides, filtered, proven."""
