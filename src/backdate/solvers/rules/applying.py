"""Making proposals: from the texts of files to other texts. What cannot be made changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from backdate.advice import SourcePlace
from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import LineMap
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import Rewrite
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, Proposal

Texts = Mapping[str, str]
"""The texts of files that were changed, by path; every other file is as it was."""
ReadText = Callable[[str], str | None]
"""The text of a file as it was at first; None where it may not be changed, or is no text."""
Rewriter = Callable[[str, Rewrite, frozenset[int] | None], RewrittenSource]
"""``rewriting.rewrite_source``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """A proposal that is tried, with what it is to mend."""

    group: FailureGroup
    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeChange:
    """A proposal that was made."""

    planned: PlannedChange
    lines: frozenset[SourcePlace]
    """The lines that it changed, or that came; numbers are those of the texts with all changes made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTexts:
    """What some proposals, one after the other, make of files."""

    texts: Texts
    made: tuple[MadeChange, ...] = ()
    """Those that changed something; all others have nothing to change there."""


@dataclass(slots=True)
class TextChanger:
    """Makes proposals. It reads the files that they are about, and writes none."""

    read: ReadText
    rewrite: Rewriter
    is_valid: Callable[[str, str], bool] = field(default=lambda _file, _text: True)
    """Whether a file can hold a text, and it is Python; a proposal never makes another thing of Python."""
    can_hold: Callable[[str, str], bool] = field(default=lambda _file, _text: True)
    """Whether a file's encoding has all characters of a text, Python or not."""
    _rewritten: dict[tuple[str, str, frozenset[int]], RewrittenSource] = field(
        init=False, default_factory=dict
    )
    """What ``rewrite`` made: a batch is made again for every change that is planned behind it."""
    left_alone: dict[tuple[str, LeftAlone], None] = field(init=False, default_factory=dict)
    """By file, the uses that a proposal is about and that could not be changed, with why."""

    def text(self, texts: Texts, file: str) -> str | None:
        """A file's text as it is now."""
        return texts[file] if file in texts else self.read(file)

    def rewritten(self, text: str, rewrite: Rewrite) -> str:
        """``text`` with every use changed."""
        return apply_edits(text, self.rewrite(text, rewrite, None).edits)

    def make(self, texts: Texts, planned: Sequence[PlannedChange]) -> ChangedTexts:
        """All of ``planned``, whose places are those of ``texts``.

        Two that are alike are made once at each place: what a template writes may hold the name it is for.
        """
        now = dict(texts)
        made: list[tuple[PlannedChange, Mapping[str, str]]] = []
        at: dict[str, set[SourcePlace]] = {}
        for change in planned:
            proposal = change.proposal
            if proposal.rewrite is not None:
                before = at.setdefault(identity_of(proposal), set())
                left = tuple(place for place in proposal.places if place not in before)
                before.update(left)
                proposal = replace(proposal, places=left)
            changed = self._changed(texts, now, proposal)
            if changed:
                now |= changed
                made.append((change, changed))
        return ChangedTexts(
            texts=now,
            made=tuple(
                MadeChange(planned=change, lines=frozenset(self._lines(now, before, changed)))
                for (change, changed), before in zip(made, self._befores(texts, made), strict=True)
            ),
        )

    def _befores(
        self, texts: Texts, made: Sequence[tuple[PlannedChange, Mapping[str, str]]]
    ) -> Iterable[dict[str, str]]:
        """The texts just before each change."""
        now = dict(texts)
        for _, changed in made:
            yield {file: self.text(now, file) or "" for file in changed}
            now |= changed

    def _lines(
        self, last: Texts, before: Mapping[str, str], changed: Mapping[str, str]
    ) -> Iterable[SourcePlace]:
        """Which lines of the last texts one change wrote."""
        for file, text in changed.items():
            own = LineMap.between(before[file], text).changed
            for line in LineMap.between(text, self.text(last, file) or "").of(own):
                yield SourcePlace(file=file, line=line)

    def _changed(self, base: Texts, now: Texts, proposal: Proposal) -> dict[str, str]:
        """The files that the proposal changes, of which it says the places as they are in ``base``."""
        changed: dict[str, str] = {}
        if proposal.rewrite is not None:
            lines: dict[str, set[int]] = {}
            for place in proposal.places:
                lines.setdefault(place.file, set()).add(place.line)
            for file, numbers in lines.items():
                before, text = self.text(base, file), self.text(now, file)
                if before is None or text is None:
                    continue
                here = LineMap.between(before, text).of(numbers)
                made = self._made(text, proposal.rewrite, here)
                changed[file] = apply_edits(text, made.edits)
                if text == self.read(file):  # lines are told as people have them
                    self._note(file, made, here)
        for edit in proposal.file_edits:
            before, text = self.text(base, edit.file), self.text(now, edit.file)
            if before is not None and text is not None:
                changed[edit.file] = merged(before, text, edit.text)
        return {
            file: text
            for file, text in changed.items()
            if text != (old := self.text(now, file))
            and self.can_hold(file, text)
            and (self.is_valid(file, text) or not self.is_valid(file, old or ""))
        }

    def _made(self, text: str, rewrite: Rewrite, lines: frozenset[int]) -> RewrittenSource:
        key = (text, repr(rewrite), lines)
        if key not in self._rewritten:
            self._rewritten[key] = self.rewrite(text, rewrite, lines)
        return self._rewritten[key]

    def _note(self, file: str, made: RewrittenSource, lines: Collection[int]) -> None:
        for left in made.left:
            asked = not left.line or left.line in lines
            if asked and left.reason is not LeftAloneReason.NOT_THERE:
                self.left_alone[file, left] = None

    def rebased(self, old: Texts, new: Texts, edit: FileEdit) -> str:
        """What ``edit``, made for the texts ``old``, makes of its file as it is in ``new``."""
        before, after = self.text(old, edit.file), self.text(new, edit.file)
        return edit.text if before is None or after is None else merged(before, after, edit.text)


def merged(base: str, now: str, wanted: str) -> str:
    """``now`` with what ``wanted`` changes in ``base``; as it is where both change the same lines."""
    if base == now:
        return wanted
    lines, other = split_lines(base), split_lines(wanted)
    taken = LineMap.between(now, base).changed
    result = list(split_lines(now))
    follow = LineMap.between(base, now)
    for old_start, old_end, new_start, new_end in reversed(LineMap.between(base, wanted).units):
        touched = range(old_start + 1, max(old_end, old_start + 1) + 1)
        if not taken.isdisjoint(touched):
            return now
        # A line that nothing changed has one line for its own; a part at the end stands behind the last.
        at = (
            min(follow.of({old_start + 1}), default=len(result) + 1)
            if old_start < len(lines)
            else len(result) + 1
        )
        result[at - 1 : at - 1 + old_end - old_start] = other[new_start:new_end]
    return "".join(result)


def identity_of(proposal: Proposal) -> str:
    """What makes two proposals one, wherever they are made: the rewrite, a tool's key, or the texts."""
    if proposal.rewrite is not None:
        return repr(proposal.rewrite)
    if proposal.edits_key:
        return proposal.edits_key
    text = "\0".join(f"{edit.file}\0{edit.text}" for edit in proposal.file_edits)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
