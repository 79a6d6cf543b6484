"""Solvers of questions about snippets that need nothing but the row: null, gold, replay; and models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from backdate.errors import UsageError
from backdate.evaluation.snippets.answers import SnippetReply
from backdate.models.interface import Model, Reply
from backdate.serial import from_builtins, read_limited
from backdate.snippets.derived import derived_reference
from backdate.snippets.gitchameleon import snippet_id
from backdate.snippets.questions.code import CODE_ASKS
from backdate.snippets.questions.prompts import prompt_of
from backdate.snippets.snippet import ApiChangeKind, Snippet, SnippetAsk

NOT_DERIVABLE = "not-derivable"
PUBLISHED_ANSWERS = ("answer", "solution", "output")
"""Where the published scorer looks for the code of an answer, in this order."""
_LARGEST_FILE = 2 * 1024 * 1024 * 1024


class NullSnippets:
    """Does nothing: no name, no change, the code as it was."""

    name = "null"
    deterministic = True

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:  # noqa: ARG002
        """See ``SnippetSolver``."""
        if ask in CODE_ASKS:
            return SnippetReply(text=snippet.code)
        return SnippetReply(text='{"names": []}' if ask is SnippetAsk.LOCATE else '{"changes": []}')


class GoldSnippets:
    """Answers with what the row itself says, where that can be derived."""

    name = "gold"
    deterministic = True

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:  # noqa: ARG002
        """See ``SnippetSolver``."""
        if ask in CODE_ASKS:
            reference = snippet.reference or derived_reference(snippet)
            if not reference:
                return SnippetReply(problem=NOT_DERIVABLE, detail="the row has no known solution")
            return SnippetReply(text=reference)
        if ask is SnippetAsk.LOCATE:
            return SnippetReply(text=json.dumps({"names": [api.name for api in snippet.apis]}))
        if not any(api.change is not ApiChangeKind.UNKNOWN for api in snippet.apis):
            return SnippetReply(problem=NOT_DERIVABLE, detail="the row does not say what changed")
        changes = [
            {
                "name": api.name,
                "change": api.change.value,
                "version": api.version,
                "replacement": api.replacement,
            }
            for api in snippet.apis
        ]
        return SnippetReply(text=json.dumps({"changes": changes}))


class ReplayLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file of answers."""

    snippet: str
    ask: SnippetAsk
    sample: int = 0
    reply: str


class ReplaySnippets:
    """Answers from a file: JSON, one ``{"snippet": …, "ask": …, "sample": 0, "reply": …}`` a line.

    A run's own ``answers.jsonl`` is read, too, and GitChameleon's published form: ``{"example_id": …,
    "answer": …}``, of which the further lines of one id are further samples. Raises UsageError for others.
    """

    deterministic = False

    def __init__(self, path: Path) -> None:
        self.name = f"replay:{path}"
        self._replies = _read_replies(path)

    @property
    def samples(self) -> int:
        """How many samples the file has."""
        return 1 + max((sample for _, _, sample in self._replies), default=0)

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:
        """See ``SnippetSolver``."""
        reply = self._replies.get((snippet.id, ask, sample))
        if reply is None:
            return SnippetReply(problem="no-line", detail="the file of answers has none for this")
        return SnippetReply(text=reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSnippets:
    """Asks a model."""

    name: str
    models: Sequence[Model]
    """One a sample: each sends another seed."""
    deterministic: bool = False

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:
        """See ``SnippetSolver``."""
        answer = self.models[sample].ask(prompt_of(snippet, ask))
        usage = answer.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens) if usage is not None else (0, 0)
        if not isinstance(answer, Reply):
            return SnippetReply(
                problem=answer.kind,
                detail=answer.message,
                prompt_tokens=tokens[0],
                completion_tokens=tokens[1],
                again=True,
                final=answer.is_final,
            )
        return SnippetReply(
            text=answer.text or answer.refusal or "",
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            model=answer.model,
        )


def _read_replies(path: Path) -> Mapping[tuple[str, SnippetAsk, int], str]:
    replies: dict[tuple[str, SnippetAsk, int], str] = {}
    data = read_limited(path, limit=_LARGEST_FILE, what="the file of answers")
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            if isinstance(value, dict) and isinstance(value.get("reply"), dict):  # a run's own line
                value["reply"] = value["reply"].get("text", "")
            if isinstance(value, dict) and "example_id" in value:
                read = _published(value, replies)
            else:
                read = from_builtins(ReplayLine, value)
        except (ValueError, RecursionError) as error:  # msgspec's ValidationError is one
            raise UsageError(
                f'{path}, line {number} is no answer ({error}); write {{"snippet": ID, "ask": '
                '"locate", "sample": 0, "reply": TEXT}'
            ) from error
        replies[read.snippet, read.ask, read.sample] = read.reply
    return replies


def _published(value: dict[str, object], before: Mapping[tuple[str, SnippetAsk, int], str]) -> ReplayLine:
    """An answer in GitChameleon's form; which sample it is depends on those ``before``. Raises ValueError."""
    name = next((name for name in PUBLISHED_ANSWERS if name in value), PUBLISHED_ANSWERS[0])
    line = from_builtins(
        ReplayLine,
        {"snippet": value["example_id"], "ask": SnippetAsk.COMPLETE.value, "reply": value.get(name)},
    )
    snippet, sample = snippet_id(line.snippet), 0
    while (snippet, line.ask, sample) in before:
        sample += 1
    return msgspec.structs.replace(line, snippet=snippet, sample=sample)
