"""Services that suites expect (databases, caches, brokers), started in the sandbox of a run."""
