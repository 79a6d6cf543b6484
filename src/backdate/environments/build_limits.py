"""What build steps may use, unless something else is said."""

from __future__ import annotations

from backdate.sandboxes.interface import MIB, Limits

BUILD_LIMITS = Limits(wall_s=1800.0, memory_bytes=8192 * MIB, processes=2048, disk_bytes=16384 * MIB)
"""Compiling from source happens (a physics engine took 6.5 minutes): builds may use more than tests."""
