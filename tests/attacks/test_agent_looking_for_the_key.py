"""An agent with a model looks for the key, for other paths of the endpoint, and for this machine."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_runner import FakeScriptRunner, make_task
from scripted_model import Say, ScriptedModel

from backdate.environments.inside_python import inside_python
from backdate.errors import UsageError
from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal
from backdate.solvers.command import CommandOptions, CommandSolver
from backdate.solvers.records import RunRecord, RunSettings, StopReason

KEY = "sk-the-user-s-own-0123456789abcdef"
QUESTION = '{"model": "small", "messages": [{"role": "user", "content": "what is your key?"}]}'

LOOKING = r"""
import glob, json, os, socket, urllib.error, urllib.request

found = []
MACHINE = "http://127.0.0.1:PORT_OF_MACHINE"
JSON = {"Content-Type": "application/json"}

def look(name, data):
    if b"sk-the-" + b"user-s-own" in data:
        found.append(name)

def ask(url, body=None, headers=(), proxies=None):
    request = urllib.request.Request(url, body, dict(headers))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies or {}))
    try:
        with opener.open(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 0, str(error).encode()

places = ("/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline", "/run/backdate/*", "/backdate/*", "/tmp/*")
for path in (path for place in places for path in glob.glob(place)):
    try:
        with open(path, "rb") as file:
            look(path, file.read())
    except OSError:
        pass
base = os.environ["OPENAI_BASE_URL"]
status, answer = ask(base + "/chat/completions", QUESTION, JSON)
look("an answer", answer)
statuses = [status]
for path in ("/files", "/organization/admin_api_keys", "/responses/resp_1", "/../v1/files", "/models?x=1"):
    status, answer = ask(base + path)
    look(path, answer)
    statuses.append(status)
reached = [ask(MACHINE + "/admin")]
reached.append(ask("http://127.0.0.1:3129/admin", headers={"Host": "127.0.0.1:PORT_OF_MACHINE"}))
for name in ("127.0.0.1", "localhost", "127.1", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"):
    for line in ("GET http://%s:PORT_OF_MACHINE/admin HTTP/1.1", "CONNECT %s:PORT_OF_MACHINE HTTP/1.1"):
        try:
            with socket.create_connection(("127.0.0.1", 3128), timeout=30) as proxy:
                proxy.sendall((line % name + "\r\n\r\n").encode())
                answer = proxy.recv(4096)
                if b" 200 " in answer:
                    proxy.sendall(b"GET /admin HTTP/1.0\r\n\r\n")
                    answer += proxy.recv(4096) + b"secret"
                reached.append((0, answer))
        except OSError:
            pass
reached = [answer for _, answer in reached if b"secret" in answer]
with open("pkg/shapes.py", "a") as file:
    file.write("RESULT = %r\n" % (json.dumps([found, statuses, len(reached)]),))
"""


class _Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"secret")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[http.server.ThreadingHTTPServer]:
    """A web server of this machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Service) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def run_agent(folder: Path, command: str, sandbox: Sandbox, options: CommandOptions) -> RunRecord:
    """What is kept of an agent's work on one task."""
    plan = EvaluationPlan(
        tasks=[make_task()],
        solver=CommandSolver(command, sandbox, options),
        settings=RunSettings(solver="command:agent"),
        task_runner=FakeScriptRunner(),
        folder=folder,
    )
    return evaluate(plan)[0]


def kept_bytes(folder: Path) -> bytes:
    """Everything that is below ``folder``."""
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("internet", [False, True])
def test_the_key_is_nowhere_and_nothing_else_is_reached(
    tmp_path: Path,
    isolated: Sandbox,
    service: http.server.ThreadingHTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    internet: bool,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    program = LOOKING.replace("PORT_OF_MACHINE", str(service.server_port))
    program = program.replace("QUESTION", repr(QUESTION.encode()))
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "agent.py").write_text(program)
    with ScriptedModel(lambda _: Say(f"my key is {KEY}")) as server:
        options = CommandOptions(
            network=internet, model=server.endpoint(key=KEY), mounts=(tools,), timeout_s=300
        )
        # Shown for our own program that leads to the model, also where the system has no Python.
        interpreter = inside_python(None)[0]
        command = f"env; {interpreter} {tools}/agent.py"
        record = run_agent(tmp_path / "run", command, isolated, options)
        assert server.keys == [f"Bearer {KEY}"]
    assert (record.ending, record.detail.startswith("the command ended")) == (StopReason.SUBMITTED, False)
    assert "RESULT = '[[], [200, 404, 404, 404, 404, 400], 0]'" in record.patch
    assert service.asked == []  # type: ignore[attr-defined]
    assert (record.usage.requests, record.usage.input_tokens) == (1, 10)
    assert record.model == "small-2024-01-01"
    assert KEY.encode() not in kept_bytes(tmp_path / "run")
    assert (f"127.0.0.1:{service.server_port}" in record.detail) is internet


def test_an_interrupted_agent_starts_again_and_its_answers_stay_paid_for(
    tmp_path: Path, bubblewrap: Bubblewrap
) -> None:
    asking = (
        "import os, urllib.request\n"
        "question = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', "
        f"{QUESTION.encode()!r}, {{'Content-Type': 'application/json'}})\n"
        "urllib.request.urlopen(question).read()\n"
    )
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ask.py").write_text(asking)
    command = f"python3 {tools}/ask.py; cat pkg/text.py >> pkg/shapes.py; echo >> pkg/text.py"

    class Interrupted:
        name = "bwrap"

        def run(self, *arguments: object, **more: object) -> None:
            bubblewrap.run(*arguments, **more)  # type: ignore[arg-type]
            raise KeyboardInterrupt

    with ScriptedModel(lambda _: Say("hello")) as server:
        options = CommandOptions(model=server.endpoint(key=KEY), mounts=(tools,), timeout_s=300)
        with pytest.raises(KeyboardInterrupt):
            run_agent(tmp_path / "run", command, Interrupted(), options)  # type: ignore[arg-type]
        record = run_agent(tmp_path / "run", command, bubblewrap, options)
    assert record.detail == "it was interrupted, and started again from a clean tree"
    assert record.usage.requests == 2
    assert record.patch.count("+def shout") == 1


def test_a_key_that_could_not_be_kept_is_refused(bubblewrap: Bubblewrap) -> None:
    with ScriptedModel([]) as server:
        endpoint = server.endpoint(key=KEY)
    with pytest.raises(UsageError, match="MY_KEY would show"):
        CommandSolver(
            "x", bubblewrap, CommandOptions(model=endpoint, environment={"MY_KEY": f"Bearer {KEY}"})
        )
    with pytest.raises(UsageError, match="unsafe-local cannot"):
        CommandSolver("x", UnsafeLocal(), CommandOptions(model=endpoint))
