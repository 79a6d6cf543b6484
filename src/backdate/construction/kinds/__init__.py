"""What differs between kinds of tasks when they are built: the interface, and the choice of a builder."""
