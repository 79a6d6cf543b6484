"""What the attacks share: each file is one attack, written from the attacker's side."""

from __future__ import annotations

from sandboxed_shell import bubblewrap, python, shell

__all__ = ("bubblewrap", "python", "shell")
