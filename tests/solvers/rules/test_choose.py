"""How the rules solver is named, and what a name that is none says."""

from __future__ import annotations

import pytest

from backdate.errors import UsageError
from backdate.solvers.baselines import NullSolver
from backdate.solvers.choose import SolverOptions, has_both_sides, open_solver
from backdate.solvers.rules.rules_first import RulesFirst
from backdate.solvers.rules.solver import RulesSolver


class NoSandbox:
    name = "none"


OPTIONS = SolverOptions(sandbox=NoSandbox())


def test_rules_with_all_sources() -> None:
    with open_solver("rules", OPTIONS) as solver:
        assert isinstance(solver, RulesSolver)
        assert solver.name == "rules"
        assert len(solver.sources) >= 3


def test_some_sources_alone_or_left_out() -> None:
    with open_solver("rules:message", OPTIONS) as solver:
        assert [str(source.origin) for source in solver.sources] == ["message"]
        assert solver.name == "rules:message"
    with open_solver("rules:-message", OPTIONS) as solver:
        assert "message" not in [str(source.origin) for source in solver.sources]


def test_another_solver_behind_the_rules() -> None:
    with open_solver("rules+null", OPTIONS) as solver:
        assert isinstance(solver, RulesFirst)
        assert isinstance(solver.then, NullSolver)
        assert solver.name == "rules+null"


@pytest.mark.parametrize("text", ["rules:nonsense", "rules+nonsense", "rules+"])
def test_a_name_that_is_none_is_told(text) -> None:
    with pytest.raises(UsageError, match="there is no s"), open_solver(text, OPTIONS):
        pass


def test_which_solvers_get_both_sides() -> None:
    assert [
        has_both_sides(text) for text in ("rules", "rules:message", "rules+null", "null", "model:rules")
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]
