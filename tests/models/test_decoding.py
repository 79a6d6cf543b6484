"""Any bytes give a reply or a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.models.decoding import read_completion, read_error
from backdate.models.interface import ModelFailure, Reply
from backdate.models.retry import wait_before_next
from backdate.models.settings import Patience
from backdate.models.streaming import StreamedReply

KEYS = ["choices", "message", "delta", "content", "tool_calls", "function", "name", "arguments", "index"]
KEYS += ["usage", "prompt_tokens", "finish_reason", "refusal", "error", "id", "prompt_tokens_details"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("stop"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)
COMPLETIONS = st.fixed_dictionaries(
    {"choices": st.lists(st.fixed_dictionaries({"message": VALUES}), max_size=2)}, optional={"usage": VALUES}
)


@given(st.binary(max_size=60) | (VALUES | COMPLETIONS).map(lambda value: json.dumps(value).encode()))
def test_any_body_is_a_reply_or_a_failure(data: bytes) -> None:
    assert isinstance(read_completion(data), Reply | ModelFailure)
    assert isinstance(read_error(500, data), ModelFailure)


@given(
    st.lists(st.fixed_dictionaries({"choices": st.lists(VALUES, max_size=2)}) | VALUES, max_size=5),
    st.integers(1, 30),
)
def test_any_stream_is_a_reply_or_a_failure(chunks: list[Any], size: int) -> None:
    data = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    streamed = StreamedReply(max_bytes=1000)
    for place in range(0, len(data), size):
        failure = streamed.feed(data[place : place + size])
        if failure is not None:
            assert isinstance(failure, ModelFailure)
            return
    assert isinstance(streamed.finish(), Reply | ModelFailure)


def test_arguments_that_come_as_an_object_are_taken() -> None:
    call = {"function": {"name": "look", "arguments": {"a": 1}}}
    body = {"choices": [{"message": {"content": [{"type": "text", "text": "hi"}], "tool_calls": [call]}}]}
    reply = read_completion(json.dumps(body).encode())
    assert isinstance(reply, Reply)
    assert reply.text == "hi"
    assert (reply.tool_calls[0].id, reply.tool_calls[0].arguments) == ("call_0", '{"a": 1}')


@pytest.mark.parametrize(
    "end", [b'data: {"choices"', b"data: {", b'data: {"choices":[{"delta":{"content":"b']
)
def test_a_stream_that_is_cut_within_a_line_is_broken_and_asked_again(end: bytes) -> None:
    streamed = StreamedReply(max_bytes=1000)
    assert streamed.feed(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' + end) is None
    failure = streamed.finish()
    assert isinstance(failure, ModelFailure)
    assert failure.kind == "stream-broken"
    assert wait_before_next(failure, 1, Patience(), 0.5) is not None
