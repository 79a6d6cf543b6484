"""Running programs in a process that has imported the library already, each in a fork of it."""
