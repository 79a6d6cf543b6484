"""``python -m backdate``."""

from backdate.cli.main import run

run()
