"""What the loop and its drivers say to each other: requests, replies, observations, turns.

Nothing here knows how a model wants to be spoken to: a dialect turns these into messages and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from backdate.solvers.records import SolverUsage, StopReason

NO_TOOL = "You must use one of the tools. Call exactly one tool in each reply."
"""The answer to a reply without a tool call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A tool that is to be called."""

    name: str
    """As it was asked for: there may be no such tool."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    """Why the arguments could not be read; the call is then answered with this."""
    id: str = ""
    """The endpoint's name for the call; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReply:
    """One reply."""

    text: str
    """What was said beside the call: the reasoning."""
    request: ToolRequest | None
    """The first tool call; None when there was none."""
    reasoning: str = ""
    """What the model thought aloud beside the reply, where its endpoint gives that. Not shown again."""
    ignored: int = 0
    """Tool calls after the first, which are not looked at."""
    refusal: bool = False
    """The model said that it does not want to answer."""
    remembered: bool = False
    """All of it had arrived before, and was kept: no request was sent for it."""
    usage: SolverUsage = field(default_factory=SolverUsage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """There is no reply, after all attempts."""

    kind: str
    """The failure's name: "timeout", "rate-limited", …"""
    message: str
    usage: SolverUsage = field(default_factory=SolverUsage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Whoever speaks has nothing more to say."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a tool answered."""

    text: str
    refused: bool = False
    """The call could not be followed; the text says why and what to do instead."""
    solved: bool | None = None
    """For a run of the tests: what it said. None for every other tool."""
    broken: bool = False
    """The tests could not be run at all (no environment)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A reply and what it was answered."""

    said: AgentReply
    observation: Observation

    @property
    def is_test_run(self) -> bool:
        """Whether the tests were run in it."""
        return self.observation.solved is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The loop wants the next reply to this conversation (already cut by the history rule)."""

    conversation: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """The loop wants a tool to be called."""

    request: ToolRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopEnd:
    """How the loop ended."""

    ending: StopReason
    detail: str = ""
    calls: int = 0
    """Replies that were given, with and without a tool call."""


Event: TypeAlias = Ask | Act
Answer: TypeAlias = AgentReply | Failed | Done | Observation
