"""A TensorFlow of 2019, made from the package index by its version alone, and functions that run in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.environments.environment import Environment
from backdate.projects.sources.listing import fetch_listing
from backdate.snippets.environments import SnippetEnvironments
from backdate.snippets.runs import ProgramEnd, ProgramLimits, SnippetProgram
from backdate.snippets.snippet import Harness
from backdate.snippets.versions import side_of
from backdate.snippets.warm.runner import WarmRunner

PATIENT = ProgramLimits(wall_s=300.0)
SESSION = """\
import tensorflow as tf

def total(values):
    with tf.Session() as session:
        return float(session.run(tf.reduce_sum(tf.constant(values))))
"""


@pytest.mark.slow
@pytest.mark.network
def test_an_old_tensorflow_installs_as_of_its_own_time_and_runs(tmp_path: Path) -> None:
    with Resources(Settings(cache=tmp_path / "cache")) as resources:
        side = side_of("tensorflow", "1.15", lambda name: fetch_listing(resources.index, name))
        assert side.python == "3.7"
        assert side.instant is not None
        assert side.instant.year == 2019
        environments = SnippetEnvironments(resources)
        assert isinstance(environments.of(side), Environment)
        harness = Harness(cases=("([1.0, 2.0],)", "([0.5],)"))
        programs = [
            SnippetProgram(id="session", code=SESSION, entry="total", harness=harness),
            SnippetProgram(
                id="newer", code=SESSION.replace("Session", "no_such_name"), entry="total", harness=harness
            ),
        ]
        session, newer = WarmRunner(resources.sandbox, environments).run(side, programs, PATIENT)
    assert session.end is ProgramEnd.FINISHED
    assert [case.value for case in session.cases] == ["3.0", "0.5"]
    assert {case.error for case in newer.cases} == {"AttributeError"}
