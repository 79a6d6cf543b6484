"""What a model is asked. The words follow CodeMEnv's three tasks (arXiv 2506.00894) and GitChameleon's."""

from __future__ import annotations

from backdate.models.interface import Message
from backdate.snippets.snippet import Language, Snippet, SnippetAsk, SnippetSide

PROMPT_VERSION = 1
"""Of these words: a run that was asked with others is another run."""
_SYSTEM = (
    "You know how the interfaces of programming libraries change from version to version. Answer in exactly "
    "the form that is asked for, and add nothing to it."
)
_LOCATE = """\
The code below is written for {origin}. It is to be used with {target}.
Name every function, method or class that the code uses and that is not compatible with {target}.

Answer with JSON alone, full dotted names without arguments:
{{"names": ["package.module.function"]}}"""
_EXPLAIN = """\
The code below is written for {origin}. It is to be used with {target}.
These names that it uses are not compatible with {target}:
{names}

Say for each of them what changed ("added": older versions do not have it; "removed": newer versions do not \
have it, or announce that; "moved": newer versions have it elsewhere or by another name; "signature": other \
arguments; "behaviour"), in which version, and what is used instead ("" if nothing is).

Answer with JSON alone:
{{"changes": [{{"name": "package.function", "change": "removed", "version": "1.2", \
"replacement": "package.other"}}]}}"""
_MIGRATE = """\
The code below works with {origin}. Change it so that it works with {target} and gives the same for the same \
arguments. Keep the name and the parameters of the function {entry}.

Answer with the whole module in one Python code block: its imports and the function, nothing that calls it."""
_COMPLETE = """\
Complete the function of the code below. It has to work with {target}.
{problem}
Answer with the whole module in one Python code block: imports and the complete function, nothing that calls \
it."""
_JAVA_LOCATE = """\
Name every class, interface or member that the Java code below uses and that a newer JDK deprecates or no \
longer has.

Answer with JSON alone, full names with their packages:
{{"names": ["package.Class"]}}"""
_JAVA_EXPLAIN = """\
Newer JDKs deprecate or no longer have these names, which the Java code below uses:
{names}

Say for each of them what changed ("removed", "moved", "signature", "behaviour") and what is used instead \
("" if nothing is).

Answer with JSON alone:
{{"changes": [{{"name": "package.Class", "change": "removed", "version": "", "replacement": ""}}]}}"""


def prompt_of(snippet: Snippet, ask: SnippetAsk) -> tuple[Message, ...]:
    """The conversation that asks it. Nothing of what is expected is in it; "explain" names the names."""
    template = _template(snippet, ask)
    question = template.format(
        origin=_side(snippet, snippet.origin),
        target=_side(snippet, snippet.target),
        names="\n".join(f"- {api.name}" for api in snippet.apis),
        entry=snippet.entry or "that it defines",
        problem=f"\n{snippet.problem.strip()}\n" if snippet.problem.strip() else "",
    )
    fence = "````" if "```" in snippet.code else "```"
    code = f"{fence}{snippet.language.value}\n{snippet.code.rstrip()}\n{fence}"
    shown = snippet.visible.script.strip() if ask is SnippetAsk.COMPLETE and snippet.visible else ""
    tests = f"\n\nIt has to pass these tests, and others:\n\n```python\n{shown}\n```" if shown else ""
    return (
        Message(role="system", text=_SYSTEM),
        Message(role="user", text=f"{question}\n\n{code}{tests}"),
    )


def _template(snippet: Snippet, ask: SnippetAsk) -> str:
    java = snippet.language is Language.JAVA
    match ask:
        case SnippetAsk.LOCATE:
            return _JAVA_LOCATE if java else _LOCATE
        case SnippetAsk.EXPLAIN:
            return _JAVA_EXPLAIN if java else _EXPLAIN
        case SnippetAsk.MIGRATE:
            return _MIGRATE
        case SnippetAsk.COMPLETE:
            return _COMPLETE


def _side(snippet: Snippet, side: SnippetSide | None) -> str:
    if side is None:
        return "another version"
    if snippet.library == "python":
        return f"Python {side.version}"
    return f"{snippet.library} {side.version} (Python {side.python})"
