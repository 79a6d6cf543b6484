"""Judge runs: the tests again, some of them changed in secret so that a real execution must fail there."""
