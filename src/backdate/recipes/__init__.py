"""How a project says it is installed and tested."""
