"""A plugin of pytest that does not work hides what the tests say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import frame, raised, result, run
from fake_setups import carried, ran, recipe

from backdate.checking.broken_plugin import installed_plugins, plugin_at_fault, without_plugin
from backdate.environments.environment import Environment
from backdate.testing.outcomes import Outcome, Raised

SITE = "/environment/lib/python3.12/site-packages"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    for name, entries in {
        "pytest_old-1.0": "[console_scripts]\nx = y:z\n\n[pytest11]\nold = pytest_old.plugin\n",
        "anything-2": "[other]\na = b\n",
        "pytest_cov-4": "[pytest11]\npytest_cov = pytest_cov.plugin\n",
    }.items():
        (site / f"{name}.dist-info").mkdir(parents=True)
        (site / f"{name}.dist-info" / "entry_points.txt").write_text(entries)
    outside = tmp_path / "outside"
    outside.write_text("[pytest11]\nstolen = stolen\n")
    (site / "linked-1.dist-info").mkdir()
    (site / "linked-1.dist-info" / "entry_points.txt").symlink_to(outside)
    known = carried(recipe("a"), ran()).environment
    assert known is not None
    return replace(known, root=tmp_path)


def test_plugins_are_read_and_links_that_lead_out_are_not(environment: Environment) -> None:
    found = [(plugin.name, plugin.module, plugin.distribution) for plugin in installed_plugins(environment)]
    assert found == [
        ("pytest_cov", "pytest_cov.plugin", "pytest-cov"),
        ("old", "pytest_old.plugin", "pytest-old"),
    ]


@pytest.mark.parametrize(
    ("error", "plugin"),
    [
        (
            raised("ImportError", "no x", frame(f"{SITE}/_pytest/c.py"), frame(f"{SITE}/pytest_old/p.py")),
            "old",
        ),
        (raised("ImportError", 'Error importing plugin "pytest_cov.plugin": no'), "pytest_cov"),
        (raised("PluginValidationError", "unknown hook in plugin <module 'pytest_old.plugin' from"), "old"),
        (raised("ImportError", "no x", frame("conftest.py")), None),
        (raised("ImportError", "no x", frame(f"{SITE}/_pytest/config.py")), None),
    ],
)
def test_which_plugin_is_at_fault(environment: Environment, error: Raised, plugin: str | None) -> None:
    fault = plugin_at_fault(run(status="broken", raised=(error,)), environment)
    assert (fault.plugin.name if fault else None) == plugin
    bad = result("t.py::a", Outcome.ERROR, error)
    assert (plugin_at_fault(run(bad), environment) is None) is (plugin is None)
    assert plugin_at_fault(run(bad, result("t.py::b")), environment) is None


def test_a_recipe_without_it() -> None:
    assert without_plugin(recipe("a"), "old", options=True).test.arguments == ("-p", "no:old")
    changed = without_plugin(recipe("a"), "old", options=False)
    assert changed.test.arguments == ("-p", "no:old", "-o", "addopts=")
