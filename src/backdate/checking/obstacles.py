"""What stood in the way of a side of a check: the error, its log, and what to try."""

from __future__ import annotations

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.resources import Resources
from backdate.checking.result import Obstacle
from backdate.checking.setup_failures import message_of, setup_failure_of
from backdate.recipes.files import Files
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.remedies import what_helps

_OTHER_START = "check from another instant (--from), at which those releases are there"
_OTHER_BOUNDS = "declare bounds that can be met together, or check until an instant at which they can (--to)"

_OF_ANY_PYTHON = (ErrorClass.NEEDS_NETWORK, ErrorClass.UNAVAILABLE_SOURCE, ErrorClass.UNSATISFIABLE)
"""What stands in the way of a build with whatever interpreter."""
_OF_CODE = ("resolve", "install")
"""Phases in which a build fails by what it runs, and not by a limit."""


def obstacle_of(
    recipe_run: RecipeRun, dated: DatedProject, resources: Resources, *, is_old: bool
) -> Obstacle:
    """What stood in the way: there is no environment, no test passes, or the run did not end well.

    ``is_old``: whether it is the old side, for which other things may help.
    """
    run = recipe_run.run
    failure = setup_failure_of(recipe_run, dated, ())  # no interpreter is proposed here, so none is probed
    error = classify(failure)
    of_build = recipe_run.failure is not None
    helps = what_helps(error, failure.text, of_build=of_build, apt=resources.apt)
    if error is ErrorClass.UNSATISFIABLE:  # of which a check's own words are others than a set-up's
        helps = _OTHER_START if is_old else _OTHER_BOUNDS
    name = Files(dated.tree).declared().name or dated.name
    if recipe_run.failure is not None:
        from backdate.recipes.repair.own_build import own_build_failed, unbuilt_requirement  # with its rules

        log = recipe_run.failure.log
        of_code = recipe_run.failure.phase in _OF_CODE
        own = of_code and own_build_failed(failure.text, name)
        of_python = of_code and error not in _OF_ANY_PYTHON
        unbuilt = unbuilt_requirement(failure.text, name) if of_python else ""
    else:
        assert run is not None
        log, own, unbuilt = run.log, False, ""
    line = message_of(recipe_run)
    return Obstacle(error=error, line=line, help=helps, log=log, own_build=own, unbuilt=unbuilt)
