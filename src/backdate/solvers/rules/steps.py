"""The solver's work written down turn by turn, with the calls that a model would have made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from backdate.editing.diff import changed_blocks
from backdate.editing.encodings import split_lines
from backdate.solvers.conversation import AgentReply, Observation, ToolRequest, Turn
from backdate.solvers.loop import TEST_TOOL

OLD_SIDE = "run_old_side"
"""The name under which the run of the old side stands in the record. No tool has it: no model may call it."""
SOME_TESTS = "execute_affected_tests"
_LONGEST_LIST = 200


@dataclass(slots=True)
class StepRecord:
    """All turns of one task."""

    turns: list[Turn] = field(default_factory=list)
    calls: int = 0
    """Turns after the given one, without the run of the old side."""

    def add(self, text: str, name: str, arguments: Mapping[str, object], observation: Observation) -> None:
        """Write one turn down."""
        number = len(self.turns)
        request = ToolRequest(name=name, arguments=arguments, id=f"step_{number}" if number else "given")
        self.calls += number > 0 and name != OLD_SIDE
        self.turns.append(Turn(said=AgentReply(text=text, request=request), observation=observation))

    def tested(self, text: str, only: tuple[str, ...], observation: Observation) -> None:
        """Write a run of the tests down."""
        if only:
            self.add(text, SOME_TESTS, {"tests": list(only[:_LONGEST_LIST])}, observation)
        else:
            self.add(text, TEST_TOOL, {}, observation)

    def edited(self, text: str, file: str, old: str, new: str) -> None:
        """Write the edits of one file down, from its end to its beginning so that each finds its lines."""
        before, after = split_lines(old), split_lines(new)
        for old_start, old_end, new_start, new_end in reversed(list(changed_blocks(before, after))):
            self.add(
                text,
                "edit_file",
                {
                    "path": file,
                    "first_line": old_start + 1,
                    "last_line": old_end,
                    "new_text": "".join(after[new_start:new_end]),
                },
                Observation(text=f"{file} was edited."),
            )

    @property
    def sequence(self) -> tuple[str, ...]:
        """See ``RunRecord.sequence``."""
        names = [turn.said.request.name for turn in self.turns[1:] if turn.said.request is not None]
        return tuple(name for name in names if name != OLD_SIDE)
