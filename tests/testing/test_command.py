"""The variables of the process that runs a suite."""

from dataclasses import replace

from fake_setups import carried, ran, recipe

from backdate.testing.command import variables


def test_programs_are_kept_quiet_unless_the_project_says_otherwise() -> None:
    environment = carried(recipe("six"), ran(passed=1)).environment
    assert environment is not None
    plan = recipe("six").test
    usual = variables(plan, environment, "/work/project", python_warnings=False)
    assert (usual["FLIT_NO_NETWORK"], usual["INPUTRC"]) == ("1", "/dev/null")
    own = replace(plan, environment=(("FLIT_NO_NETWORK", ""),))
    assert variables(own, environment, "/work/project", python_warnings=False)["FLIT_NO_NETWORK"] == ""
