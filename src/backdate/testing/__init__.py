"""Running a suite and knowing the outcome of every single test."""
