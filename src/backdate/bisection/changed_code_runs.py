"""Runs some tests once more, traced, to see which of a culprit's changed statements those run that broke."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from backdate.advice import ChangedCode
from backdate.bisection.changed_code import ChangedScope, RunRelease, changed_scopes
from backdate.bisection.explanations.changelog import tells_of_a_change
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Culprit, Excerpt, Failing
from backdate.checking.sides import SidePair
from backdate.diagnosis.distributions import Distributions, site_packages
from backdate.environments.environment import Environment
from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.sandboxes.threads import in_threads
from backdate.testing.outcomes import Outcome

MOST_TESTS = 10
"""Of those that broke, and as many that pass."""
_LONGEST_S = 20.0
"""What all of these take together, untraced, at most: traced they may take ten times as long."""
_MOST_FILES = 400
_LARGEST_FILE = 1_000_000
_LONGEST_QUOTED = 360

_NUMBER = re.compile(r"(?<![\w.#])\d{1,9}(?!\w|\.\d)")
_TWO = 2
_BULLET = re.compile(r"\A\s*(?:[-*+\u2022]\s+)?|\s+\Z")

_Probed = tuple[ProbeResult, Mapping[str, str]]
"""A probe, and the files of the culprit's release in it that differ from the other probe's."""
Quote = Callable[[Culprit, Sequence[str]], Sequence[Excerpt]]


class ChangedCodeReader:
    """What the culprits of one bisection changed that tests run."""

    def __init__(self, probe_runner: ProbeRunner, pair: SidePair, quote: Quote) -> None:
        """``quote``: what the changelog of a culprit's bad version says of names."""
        self._probe_runner, self._pair, self._quote = probe_runner, pair, quote

    def changed(
        self,
        culprit: Culprit,
        tests: Sequence[str],
        good: ProbeResult,
        bad: ProbeResult,
        *,
        named: Sequence[str] = (),
        errors: Sequence[Failing] = (),
    ) -> tuple[ChangedCode, ...]:
        """What ``culprit``, which differs between ``good`` and ``bad``, changed of what ``tests`` run.

        ``errors``: the one with which they fail, and those that are caught on the way to it. ``named``:
        functions and classes that it names: "TyperCommand.__init__".
        Empty where one of the environments is not there any more, a run did not come to its end, or more
        files differ than are read. Raises SandboxUnavailable.
        """
        environments = [self._probe_runner.environment_of(probe) for probe in (good, bad)]
        sources = [_sources_of(culprit.name, one) for one in environments if one is not None]
        if len(sources) != 2 or not self._short(tests) or not culprit.new:
            return ()
        old, new = (_without(one, other) for one, other in (sources, reversed(sources)))
        if not (old or new) or len(old) + len(new) > _MOST_FILES:
            return ()
        scopes = self._scopes(((good, old), (bad, new)), tests, named, "\n".join(map(_raising_line, errors)))
        told = [self._told(culprit, one) for one in scopes]
        return _likely(told, errors[0].message if errors else "")

    def _scopes(
        self, probes: Sequence[_Probed], tests: Sequence[str], named: Sequence[str], line: str
    ) -> tuple[ChangedScope, ...]:
        """What ``tests`` run and passing ones do not: those beside them, else those of other files.

        Tests beside them may differ in a value alone, and run the same lines.
        """
        failing = self._lines(probes, self._short(tests))
        for number, passing in enumerate(self._passing(tests)):
            compared = self._lines(probes, passing) if passing else ((), ())
            if failing is None or compared is None:
                return ()
            old, new = (
                RunRelease(sources=sources, failing=frozenset(lines), passing=frozenset(others))
                for (_, sources), lines, others in zip(probes, failing, compared, strict=True)
            )
            scopes = changed_scopes(
                old, new, compared=bool(passing), named=named, line=line, rewritten_only=number > 0
            )
            if scopes:
                return scopes
        return ()

    def _lines(
        self, probes: Sequence[_Probed], tests: Sequence[str]
    ) -> tuple[Collection[tuple[str, int]], ...] | None:
        """What ``tests`` run of the files of each release; None where a run did not come to its end."""
        asked = [
            partial(self._probe_runner.lines_run, probe, tests, sorted(files)) for probe, files in probes
        ]
        runs = list(in_threads(asked, name="changed code"))
        return tuple(run.lines for run in runs) if all(run.whole for run in runs) else None

    def _told(self, culprit: Culprit, one: ChangedScope) -> ChangedCode:
        texts = (
            " ".join(_BULLET.sub("", line) for line in said.lines) for said in self._quote(culprit, one.terms)
        )
        quoted = next((_shortened(text) for text in texts if tells_of_a_change(text)), "")
        return one.told(culprit.name, culprit.new or "", quoted)

    def _short(self, tests: Sequence[str]) -> tuple[str, ...]:
        """The first of ``tests``, as long as they take little time together."""
        took = self._durations()
        kept: list[str] = []
        left = _LONGEST_S
        for test in tests:
            if len(kept) < MOST_TESTS and took.get(test, 0.0) <= left:
                kept.append(test)
                left -= took.get(test, 0.0)
        return tuple(kept)

    def _passing(self, tests: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Tests that pass on both sides, those of the same files first; then those of other files alone."""
        old, new = self._pair.old.run, self._pair.new.run
        results = old.results if old is not None else ()
        passed = {result.id for result in results if result.outcome is Outcome.PASSED}
        of_new = new.results if new is not None else ()
        passing = [one.id for one in of_new if one.outcome is Outcome.PASSED and one.id in passed]
        files = {_file_of(test) for test in tests}
        elsewhere = [test for test in passing if _file_of(test) not in files]
        beside = [test for test in passing if _file_of(test) in files]
        yield self._short([*beside, *elsewhere])
        if beside and elsewhere:
            yield self._short(elsewhere)

    def _durations(self) -> Mapping[str, float]:
        took: dict[str, float] = {}
        for side in (self._pair.old, self._pair.new):
            for result in side.run.results if side.run is not None else ():
                took[result.id] = max(took.get(result.id, 0.0), result.duration_s)
        return took


def _raising_line(error: Failing) -> str:
    """What stands where an error is raised; nothing of an assertion, which names what it compares."""
    return error.place.source if error.place is not None and error.type != "AssertionError" else ""


def _likely(told: Sequence[ChangedCode], message: str) -> tuple[ChangedCode, ...]:
    """Those of which the changelog speaks, and the first; all of them where it speaks of none.

    Those alone of which it gives the numbers that ``message`` compares: "assert 2 == 0", "is 2 instead of 0".
    """
    compared = {*_NUMBER.findall(message)}
    given = [one for one in told if compared <= {*_NUMBER.findall(one.quoted)}]
    if len(compared) == _TWO and given:
        return tuple(given)
    spoken = any(one.quoted for one in told)
    return tuple(one for number, one in enumerate(told) if not spoken or not number or one.quoted)


def _shortened(text: str) -> str:
    """The first sentences of an entry, as many as there is room for."""
    if len(text) <= _LONGEST_QUOTED:
        return text
    end = max(text.rfind(". ", 0, _LONGEST_QUOTED), text.rfind("; ", 0, _LONGEST_QUOTED))
    return text[: end + 1] if end > 0 else f"{text[:_LONGEST_QUOTED]}\u2026"


def _file_of(test: str) -> str:
    """The file of a node id, or the module and class of a dotted one."""
    return test.partition("::")[0] if "::" in test else test.rpartition(".")[0]


def _sources_of(name: str, environment: Environment) -> dict[str, str]:
    """The modules of a distribution, by their paths; those that cannot be read are not there."""
    folders = site_packages(*environment.roots)
    installed = Distributions(folders)
    distribution = installed.all.get(name)
    sources: dict[str, str] = {}
    for file in installed.python_files(distribution) if distribution is not None else ():
        text = _text_of(folders, file) if file.endswith(".py") and "/tests/" not in file else None
        if text is not None:
            sources[file] = text
    return sources


def _text_of(folders: Sequence[Path], file: str) -> str | None:
    for folder in folders:
        try:
            text = read_text(folder, file, limit=_LARGEST_FILE)
        except ConfigurationError:  # a link to a lower layer, which comes next, or a file that is too long
            continue
        if text is not None:
            return text
    return None


def _without(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """The files of ``one`` that ``other`` has otherwise, or not at all."""
    return {file: text for file, text in one.items() if other.get(file) != text}
