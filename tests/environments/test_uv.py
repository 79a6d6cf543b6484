from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.environments import uv
from backdate.environments.cutoff_overrides import cutoff_overrides_at

INSTANT = datetime(2018, 1, 1, tzinfo=UTC)


def test_uv_is_there() -> None:
    assert uv.find_uv().is_file()
    assert uv.uv_version()[0].isdigit()


def test_the_full_instant_and_every_exemption_are_handed_over() -> None:
    arguments = uv.resolve_arguments(
        python=Path("/p"),
        instant=INSTANT,
        cutoff_overrides=cutoff_overrides_at(INSTANT),
        index_url="https://index/simple",
        inputs=["-r.txt"],
        constraints=["c.txt"],
        output=Path("/out/pylock.x.toml"),
    )
    assert arguments[arguments.index("--exclude-newer") + 1] == "2018-01-01T00:00:00Z"
    assert "--exclude-newer-package=setuptools=2019-02-10T00:00:00Z" in arguments
    assert arguments[-2:] == ("--", "-r.txt")
    assert arguments[arguments.index("--constraints") + 1] == "c.txt"


def test_nothing_of_the_callers_environment_gets_in_but_the_way_to_the_network() -> None:
    given = {"HTTPS_PROXY": "http://proxy", "PIP_INDEX_URL": "http://evil", "UV_INDEX": "x", "HOME": "/root"}
    assert uv.network_variables(given) == {"HTTPS_PROXY": "http://proxy"}
    variables = uv.build_variables(cache=Path("/c"), bin_folder=Path("/b"))
    assert variables["UV_NO_CONFIG"] == "1"
    assert not [name for name in variables if name.startswith("PIP_") and "INDEX" in name]


RESOLUTION = """warning: something
  \u00d7 No solution found when resolving dependencies:
  \u2570\u2500\u25b6 Because there is no version of nothing==9 and you require nothing==9, we can conclude
"""


def test_a_name_that_is_not_there_is_certain_where_it_is_required_itself() -> None:
    start = "  \u00d7 No solution found\n  \u2570\u2500\u25b6 Because "
    direct = f"{start}no-such was not found in the package registry and you\n      require no-such, we can"
    assert uv.says_a_name_is_missing(f"{direct} conclude that your requirements are unsatisfiable.")
    gone = f"{start}no-such was not found in the package registry and"
    own = f"{gone} pkg==1.0 depends on no-such, we can conclude that pkg==1.0 cannot be used.\n"
    assert uv.says_a_name_is_missing(f"{own} And because only pkg==1.0 is available and you require pkg, we")
    other = f"{gone} six>=2 depends on no-such, we can conclude that six>=2 cannot be used."
    assert not uv.says_a_name_is_missing(f"{other} And you require six, we can")
    assert not uv.says_a_name_is_missing(direct.replace("require no-such", "require no-such-other"))
    assert not uv.says_a_name_is_missing(RESOLUTION)


NOTHING_LEFT = """error: No solution found when resolving dependencies
  cause: Because all versions of optax depend on jaxlib>=0.1.37 and there are no versions of jaxlib, we can
         conclude that all versions of optax cannot be used.
         And because you require optax, we can conclude that your requirements are unsatisfiable.
"""
ONLY_AN_OLDER_ONE = """error: No solution found when resolving dependencies
  cause: Because only ml-dtypes==0.0.1 is available and all versions of jaxlib depend on ml-dtypes>=0.2.0, we
         can conclude that all versions of jaxlib cannot be used.
         And because all versions of optax depend on jaxlib==0.4.18 and you require optax, we can conclude
         that your requirements are unsatisfiable.
"""


@pytest.mark.parametrize("log", [NOTHING_LEFT, ONLY_AN_OLDER_ONE])
def test_what_all_releases_require_and_is_not_there_is_certain(log: str) -> None:
    assert uv.says_a_name_is_missing(log)
    assert not uv.says_a_name_is_missing(log.replace("all versions of optax", "optax>=0.1"))
    assert not uv.says_a_name_is_missing(log.replace("you require optax", "you require optax-other"))
    assert not uv.says_a_name_is_missing(f"{log}hint: pre-releases are available for jaxlib")


