"""Which requests a command in a sandbox may send to the model's endpoint with the user's key.

The key opens more than the model: stored files, other conversations, the account. So only those paths are
passed that ask a model something, and no request that lets the endpoint reach the network for its sender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backdate.models.decoding import parse_json

PREFIX = "/v1"
"""Below it the endpoint's paths are seen inside, whatever its own base URL is."""
LONGEST_BODY = 32 * 1024 * 1024

_PATHS = {
    "/chat/completions": "POST",
    "/completions": "POST",
    "/responses": "POST",
    "/embeddings": "POST",
    "/models": "GET",
}
_OWN_TOOLS = frozenset(("function", "custom", "local_shell", "apply_patch"))
"""Kinds of tools that the sender itself runs. All others (web search, MCP, …) the endpoint runs."""
_REACHING = ("web_search_options", "plugins", "mcp_servers")
"""Fields by which endpoints are asked to search the web, or to reach other servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRequest:
    """What is not passed on, and why."""

    status: int
    why: str


def endpoint_path(method: str, path: bytes, query: bytes) -> str | RefusedRequest:
    """The path below the endpoint's base URL that is asked for, exactly as written."""
    text = path.decode("latin-1")
    below = text.removeprefix(PREFIX)
    wanted = _PATHS.get(below) if text.startswith(f"{PREFIX}/") else None
    if wanted is None:
        shown = ", ".join(f"{PREFIX}{one}" for one in _PATHS)
        return RefusedRequest(status=404, why=f"only {shown} are passed on to the model's endpoint")
    if method != wanted:
        return RefusedRequest(status=405, why=f"{text} takes {wanted}")
    if query:
        return RefusedRequest(status=400, why="a query is not passed on")
    return below


def asked_model(path: str, body: bytes) -> str | RefusedRequest:
    """The name of the model that a request asks; empty for a list of models."""
    if path == "/models":
        return (
            "" if not body else RefusedRequest(status=400, why="a list of models is asked for without a body")
        )
    try:
        question = parse_json(body)
    except ValueError as error:
        return RefusedRequest(status=400, why=f"the body is not JSON ({error})")
    if not isinstance(question, dict) or not isinstance(question.get("model"), str):
        return RefusedRequest(status=400, why="the body is no JSON object that names a model")
    reaching = next((name for name in _REACHING if question.get(name)), None) or _hosted_tool(question)
    if reaching:
        why = f"{reaching!r} lets the endpoint reach the network, which this task does not allow"
        return RefusedRequest(status=403, why=why)
    name: str = question["model"]
    return name


def _hosted_tool(question: dict[str, Any]) -> str:
    """The kind of the first tool that the endpoint would run; empty without one."""
    tools = question.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        kind = tool.get("type", "function") if isinstance(tool, dict) else tool
        if kind not in _OWN_TOOLS:
            return str(kind)[:100]
    return ""
