"""The tools as a model meets them: contracts, refusals that help, and nothing outside of the tree."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.solvers.conversation import ToolRequest
from backdate.solvers.tools.logs import SuiteReport


def test_an_unknown_tool_and_wrong_arguments_are_answered_with_what_there_is(bench) -> None:
    assert "The tools are: list_dir, search_dir" in bench.no("open_file", path="x")
    assert "needs the parameter 'query'" in bench.no("search_dir")
    assert "has no parameter 'colour'" in bench.no("view_file", path="pkg/a.py", colour="red")
    assert "whole number" in bench.no("view_file", path="pkg/a.py", line="first")
    assert "has to be a text" in bench.no("view_file", path=["pkg/a.py"])
    assert "longer than" in bench.no("search_dir", query="x" * 1_000_000)
    answer = bench.box.act(ToolRequest(name="view_file", problem="the arguments are not JSON"))
    assert answer.refused
    assert "not JSON" in answer.text


def test_list_dir_hides_dot_files_and_the_two_scripts(bench) -> None:
    shown = bench.ok("list_dir").splitlines()
    assert shown == ["alias.py@", "out.py@", "outside@", "pkg/", "setup.py", "tests/"]
    assert "is a file" in bench.no("list_dir", path="setup.py")


@pytest.mark.parametrize(
    "path",
    ["../secret.py", "pkg/../../secret.py", "/etc/passwd", "out.py", "outside/secret.py", ".git/config",
     "pkg/a.py\0", "x" * 5000, "setup_o__n.sh", "no/such.py", "pkg"],
)  # fmt: skip
def test_nothing_outside_is_read(bench, path) -> None:
    for tool, more in (("view_file", {}), ("search_file", {"query": "."}), ("edit_file", EDIT)):
        text = bench.no(tool, path=path, **more)
        assert "KEY" not in text
        assert "root:" not in text


EDIT = {"first_line": 1, "last_line": 1, "new_text": "x = 1\n"}


@pytest.mark.parametrize(
    "path",
    ["tests/test_a.py", "./tests/test_a.py", "tests//test_a.py", "tests/./test_a.py", "alias.py",
     "pkg/hard.py",
     "/work/project/tests/test_a.py", " tests/test_a.py ", "setup.py"],
)  # fmt: skip
def test_no_test_and_no_declaration_is_edited_under_any_name(bench, path) -> None:
    before = (bench.root / "tests" / "test_a.py").read_bytes()
    assert "cannot be edited" in bench.no("edit_file", path=path, **EDIT)
    assert "cannot be edited" in bench.no("replace_all_in_file", path=path, old_text="f", new_text="g")
    assert (bench.root / "tests" / "test_a.py").read_bytes() == before
    assert bench.box.patch() == ""


def test_a_file_whose_name_some_file_systems_take_for_the_tests_is_not_edited(bench) -> None:
    (bench.root / "Tests").mkdir()
    (bench.root / "Tests" / "TEST_A.py").write_text("pass\n")
    (bench.root / "tests" / "test_\uff41.py").write_text("pass\n")
    assert "test file" in bench.no("edit_file", path="Tests/TEST_A.py", **EDIT)
    assert "test file" in bench.no("edit_file", path="tests/test_\uff41.py", **EDIT)


def test_tests_are_edited_where_that_was_asked_for(bench) -> None:
    from backdate.solvers.tools.toolbox import Toolbox
    from backdate.tasks.edit_policy import EditPolicy

    (bench.root / "pkg" / "hard.py").unlink()
    rules = EditPolicy(
        tests=frozenset({"tests/test_a.py"}), scripts=frozenset(), by_name=False, allow_test_edits=True
    )
    box = Toolbox(bench.root, rules, lambda: bench.report)
    assert not box.act(ToolRequest(name="edit_file", arguments={"path": "tests/test_a.py", **EDIT})).refused
    assert box.act(ToolRequest(name="edit_file", arguments={"path": "setup.py", **EDIT})).refused


def test_search_dir_looks_into_python_files_only_and_shows_at_most_fifty(bench) -> None:
    assert bench.ok("search_dir", query=r"np\.float") == "1 matches:\npkg/a.py:5: return np.float(1)"
    (bench.root / "pkg" / "many.py").write_text("x = 1\n" * 80)
    found = bench.ok("search_dir", query="x = 1").splitlines()
    assert found[0] == "More than 50 matches:"
    assert len(found) == 52
    assert "narrower" in found[-1]
    assert "No match" in bench.ok("search_dir", query="nowhere", path="pkg")


def test_a_search_that_would_hang_other_engines_ends(bench) -> None:
    (bench.root / "pkg" / "evil.py").write_text("a" * 50_000 + "\n")
    assert "No match" in bench.ok("search_file", path="pkg/evil.py", query="(a+)+$b")
    assert "searched for as plain text" in bench.ok("search_file", path="pkg/a.py", query="np.float(")
    assert "5: return np.float(1)" in bench.ok("search_file", path="pkg/a.py", query="np.float(")
    assert "is no regular expression" in bench.ok("search_file", path="pkg/a.py", query="(?<=a)b")


@pytest.mark.parametrize("query", ["^import", "1\\)$", "\\Aimport", "(?i)IMPORT NUMPY"])
def test_anchors_are_those_of_lines(bench, query) -> None:
    for ends in ("\n", "\r\n"):
        (bench.root / "pkg" / "ends.py").write_bytes(f"x{ends}import numpy{ends}f(1){ends}".encode())
        assert bench.ok("search_file", path="pkg/ends.py", query=query).startswith("1 matches")


def test_view_file_shows_fifty_lines_around_with_numbers(bench) -> None:
    (bench.root / "pkg" / "long.py").write_text("".join(f"n{i}\n" for i in range(1, 301)))
    shown = bench.ok("view_file", path="pkg/long.py", line=150).splitlines()
    assert shown[0] == "pkg/long.py, lines 100 to 200 of 300:"
    assert shown[1] == "100| n100"
    assert shown[-1] == "200| n200"
    assert "lines 1 to 300" in bench.no("view_file", path="pkg/long.py", line=301)


def test_the_log_is_cut_searched_and_viewed(bench) -> None:
    assert "not run yet" in bench.no("view_last_log", line=1)
    log = "\x1b[31mred\x1b[0m\n" + "".join(f"line {i}\n" for i in range(2, 251))
    bench.report = SuiteReport(solved=False, summary="2 of 3 tests failed", log=log)
    answer = bench.call("execute_tests")
    assert answer.solved is False
    lines = answer.text.splitlines()
    assert lines[:3] == ["2 of 3 tests failed", "The log's last 100 of 250 lines:", "151| line 151"]
    assert bench.ok("search_last_log", query="red") == "1 matches:\n1: red"
    assert bench.ok("view_last_log", line=10).startswith("the last log, lines 1 to 60 of 250:")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.sampled_from(["list_dir", "search_dir", "view_file", "edit_file", "revert_last", "nonsense"]),
    st.dictionaries(
        st.sampled_from(["path", "query", "line", "first_line", "last_line", "new_text", "x"]),
        st.none() | st.text(max_size=20) | st.integers() | st.lists(st.integers(), max_size=2) | st.floats(),
        max_size=5,
    ),
)
def test_garbage_is_always_answered(bench, tool, arguments) -> None:
    answer = bench.box.act(ToolRequest(name=tool, arguments=arguments))
    assert answer.text
