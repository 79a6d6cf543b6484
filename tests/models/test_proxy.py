"""The proxy between a sandbox and a model's endpoint, from the sandbox's side of its socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import httpx
import pytest
from patience import PATIENCE_S
from scripted_model import Cut, Hang, Raw, Say, ScriptedModel, Status

from backdate.models.interface import TokenUsage
from backdate.models.model_name import Endpoint, parse_endpoint
from backdate.models.proxy import PLACEHOLDER, ModelProxy, PassedEnding, PassedQuestion
from backdate.models.proxy_answers import AnswerReader, KeyRemoval

KEY = "sk-secret-0123456789"
QUESTION = {"model": "small", "messages": [{"role": "user", "content": "hello"}]}


class Told(list[PassedQuestion]):
    """What the proxy tells of questions to the model."""

    sent = 0

    def question_sent(self) -> None:
        self.sent += 1

    def question_ended(self, question: PassedQuestion) -> None:
        self.append(question)


@contextmanager
def behind(endpoint: Endpoint) -> Iterator[tuple[httpx.Client, Told]]:
    """A client at the proxy's socket, and what the proxy tells of the questions; each has an end."""
    told = Told()
    with ModelProxy(endpoint, told) as proxy:
        transport = httpx.HTTPTransport(uds=str(proxy.mounts[0].source))
        with httpx.Client(transport=transport, base_url="http://inside", timeout=PATIENCE_S) as client:
            yield client, told
    assert told.sent == len(told)


def test_the_key_is_added_and_nothing_of_the_sender_s_goes_on(monkeypatch) -> None:
    with ScriptedModel([Say("hi")]) as server, behind(server.endpoint(key=KEY)) as (client, told):
        headers = {"authorization": f"Bearer {PLACEHOLDER}", "x-other": "1", "cookie": "a=b"}
        answer = client.post("/v1/chat/completions", json=QUESTION, headers=headers)
        assert answer.json()["choices"][0]["message"]["content"] == "hi"
        assert server.keys == [f"Bearer {KEY}"]
        assert server.requests == [QUESTION]
    assert told == [
        PassedQuestion(
            asked="small",
            ending=PassedEnding.ANSWERED,
            model="small-2024-01-01",
            usage=TokenUsage(prompt_tokens=10, completion_tokens=5, cached_tokens=0),
        )
    ]


def test_a_stream_passes_and_is_counted() -> None:
    with (
        ScriptedModel([Say("streamed words " * 50)]) as server,
        behind(server.endpoint(key=KEY)) as (client, told),
    ):
        question = {**QUESTION, "stream": True, "stream_options": {"include_usage": True}}
        with client.stream("POST", "/v1/chat/completions", json=question) as answer:
            lines = list(answer.iter_lines())
        assert answer.headers["content-type"] == "text/event-stream"
    assert "data: [DONE]" in lines
    assert told[0].usage == TokenUsage(prompt_tokens=10, completion_tokens=5)


def test_pieces_of_a_stream_come_one_by_one() -> None:
    """The proxy does not wait for the end of an answer."""
    seen = Event()

    class Slow(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"data: {}\n\n")
            self.wfile.flush()
            assert seen.wait(PATIENCE_S)

    with (
        _server(Slow) as url,
        behind(parse_endpoint(f"m@{url}", key=KEY)) as (client, _),
        client.stream("POST", "/v1/chat/completions", json=QUESTION) as answer,
    ):
        assert next(answer.iter_raw()) == b"data: {}\n\n"
        seen.set()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/chat/completions", 405),
        ("DELETE", "/v1/models", 405),
        ("GET", "/v1/files", 404),
        ("GET", "/v1/models/../files", 404),
        ("GET", "/v1/models/%2e%2e/files", 404),
        ("GET", "//v1/models", 404),
        ("GET", "/v1/models?after=x", 400),
        ("POST", "/chat/completions", 404),
        ("POST", "/v1/chat/completions/", 404),
        ("GET", "/v1/responses", 405),
        ("GET", "/v1/responses/resp_1", 404),
        ("POST", "/v1/fine_tuning/jobs", 404),
    ],
)
def test_other_paths_are_not_passed_on(method, path, status) -> None:
    with ScriptedModel([]) as server, behind(server.endpoint(key=KEY)) as (client, told):
        request = client.build_request(method, "/", json=QUESTION if method == "POST" else None)
        raw, _, query = path.partition("?")
        request.url = request.url.copy_with(raw_path=path.encode())
        assert (client.send(request).status_code, query != "" or raw == path) == (status, True)
        assert server.requests == []
    assert told == []


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "web_search_preview"}]},
        {"tools": [{"type": "mcp", "server_url": "https://example.org"}]},
        {"tools": ["web_search"]},
        {"web_search_options": {"search_context_size": "low"}},
        {"plugins": [{"id": "web"}]},
    ],
)
def test_the_endpoint_is_not_asked_to_reach_the_network(more) -> None:
    with ScriptedModel([]) as server, behind(server.endpoint(key=KEY)) as (client, _):
        answer = client.post("/v1/chat/completions", json={**QUESTION, **more})
        assert (answer.status_code, server.requests) == (403, [])
        assert "reach the network" in answer.json()["error"]["message"]


def test_tools_of_the_sender_are_passed_on() -> None:
    tools = [{"type": "function", "function": {"name": "ls"}}, {"type": "custom", "name": "patch"}]
    with ScriptedModel([Say("x")]) as server, behind(server.endpoint(key=KEY)) as (client, _):
        assert client.post("/v1/chat/completions", json={**QUESTION, "tools": tools}).is_success


