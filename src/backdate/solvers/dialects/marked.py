"""Tool calls written into the text between marks, for models and endpoints without native calls.

::

    <call tool="edit_file">
    <path>src/a.py</path>
    <first_line>3</first_line>
    <last_line>3</last_line>
    <new_text>
    import numpy
    </new_text>
    </call>

Values are written as they are, nothing is escaped: code is what breaks when models have to write it as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backdate.models.interface import Message, ModelFailure
from backdate.solvers.conversation import AgentReply, ToolRequest, Turn
from backdate.solvers.dialects.interface import AskModel, Spoken, failed, said_text, shortened
from backdate.solvers.tools.interface import Parameter, Tool

END = "</call>"
_OPEN = re.compile(r"<call\s+tool\s*=\s*[\"']?([^\"'>\s]{1,100})[\"']?\s*>")
_HOW = """\
Call a tool by writing, at the end of your reply, exactly one call in this form, each parameter between
its own marks:

<call tool="view_file">
<path>package/module.py</path>
<line>120</line>
</call>

Text of several lines starts on the line after its opening mark and is written as it should stand in the file,
without escapes. After </call> stop: the result is given to you. The tools:

{tools}

First say briefly what you think, then write the call. Every reply needs a call."""


class Marked:
    """Calls as marked text; the reply is stopped behind the first."""

    name = "marked"

    def system(self, rules: str, tools: Sequence[Tool]) -> str:
        """The rules, how a call is written, and the tools."""
        return f"{rules}\n\n{_HOW.format(tools=chr(10).join(_describe(tool) for tool in tools))}"

    def next_reply(
        self, ask: AskModel, opening: Sequence[Message], conversation: Sequence[Turn], tools: Sequence[Tool]
    ) -> Spoken:
        """The reply, the first call in it read."""
        answer = ask([*opening, *_messages(conversation)], stop=(END,))
        if isinstance(answer, ModelFailure):
            return failed(answer)
        reply = read_marked(said_text(answer), tools, cut=answer.finish_reason == "length")
        return AgentReply(
            text=reply.text,
            request=reply.request,
            reasoning=answer.reasoning or "",
            ignored=reply.ignored,
            refusal=answer.refusal is not None,
        )


def _describe(tool: Tool) -> str:
    lines = [f"- {tool.name}: {tool.description}"]
    for parameter in tool.parameters:
        optional = "" if parameter.default is None else f" (optional, else {parameter.default})"
        lines.append(f"    <{parameter.name}> {parameter.description}{optional}")
    return "\n".join(lines)


def _messages(conversation: Sequence[Turn]) -> list[Message]:
    messages = []
    for turn in conversation:
        request = turn.said.request
        written = write_call(request) if request else ""
        text = "\n".join(part for part in (shortened(turn.said.text), written) if part)
        messages.append(Message(role="assistant", text=text or "(nothing)"))
        label = "Result:\n" if request else ""
        messages.append(Message(role="user", text=f"{label}{turn.observation.text}"))
    return messages


def write_call(request: ToolRequest) -> str:
    """A call as it is written in this dialect."""
    parts = [f'<call tool="{request.name}">']
    for name, value in request.arguments.items():
        text = str(value)
        many = "\n" if "\n" in text else ""
        end = "\n" if many and not text.endswith("\n") else ""
        parts.append(f"<{name}>{many}{text}{end}</{name}>")
    return "\n".join([*parts, END])


def read_marked(text: str, tools: Sequence[Tool], *, cut: bool = False) -> AgentReply:
    """What a reply says before its first call, and that call."""
    opening = _OPEN.search(text)
    if opening is None:
        return AgentReply(text=text, request=None)
    name = opening[1]
    body, _, rest = text[opening.end() :].partition(END)
    tool = next((candidate for candidate in tools if candidate.name == name), None)
    problem = "the reply was cut off at its greatest length. Edit less at a time." if cut else ""
    arguments = {} if tool is None else _values(body, tool.parameters)
    request = ToolRequest(name=name, arguments=arguments, problem=problem)
    return AgentReply(text=text[: opening.start()].strip(), request=request, ignored=len(_OPEN.findall(rest)))


def _values(body: str, parameters: Sequence[Parameter]) -> dict[str, str]:
    """Each parameter's text, in the order written.

    One that starts on a line of its own ends at its *last* closing mark, since code may hold marks too; one
    within a line at the first.
    """
    values: dict[str, str] = {}
    names = {parameter.name for parameter in parameters}
    opening = re.compile(f"<({'|'.join(map(re.escape, sorted(names)))})>") if names else None
    at = 0
    while opening is not None and (tag := opening.search(body, at)) is not None:
        name, start = tag[1], tag.end()
        many = body.startswith(("\n", "\r\n"), start)
        end = body.rfind(f"</{name}>", start) if many else body.find(f"</{name}>", start)
        end = len(body) if end < 0 else end
        text = body[start:end]
        at = end + 1
        if name in values:
            continue
        if "\n" in text:
            values[name] = text.removeprefix("\r").removeprefix("\n") if many else text
        else:
            values[name] = text if name in ("old_text", "new_text") else text.strip()
    return values
