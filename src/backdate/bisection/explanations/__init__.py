"""What a culprit says for itself: warnings that it gave before, its changelog, and the names that changed."""
