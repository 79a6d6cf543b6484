"""Errors that failing tests never show, as something on the way catches them.

A view answers with status 500, a serializer leaves a field out, a program says "no such file" and exits: the
test sees that, and not the ``AttributeError`` behind it. The tracer sees what reaches the project's lines.
What reaches none of them where the tests pass is laid to the update.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from backdate.diagnosis.diagnose import diagnose
from backdate.diagnosis.result import CauseKind, Failure
from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.environments.environment import Environment
from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes
from backdate.sandboxes.interface import Sandbox
from backdate.testing.canaries import code_in
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun
from backdate.testing.tracing import SeenError, TraceRequest, TracingSandbox
from backdate.text import first_line

_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")
_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError"})
_LARGEST_FILE = 2 * 1024 * 1024
_SAYS_NOTHING = frozenset({CauseKind.ASSERTION, CauseKind.UNKNOWN})


def tracing(files: Iterable[str], folder: Path) -> Callable[[Sandbox], Sandbox]:
    """What makes a sandbox trace which errors reach lines of ``files``, into ``folder``, which exists."""
    request = TraceRequest(files=dict.fromkeys(files, ()), errors=True)
    return lambda inner: TracingSandbox(inner, request, folder)


def caught_failures(
    seen: Iterable[SeenError],
    known: Iterable[SeenError],
    run: SuiteRun,
    environment: Environment | None,
    *,
    tree: Path,
    before: Environment | None,
) -> tuple[Failure, ...]:
    """What ``seen`` errors are about, without those that are among ``known`` ones, which are ordinary, and
    without imports of ``tree`` for whose failing the code is ready.

    Each is the failure of a test that is called as its line, ``app.py:12``: which tests meet an error is not
    recorded. ``run``: the one that was traced. ``before`` as of ``diagnose``.
    """
    ordinary = set(map(_key, known))
    met = [one for one in seen if _key(one) not in ordinary and not _is_of_trace(one)]
    met = [one for one in met if not _is_expected(one, tree)]
    cases = tuple(
        CaseResult(id=f"{one.file}:{one.line}", outcome=Outcome.ERROR, duration_s=0.0, raised=one.chain)
        for one in met
    )
    good = tuple(result for result in run.results if not result.outcome.bad)
    told = replace(run, status="completed", raised=(), results=(*good, *cases))
    failures = diagnose(told, environment, tree=tree, before=before).failures
    return tuple(one for one in failures if one.cause.kind not in _SAYS_NOTHING)


def _is_of_trace(error: SeenError) -> bool:
    """Whether no code of the project made it: a canary raised it, or the tracing (what Cython 3.1 compiled
    tells the interpreter wrongly)."""
    last = error.chain[-1]
    of_canary = any(code_in(frame.function) is not None for frame in last.frames[:1])
    return of_canary or last.message.startswith("Firing event ")


def _is_expected(error: SeenError, tree: Path) -> bool:
    """Whether it is a failed import in a ``try`` that says what is done then: it is no cause of anything."""
    if error.chain[-1].type.rpartition(".")[2] not in _IMPORTS:
        return False
    try:
        data = read_bytes(tree, error.file, limit=_LARGEST_FILE)
        parsed = parse_source(data or b"")
    except (ConfigurationError, *UNPARSABLE):
        return False
    return any(
        isinstance(node, ast.Try)
        and any(first.lineno <= error.line <= (first.end_lineno or first.lineno) for first in node.body)
        and any(_handles_imports(handler) for handler in node.handlers)
        for node in ast.walk(parsed)
    )


def _handles_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(one, ast.Name) and one.id in _IMPORTS for one in caught)


def _key(error: SeenError) -> tuple[str, str, str, str]:
    """What makes errors of two sides one; lines are not the same on both."""
    last = error.chain[-1]
    function = last.frames[0].function if last.frames else ""
    return error.file, function, last.type, _NUMBERS.sub("0", first_line(last.message, most=300))
