"""What requirements name by address: repositories and archives, fetched before any foreign code runs."""
