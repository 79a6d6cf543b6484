"""The tests themselves, without their bodies."""

import unittest

from ids import IDS

NAMES = [one.rpartition(":")[2].rpartition(".")[2] for one in IDS]
if "::" in IDS[0]:
    globals().update({name: lambda: None for name in NAMES})
else:
    Shapes = type("Shapes", (unittest.TestCase,), {name: lambda self: None for name in NAMES})
