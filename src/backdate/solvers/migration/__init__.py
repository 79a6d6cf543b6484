"""Tools of solvers that only migration tasks have."""
