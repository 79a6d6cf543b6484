"""Why a culprit broke the tests: warnings that it gave before, its changelog, and the names that changed."""
