"""Logs of real runs, each beside what was captured of it: nothing fails, and no failure is lost."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.diagnosis.diagnose import diagnose_log
from backdate.diagnosis.logs import Log, LoggedFailure, read_log

CORPUS = Path(__file__).parent / "corpus"
LOGS = sorted(CORPUS.glob("*.log"))
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in LOGS}
CAPTURED = {path.stem: json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) for path in LOGS}
FAILING = sorted(name for name, run in CAPTURED.items() if run["failures"])
NOISE = st.one_of(
    st.text(max_size=80), st.sampled_from(["", "=" * 60, "-" * 70, "Traceback", "  File", "E   ", "FAILED"])
)
LESS = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def belongs(failure: LoggedFailure, test: str) -> bool:
    """Whether a log's failure is that of a captured id: the log may know the end of it only."""
    if failure.test is None:
        return False
    logged, known = (re.sub(r"::|/", ".", name).removesuffix(".py") for name in (failure.test, test))
    return logged == known or known.endswith(f".{logged}") or logged.endswith(f".{known}")


def lost(log: Log, failures: list[dict[str, object]]) -> list[object]:
    """The captured failures for which the log has none of its own."""
    left = list(log.failures)
    missing: list[object] = []
    for captured in failures:
        mine = next((failure for failure in left if belongs(failure, str(captured["test"]))), None)
        if mine is None:
            missing.append(captured["test"])
        else:
            left.remove(mine)
    return missing


def test_the_corpus_is_there_and_names_no_machine() -> None:
    assert len(FAILING) >= 10
    assert {run["runner"].split()[0] for run in CAPTURED.values()} >= {"pytest", "unittest"}
    for name, text in TEXTS.items():
        for line in text.splitlines():
            assert not re.search(r"/root\b|\.pyenv|/environments/[0-9a-f]{64}|/work/[0-9a-f]{16}/", line), (
                name
            )


@pytest.mark.parametrize("name", FAILING)
def test_every_captured_failure_is_in_the_log_with_its_error(name: str) -> None:
    log = read_log(TEXTS[name], root="/work/project")
    failures = CAPTURED[name]["failures"]
    assert lost(log, failures) == []
    for captured in failures:
        mine = [failure for failure in log.failures if belongs(failure, captured["test"])]
        types = {raised.type.rpartition(".")[2] for failure in mine for raised in failure.raised}
        own = [raised for raised in captured["raised"] if not raised.startswith("_pytest.")]  # of the runner
        if own:
            assert own[-1].rpartition(".")[2] in types, captured["test"]


@pytest.mark.parametrize("name", sorted(set(TEXTS) - set(FAILING)))
def test_a_log_without_failures_has_no_test_that_fails(name: str) -> None:
    if CAPTURED[name]["status"] == "completed":
        assert [failure.test for failure in read_log(TEXTS[name]).failures if failure.test] == []


@pytest.mark.parametrize("name", FAILING)
def test_every_failure_has_a_cause_and_is_in_one_cluster(name: str) -> None:
    log = read_log(TEXTS[name], root="/work/project")
    diagnosis = diagnose_log(log)
    assert len(diagnosis.failures) == len(log.failures)
    named = [failure.test for failure in diagnosis.failures if failure.test]
    clustered = [test for cluster in diagnosis.clusters for test in cluster.tests]
    assert set(clustered) == set(named)
    assert len(clustered) == len(set(clustered))


@LESS
@given(st.sampled_from(FAILING), st.data())
def test_a_log_that_was_cut_off_keeps_what_it_announced(name: str, data: st.DataObject) -> None:
    lines = TEXTS[name].split("\n")
    whole = read_log(TEXTS[name])
    cut = data.draw(st.integers(0, len(lines)))
    part = read_log("\n".join(lines[:cut]))
    announced = [failure.line for failure in whole.failures if failure.line < cut]
    assert {failure.line for failure in part.failures} >= set(announced)


@LESS
@given(st.sampled_from(FAILING), st.lists(NOISE, max_size=5), st.lists(NOISE, max_size=5))
def test_what_is_printed_around_a_log_hides_no_failure(
    name: str, before: list[str], after: list[str]
) -> None:
    log = read_log("\n".join((*before, "", TEXTS[name], *after)), root="/work/project")
    assert lost(log, CAPTURED[name]["failures"]) == []


@LESS
@given(st.sampled_from(FAILING), st.sampled_from(FAILING))
def test_two_logs_in_one_keep_the_failures_of_both(first: str, second: str) -> None:
    log = read_log(f"{TEXTS[first]}\n{TEXTS[second]}")
    assert len(log.failures) >= max(len(read_log(TEXTS[name]).failures) for name in (first, second))
    assert lost(log, CAPTURED[first]["failures"]) == []


@LESS
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_any_damage_is_read_and_diagnosed(name: str, data: st.DataObject) -> None:
    lines = TEXTS[name].split("\n")
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(lines) - 1))
        kind = data.draw(st.sampled_from(["delete", "double", "cut", "replace"]))
        if kind == "delete" and len(lines) > 1:
            del lines[at]
        elif kind == "double":
            lines.insert(at, lines[at])
        elif kind == "cut":
            lines[at] = lines[at][: data.draw(st.integers(0, len(lines[at])))]
        else:
            lines[at] = data.draw(st.text(max_size=40))
    log = read_log("\n".join(lines))
    assert len(diagnose_log(log).failures) == len(log.failures)
