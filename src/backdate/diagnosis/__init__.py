"""Why tests failed: whose frames, what cause, which tests share it."""
