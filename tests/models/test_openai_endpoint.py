"""Asking over real HTTP, and everything that an endpoint does wrong."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from scripted_model import Call, Cut, Hang, Raw, Say, ScriptedModel, Status, megabyte, refuse

from backdate.errors import UsageError
from backdate.models.interface import (
    Answer,
    Message,
    ModelFailure,
    Reply,
    TokenUsage,
    ToolCall,
    ToolDefinition,
)
from backdate.models.model_name import parse_endpoint
from backdate.models.openai_endpoint import OpenAIModel
from backdate.models.settings import ModelSettings, Patience, Sampling

QUESTION = (Message(role="user", text="what is it?"),)
TOOL = ToolDefinition(name="look", description="Look.", parameters={"type": "object", "properties": {}})


def ask(
    server: ScriptedModel,
    *,
    stream: bool = False,
    timeout_s: float = 20,
    attempts: int = 3,
    sleeps: list[float] | None = None,
    conversation: tuple[Message, ...] = QUESTION,
    **question: Any,
) -> Answer:
    patience = Patience(timeout_s=timeout_s, attempts=attempts)
    waited: list[float] = [] if sleeps is None else sleeps
    model = OpenAIModel(
        server.endpoint(), ModelSettings(patience=patience, stream=stream), sleep=waited.append
    )
    try:
        return model.ask(conversation, **question)
    finally:
        model.close()


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_comes_with_all_its_parts(stream: bool) -> None:
    said = Say(
        "thinking done\n" * 9,
        calls=[Call("look", {"at": "ü"}), Call("odd", "not json")],
        usage=(100, 20, 64),
        reasoning="hm",
    )
    with ScriptedModel([said]) as server:
        reply = ask(server, stream=stream, tools=[TOOL], stop=["END"])
    assert reply == Reply(
        text="thinking done\n" * 9,
        tool_calls=(
            ToolCall(id="call_0", name="look", arguments=json.dumps({"at": "ü"})),
            ToolCall(id="call_1", name="odd", arguments="not json"),
        ),
        reasoning="hm",
        finish_reason="tool-calls",
        usage=TokenUsage(prompt_tokens=100, completion_tokens=20, cached_tokens=64),
        model="scripted-2024-01-01",
    )
    (sent,) = server.requests
    assert sent["temperature"] == 0.0
    assert sent["seed"] == 0
    assert sent["stop"] == ["END"]
    assert sent["tools"][0]["function"]["name"] == "look"
    assert server.keys == ["Bearer sk-test-key"]


def test_a_conversation_is_sent_as_it_was() -> None:
    conversation = (
        Message(role="system", text="be brief"),
        Message(role="assistant", text="", tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),)),
        Message(role="tool", text="saw \udcff", tool_call_id="c1"),
    )
    with ScriptedModel([Say("ok")]) as server:
        assert isinstance(ask(server, conversation=conversation), Reply)
    system, assistant, tool = server.requests[0]["messages"]
    assert system == {"role": "system", "content": "be brief"}
    assert assistant["tool_calls"][0]["function"] == {"name": "look", "arguments": "{}"}
    assert tool == {"role": "tool", "content": "saw \\udcff", "tool_call_id": "c1"}


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_of_the_model_is_a_reply_that_says_so(stream: bool) -> None:
    with ScriptedModel([refuse("no"), Say("", finish="content_filter")]) as server:
        first, second = ask(server, stream=stream), ask(server, stream=stream)
    assert isinstance(first, Reply)
    assert first.refusal == "no"
    assert isinstance(second, Reply)
    assert second.refusal == ""


def test_tokens_that_were_not_counted_stay_unknown() -> None:
    with ScriptedModel([Say("x", usage=None)]) as server:
        reply = ask(server)
    assert isinstance(reply, Reply)
    assert reply.usage is None


@pytest.mark.parametrize("stream", [False, True])
def test_a_megabyte_is_not_read(stream: bool) -> None:
    with ScriptedModel([megabyte()]) as server:
        failure = ask(server, stream=stream)
    assert isinstance(failure, ModelFailure)
    assert failure.kind == "answer-too-large"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Raw(b"<html>oops"), "bad-answer"),
        (Raw(b"[]"), "bad-answer"),
        (Raw(b"{}"), "bad-answer"),
        (Raw(b'{"choices": [{"message": {"tool_calls": [{"id": 1}]}}]}'), "bad-answer"),
        (Raw(b"[" * 100_000), "bad-answer"),
        (Raw(b'{"error": {"message": "upstream died"}}'), "endpoint-down"),
        (Status(400, "This model's maximum context length is 8192 tokens"), "context-too-long"),
        (Status(400, "too long", error_code="context_length_exceeded"), "context-too-long"),
        (Status(400, "blocked", error_code="content_filter"), "refused"),
        (Status(400, "temperature is not supported"), "request-rejected"),
        (Status(401, "bad key sk-test-key"), "unauthorised"),
        (Status(404, "no such model"), "no-such-model"),
        (Status(429, "pay", error_code="insufficient_quota"), "quota-used-up"),
        (Status(302, headers={"location": "https://elsewhere.example/"}), "request-rejected"),
    ],
)
def test_a_failure_has_its_name_and_is_not_asked_again_in_vain(answer: Any, kind: str) -> None:
    with ScriptedModel([answer] * 3) as server:
        failure = ask(server)
    assert isinstance(failure, ModelFailure)
    assert failure.kind == kind
    assert "sk-test-key" not in failure.message
    assert len(server.requests) == (3 if kind == "endpoint-down" else 1)
    assert failure.attempts == len(server.requests)
    assert failure.is_final == (kind in ("unauthorised", "no-such-model", "quota-used-up"))


def test_waits_double_and_honour_retry_after() -> None:
    script = [Status(500), Status(429, headers={"Retry-After": "7"}), Status(503), Say("at last")]
    sleeps: list[float] = []
    with ScriptedModel(script) as server:
        reply = ask(server, attempts=4, sleeps=sleeps)
    assert isinstance(reply, Reply)
    assert reply.attempts == 4
    assert 0.5 <= sleeps[0] <= 1
    assert sleeps[1] == 7
    assert 2 <= sleeps[2] <= 4


def test_an_endpoint_that_wants_too_long_a_wait_is_left() -> None:
    with ScriptedModel([Status(429, headers={"Retry-After": "3600"}), Say("never")]) as server:
        failure = ask(server)
    assert isinstance(failure, ModelFailure)
    assert (failure.kind, failure.retry_after_s, failure.attempts) == ("rate-limited", 3600, 1)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.7])
def test_a_connection_that_breaks_is_asked_again(stream: bool, share: float) -> None:
    with ScriptedModel([Cut(share=share), Say("whole"), Cut(share=share)]) as server:
        reply, failure = ask(server, stream=stream), ask(server, stream=stream, attempts=1)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.attempts) == ("whole", 2)
    assert isinstance(failure, ModelFailure)
    assert failure.kind == "stream-broken"


def test_a_stream_that_just_ends_is_broken() -> None:
    piece = b'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'
    with ScriptedModel([Raw(piece, "text/event-stream")]) as server:
        failure = ask(server, stream=True, attempts=1)
    assert isinstance(failure, ModelFailure)
    assert failure.kind == "stream-broken"


@pytest.mark.parametrize("stream", [False, True])
def test_an_endpoint_that_hangs_is_a_timeout(stream: bool) -> None:
    with ScriptedModel([Hang()]) as server:
        failure = ask(server, stream=stream, timeout_s=0.3, attempts=1)
    assert isinstance(failure, ModelFailure)
    assert failure.kind == "timeout"


def test_nobody_there() -> None:
    with ScriptedModel([]) as server:
        endpoint = server.endpoint()
    model = OpenAIModel(endpoint, ModelSettings(patience=Patience(attempts=2)), sleep=lambda _: None)
    failure = model.ask(QUESTION)
    model.close()
    assert isinstance(failure, ModelFailure)
    assert (failure.kind, failure.attempts) == ("endpoint-down", 2)


def test_what_is_sampled_differently_is_sent_so() -> None:
    sampling = Sampling(
        temperature=None,
        seed=7,
        max_tokens=100,
        max_tokens_field="max_completion_tokens",
        extra={"reasoning_effort": "low"},
    )
    with ScriptedModel([Say("x")]) as server:
        model = OpenAIModel(server.endpoint(), ModelSettings(sampling=sampling))
        model.ask(QUESTION)
        model.close()
    (sent,) = server.requests
    assert "temperature" not in sent
    assert (sent["seed"], sent["max_completion_tokens"], sent["reasoning_effort"]) == (7, 100, "low")


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UsageError, match=r"backdate\[models\]"):
        OpenAIModel(parse_endpoint("m@http://localhost:1/v1", environment={}))
