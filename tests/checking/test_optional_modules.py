"""What tests that were skipped would have wanted."""

from dataclasses import replace

import pytest
from fake_setups import ran

from backdate.checking.optional_modules import optional_notes
from backdate.testing.outcomes import CaseResult, Outcome


def skipped(*reasons: str) -> tuple[CaseResult, ...]:
    return tuple(
        CaseResult(id=f"s.py::test_{number}", outcome=Outcome.SKIPPED, duration_s=0.0, reason=reason)
        for number, reason in enumerate(reasons)
    )


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (("could not import 'numpy': No module named 'numpy'",) * 2, "2 tests were skipped, as numpy is not"),
        (
            ("Requires NumPy", "needs pandas", "Requires NumPy"),
            "3 tests were skipped, as numpy, pandas are",
        ),
        (("yaml not available",), "1 test was skipped, as pyyaml is not"),
        (("requires root", "needs the network", "windows only", "", "could not import 'winreg': no"), ""),
    ],
)
def test_tests_that_are_skipped_for_want_of_a_distribution_are_counted(
    reasons: tuple[str, ...], told: str
) -> None:
    run = ran(passed=1)
    notes = list(optional_notes(replace(run, results=(*run.results, *skipped(*reasons))), None))
    assert len(notes) == bool(told)
    assert all(note.startswith(told) for note in notes)
