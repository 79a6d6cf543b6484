"""The part of the loop that looks behind failures which hide their cause: what tests catch on the way."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from backdate.solvers.reasons import CaughtError, ProposalOrigin
from backdate.solvers.rules.applying import ChangedTexts, PlannedChange, TextChanger, Texts
from backdate.solvers.rules.backend import FixBackend
from backdate.solvers.rules.hunk_reasons import error_line
from backdate.solvers.rules.judgement import group_key, is_about, is_silent, says_less
from backdate.solvers.rules.proposals import FailureGroup

_MOST_LOOKS = 3
"""Each is a run of the failing tests."""
_STATUS = re.compile(
    r"\b[45]\d\d (?:==|!=) [1-5]\d\d\b|\b[1-5]\d\d (?:==|!=) [45]\d\d\b"
    r"|\b[12] (?:==|!=) 0\b|\b0 (?:==|!=) [12]\b"
)
"""The status of an answer, or of a program that ended, in place of another one."""

_ELSEWHERE = re.compile(r"\b1011 \(internal error\)|\bServer disconnected\b|\bInternal Server Error\b")
"""What a client is told where the code that serves it failed: the error was caught there."""


def _shows_status(failing: Iterable[FailureGroup]) -> bool:
    """Whether a test got the status of an error, or was told of one elsewhere."""
    return any(
        group.tests and any(said.search(group.cause.message) for said in (_STATUS, _ELSEWHERE))
        for group in failing
    )


def is_told_elsewhere(changed: ChangedTexts, failing: Iterable[FailureGroup]) -> bool:
    """Whether all that changes are for is what clients are told of errors elsewhere, and fails so."""
    known = set(map(group_key, failing))
    groups = [made.planned.group for made in changed.made]
    return all(group_key(one) in known and _ELSEWHERE.search(one.cause.message) for one in groups)


@dataclass(slots=True)
class HiddenCauses:
    """What was seen behind the failures of one task."""

    backend: FixBackend
    changer: TextChanger
    met: dict[str, FailureGroup] = field(init=False, default_factory=dict)
    """By key, all that the tests were seen to catch."""
    _looks: int = field(init=False, default=0)
    _texts: Texts | None = field(init=False, default=None)
    """In which ``_groups`` have their places."""
    _groups: Sequence[FailureGroup] = field(init=False, default=())

    def groups_in(self, texts: Texts) -> Sequence[FailureGroup]:
        """What the tests catch in ``texts``, as far as it was looked for."""
        return self._groups if texts == self._texts else ()

    def told(self) -> tuple[CaughtError, ...]:
        """What the tests caught when it was last looked for."""
        return tuple(
            CaughtError(error=error_line(group.cause), file=place.file, line=place.line)
            for group in self._groups
            for place in group.places[:1]
        )

    def look(self, texts: Texts, failing: Sequence[FailureGroup], only: tuple[str, ...]) -> int:
        """Look behind ``failing`` where they hide their cause and nobody has looked; the runs it took."""
        if texts == self._texts or self._looks >= _MOST_LOOKS or not self._hide_their_cause(texts, failing):
            return 0
        self._looks += 1
        shown = set(map(group_key, failing))
        self._texts = dict(texts)
        found = self.backend.caught(texts, only)
        if found is None:
            return 0
        self._groups = [
            group
            for group in found
            if group_key(group) not in shown and self._is_of_code(texts, group.places[0].file)
        ]
        self.met.update((group_key(group), group) for group in self._groups)
        return 1

    def look_behind(
        self, texts: Texts, changed: ChangedTexts, failing: Sequence[FailureGroup], only: tuple[str, ...]
    ) -> tuple[int, bool]:
        """The runs it took; whether changes of ``texts`` mend what is caught and something else is met."""
        wanted = {group_key(made.planned.group) for made in changed.made}
        elsewhere = is_told_elsewhere(changed, failing)
        runs = self.look(texts, failing, only) if elsewhere else 0
        before = set(self.met)
        if not wanted <= before and not elsewhere:
            return 0, False
        kept = self._texts, self._groups
        causes = {key: self.met[key].cause for key in wanted & before}
        runs += self.look(changed.texts, failing, only)
        keys = set(map(group_key, self._groups))
        written = [made.planned.proposal.rewrite for made in changed.made]
        wrong = any(is_about(rewrite, group.cause) for rewrite in written for group in self._groups)
        again = {key: one.cause for one in self._groups if (key := group_key(one)) in causes}
        less = all(says_less(cause, causes[key]) for key, cause in again.items())
        if runs and not wrong and less and (again or keys - before):
            return runs, True
        self._texts, self._groups = kept
        return runs, False

    def _hide_their_cause(self, texts: Texts, failing: Iterable[FailureGroup]) -> bool:
        """Whether a test fails by an assertion, an exit, what a client is told, or at a line of a test."""
        return any(self._hides_its_cause(texts, group) for group in failing)

    def _hides_its_cause(self, texts: Texts, group: FailureGroup) -> bool:
        return bool(group.tests) and (
            is_silent([group])
            or _ELSEWHERE.search(group.cause.message) is not None
            or group.cause.type == "SystemExit"
            or (bool(group.places) and not self._is_of_code(texts, group.places[0].file))
        )

    def is_due(
        self,
        texts: Texts,
        failing: Collection[FailureGroup],
        planned: Collection[PlannedChange],
        *,
        late: bool,
        in_vain: bool,
    ) -> bool:
        """Whether a look is likelier to tell than what is ``planned``, or waits no longer.

        It is likelier where a test got the status of an error, and all that is planned is guessed for what
        hides its cause. Of others there is one: ``late``, half of the runs are over, which are for what shows
        itself, behind such a status; ``in_vain``, a default was guessed that did nothing, where only more of
        them are planned.
        """
        shows = _shows_status(failing)
        if shows and all(self._hides_its_cause(texts, one.group) for one in planned):
            return True
        guesses = (one.proposal.origin is ProposalOrigin.CHANGED_DEFAULT for one in planned)
        return not self._looks and ((late and shows) or (in_vain and all(guesses)))

    def _is_of_code(self, texts: Texts, file: str) -> bool:
        """Whether a file may be edited: it is none of tests."""
        return self.changer.text(texts, file) is not None
