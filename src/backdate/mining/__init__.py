"""Rules from what releases of a library announce: parsed, never imported, within bounds."""