PINNED = """error: No solution found when resolving dependencies
  cause: Because click-type-test==1.3.0 depends on click>=8.1.0 and you require click==8.0.0, we can conclude
         that your requirements and click-type-test==1.3.0 are incompatible.
         And because you require click-type-test==1.3.0, we can conclude that your requirements are
         unsatisfiable.
"""


def test_requirements_that_refuse_each_other_are_refused_by_any_resolver() -> None:
    assert uv.says_nothing_fits(PINNED)
    assert uv.says_nothing_fits(ONLY_AN_OLDER_ONE)
    assert not uv.says_nothing_fits(f"{PINNED}\nhint: Pre-releases are available for `click`")
    assert not uv.says_nothing_fits(PINNED.replace("depends on", "has no wheels with a matching tag and"))
    assert not uv.says_nothing_fits(
        "error: Failed to build `a==1`\n cause: your requirements are unsatisfiable"
    )


NOT_YET = """error: No solution found when resolving dependencies
  cause: Because only sphinx<=6.1.3 is available and you require sphinx>=7.0.0,<8, we can conclude that your
         requirements are unsatisfiable.

hint: `sphinx` was filtered by `exclude-newer` to only include packages uploaded before
2023-02-27T20:15:04Z. The latest version satisfying the requirement is v7.4.7, published at
2024-07-20T14:46:52.142Z. Consider using `exclude-newer-package` to override the cutoff for this package.
"""


def test_what_is_of_a_later_day_is_there_for_no_installer() -> None:
    assert uv.says_nothing_fits(NOT_YET)
    assert uv.says_a_requirement_is_not_there_yet(NOT_YET)
    none = "Because there is no version of six==9.9 and you require six==9.9, we can conclude that your"
    found = "error: No solution found when resolving dependencies"
    one = f"{found}\n cause: {none} requirements are unsatisfiable."
    assert uv.says_a_requirement_is_not_there_yet(one)
    assert not uv.says_a_requirement_is_not_there_yet(one.replace("require six", "require other"))
    assert not uv.says_a_requirement_is_not_there_yet(f"{one}\nhint: Pre-releases are available for `six`")
    assert not uv.says_a_requirement_is_not_there_yet(PINNED), "an old pip takes what comes first"
    assert not uv.says_nothing_fits(f"{NOT_YET}\nhint: Pre-releases are available for `sphinx`")
    assert not uv.says_a_requirement_is_not_there_yet(none)


def test_programs_are_kept_quiet() -> None:
    variables = uv.build_variables(cache=Path("/c"), bin_folder=Path("/b"))
    assert (variables["FLIT_NO_NETWORK"], variables["INPUTRC"]) == ("1", "/dev/null")


def test_the_reason_of_a_failure_is_found() -> None:
    assert uv.explain_failure(RESOLUTION).startswith("\u00d7 No solution found")
    assert uv.explain_failure("\x1b[31merror\x1b[39m: bad\nmore") == "error: bad\nmore"
    assert uv.explain_failure("") == "no output"
    long = "error: x\n" + "line\n" * 500
    assert "left out" in uv.explain_failure(long)
    assert len(uv.explain_failure(long).splitlines()) == 41
    why = "  a.c:3:10: fatal error: b.h: No such file"
    told = uv.explain_failure("error: x\n" + "line\n" * 90 + f"{why}\n" * 20 + "line\n" * 90).splitlines()
    assert (told.count(why), len(told)) == (8, 49)
    assert "… 153 lines left out …" in told


def test_a_dead_index_is_told_from_a_bad_project() -> None:
    assert uv.says_index_down("error: Request failed after 3 retries\n  Caused by: dns error")
    assert not uv.says_index_down(RESOLUTION)
    assert uv.says_disk_full("error: No space left on device (os error 28)")
    assert not uv.says_disk_full("os error 280")