def test_what_is_no_question_or_too_large_is_refused() -> None:
    with ScriptedModel([]) as server, behind(server.endpoint(key=KEY)) as (client, _):
        for content in (b"{", b"[]", b'{"model": 3}', b"[" * 100_000):
            assert client.post("/v1/chat/completions", content=content).status_code == 400
        body = json.dumps({**QUESTION, "padding": "x" * (33 * 1024 * 1024)})
        assert client.post("/v1/chat/completions", content=body.encode()).status_code == 413
        assert server.requests == []


def test_an_endpoint_that_quotes_the_key_does_not_tell_it() -> None:
    script = [Status(401, f"Incorrect API key provided: {KEY}."), Say(f"your key is {KEY}!")]
    with ScriptedModel(script) as server, behind(server.endpoint(key=KEY)) as (client, told):
        refused = client.post("/v1/chat/completions", json=QUESTION)
        assert (refused.status_code, KEY in refused.text, "[key]" in refused.text) == (401, False, True)
        answer = client.post("/v1/chat/completions", json=QUESTION)
        assert "your key is [key]!" in answer.text
    assert [question.ending for question in told] == [PassedEnding.REFUSED, PassedEnding.ANSWERED]


def test_redirects_are_not_followed_and_a_dead_endpoint_is_told() -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            self.send_response(307)
            self.send_header("location", "http://127.0.0.1:1/v1/chat/completions")
            self.send_header("content-length", "0")
            self.end_headers()

    with _server(Elsewhere) as url, behind(parse_endpoint(f"m@{url}", key=KEY)) as (client, told):
        answer = client.post("/v1/chat/completions", json=QUESTION)
        assert (answer.status_code, "location" in answer.headers) == (502, False)
    assert [question.ending for question in told] == [PassedEnding.REFUSED]
    with behind(parse_endpoint("m@http://127.0.0.1:9/v1", key=KEY)) as (client, told):
        answer = client.post("/v1/chat/completions", json=QUESTION)
        assert (answer.status_code, KEY in answer.text) == (502, False)
        assert client.get("/v1/models").status_code == 502
    assert [question.ending for question in told] == [PassedEnding.REFUSED]  # a list of models is no question


def test_a_question_that_its_sender_or_its_endpoint_left_is_told() -> None:
    arrived = Event()

    def hang(_: dict[str, object]) -> Hang:
        arrived.set()
        return Hang()

    with ScriptedModel(hang) as server, behind(server.endpoint(key=KEY)) as (client, told):
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=QUESTION, timeout=httpx.Timeout(PATIENCE_S, read=1))
        assert arrived.wait(PATIENCE_S)
    assert [question.ending for question in told] == [PassedEnding.LEFT]
    with (
        ScriptedModel([Cut(share=0)]) as server,
        behind(server.endpoint(key=KEY)) as (client, told),
        pytest.raises(httpx.RemoteProtocolError),
    ):
        client.post("/v1/chat/completions", json=QUESTION)
    assert [question.ending for question in told] == [PassedEnding.ANSWERED]  # it had begun to answer


def test_an_answer_that_is_cut_is_not_taken_for_a_whole_one() -> None:
    with (
        ScriptedModel([Cut(Say("x" * 1_000_000))]) as server,
        behind(server.endpoint(key=KEY)) as (client, told),
        pytest.raises(httpx.RemoteProtocolError),
    ):
        client.post("/v1/chat/completions", json=QUESTION)
    assert [answer.usage for answer in told] == [None]


def test_answers_that_are_no_json_are_passed_on_and_not_counted() -> None:
    with (
        ScriptedModel([Raw(b"\xff\x00 hello")]) as server,
        behind(server.endpoint(key=KEY)) as (client, told),
    ):
        assert client.post("/v1/chat/completions", json=QUESTION).content == b"\xff\x00 hello"
    assert told[0].usage is None


def test_the_key_is_found_however_the_bytes_are_cut() -> None:
    text = b"a sk-sk-secret-0123456789 sk-secret-012345678 sk-secret-0123456789"
    for size in range(1, len(text)):
        removal = KeyRemoval(KEY)
        pieces = [removal.feed(text[place : place + size]) for place in range(0, len(text), size)]
        assert b"".join([*pieces, removal.finish()]) == b"a sk-[key] sk-secret-012345678 [key]"
    assert KeyRemoval("").feed(b"abc") == b"abc"


def test_tokens_of_each_kind_of_answer_are_counted() -> None:
    completed = {
        "type": "response.completed",
        "response": {
            "model": "m",
            "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3}},
        },
    }
    streamed = AnswerReader("text/event-stream; charset=utf-8")
    for byte in b"event: x\r\ndata: " + json.dumps(completed).encode() + b"\r\n\r\n":
        streamed.feed(bytes([byte]))
    streamed.finish()
    assert streamed.usage == TokenUsage(prompt_tokens=9, completion_tokens=4, cached_tokens=3)
    embedded = AnswerReader("application/json")
    embedded.feed(b'{"usage": {"prompt_tokens": 8, "total_tokens": 8}}')
    embedded.finish()
    assert embedded.usage == TokenUsage(prompt_tokens=8)
    endless = AnswerReader("text/event-stream")
    for _ in range(6):
        endless.feed(b"x" * 1024 * 1024)
    endless.feed(b'\ndata: {"usage": {"prompt_tokens": 1, "completion_tokens": 1}}\n')
    endless.finish()
    assert endless.usage == TokenUsage(prompt_tokens=1, completion_tokens=1)


def test_no_key_is_no_word_to_take_out() -> None:
    with ScriptedModel([Say("none of it")]) as server:
        keyless = replace(server.endpoint(), key="none")
        with behind(keyless) as (client, _):
            assert "none of it" in client.post("/v1/chat/completions", json=QUESTION).text


@contextmanager
def _server(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
