"""All tools over one task: looks the tool up, reads its arguments, calls it, and answers whatever comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from backdate.models.interface import ToolDefinition
from backdate.solvers.conversation import Observation, ToolRequest
from backdate.solvers.tools.editing import Editor
from backdate.solvers.tools.files import Tree
from backdate.solvers.tools.interface import Tool, ToolRefusal, read_arguments
from backdate.solvers.tools.logs import SuiteLog, SuiteReport
from backdate.solvers.tools.read_tools import looking_tools
from backdate.tasks.edit_policy import EditPolicy

LONGEST_OUTPUT = 60_000
"""Characters of one answer."""


class Toolbox:
    """The tools of one task's tree."""

    def __init__(
        self,
        root: Path,
        rules: EditPolicy,
        run_tests: Callable[[], SuiteReport],
        *,
        extra: Sequence[Tool] = (),
    ) -> None:
        tree = Tree(root, rules)
        self._editor = Editor(tree)
        tools = (*looking_tools(tree), *self._editor.tools(), *SuiteLog(run_tests).tools(), *extra)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in tools}

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The tools as a model that calls them natively is told of them."""
        return tuple(
            ToolDefinition(name=tool.name, description=tool.description, parameters=tool.schema)
            for tool in self.tools.values()
        )

    def patch(self) -> str:
        """The diff of all edits that stand."""
        return self._editor.patch()

    def act(self, request: ToolRequest) -> Observation:
        """What the tool answers. A call that cannot be followed is answered too, with why."""
        tool = self.tools.get(request.name)
        if tool is None:
            name = request.name[:100]
            return _refused(f"There is no tool {name!r}. The tools are: {', '.join(self.tools)}.")
        if request.problem:
            return _refused(f"{tool.name} was not called: {request.problem}")
        try:
            answer = tool.run(read_arguments(tool, request.arguments))
        except ToolRefusal as refusal:
            return _refused(f"{tool.name}: {refusal}")
        except OSError as error:
            return _refused(f"{tool.name}: the file system refused: {error.strerror}.")
        if isinstance(answer, Observation):
            return answer
        if len(answer) > LONGEST_OUTPUT:
            answer = f"{answer[:LONGEST_OUTPUT]}\n[{len(answer) - LONGEST_OUTPUT:,} characters left out]"
        return Observation(text=answer)


def _refused(text: str) -> Observation:
    return Observation(text=text, refused=True)
