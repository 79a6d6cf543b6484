"""What would help against every class of error."""

import pytest

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.remedies import what_helps

HEADER = "src/x.c:3:10: fatal error: libxml/xmlversion.h: No such file or directory"


@pytest.mark.parametrize("error", list(ErrorClass))
@pytest.mark.parametrize("of_build", [True, False])
def test_every_class_has_an_answer(error: ErrorClass, *, of_build: bool) -> None:
    assert what_helps(error, "", of_build=of_build, apt=False)


def test_a_missing_header_names_the_packages_and_the_option() -> None:
    without = what_helps(ErrorClass.MISSING_HEADER, HEADER, of_build=True, apt=False)
    assert without.startswith("run with --apt as root: ")
    assert "libxml2-dev" in without
    assert "--apt" not in what_helps(ErrorClass.MISSING_HEADER, HEADER, of_build=True, apt=True)


def test_a_build_that_fetches_gets_the_network_and_a_test_does_not() -> None:
    assert "--build-network" in what_helps(ErrorClass.NEEDS_NETWORK, "", of_build=True, apt=False)
    assert "--build-network" not in what_helps(ErrorClass.NEEDS_NETWORK, "", of_build=False, apt=False)
