"""A Docker engine on this machine: every call of docker-py is here.

A failure on the way to the engine is a MachineError with its message; what the engine reports about a
container or an image is a value.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backdate.errors import MachineError, SandboxUnavailable, UsageError
from backdate.sandboxes import interruption

_TIMEOUT_S = 60
_DEFAULT_ADDRESS = "unix:///var/run/docker.sock"
_HOW_TO_START = (
    "start it (systemctl start docker), name another with DOCKER_HOST, or become a member of the group "
    "docker (which is as good as being root)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image that the engine has."""

    id: str
    volumes: tuple[str, ...]
    """Paths that the image makes writable by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """The state of a container, as the engine reports it."""

    running: bool
    exit_code: int
    out_of_memory: bool
    process: int
    """The id of its process 1 on the host; 0 when it has ended."""
    error: str


class Engine:
    """One connection; not to be shared between threads."""

    def __init__(self) -> None:
        """Raises UsageError without docker-py, SandboxUnavailable when no engine answers."""
        try:
            import docker
            import docker.utils
        except ImportError as error:
            raise UsageError(
                "the sandbox docker needs docker-py; install it: python -m pip install 'backdate[docker]'"
            ) from error
        self._errors = docker.errors
        try:
            options = docker.utils.kwargs_from_env()
            _require_answer(str(options.get("base_url", _DEFAULT_ADDRESS)))
            self._client: Any = docker.APIClient(version="auto", timeout=_TIMEOUT_S, **options)
        except (docker.errors.DockerException, OSError) as error:
            raise SandboxUnavailable(f"no Docker engine answers ({error}); {_HOW_TO_START}") from error

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    @contextlib.contextmanager
    def _errors_translated(self) -> Iterator[None]:
        try:
            yield
        except (self._errors.DockerException, OSError) as error:  # requests' errors are OSErrors
            raise MachineError(f"the Docker engine: {_message_of(error)}") from error

    def information(self) -> Mapping[str, Any]:
        """The engine's description of itself."""
        with self._errors_translated():
            return dict(self._client.info())

    def image(self, name: str) -> Image | None:
        """The image of that name or id, or None."""
        with self._errors_translated():
            try:
                description = self._client.inspect_image(name)
            except self._errors.ImageNotFound:
                return None
        volumes = (description.get("Config") or {}).get("Volumes") or ()
        return Image(id=description["Id"], volumes=tuple(volumes))

    def create(self, name: str, image: str, argv: Sequence[str], **options: Any) -> None:
        """Make a container; ``options`` as docker-py takes them, of ``create_container`` and of its host."""
        own = {key: options.pop(key) for key in ("user", "hostname", "labels")}
        with self._errors_translated():
            self._client.create_container(
                image,
                command=[],
                entrypoint=list(argv),
                name=name,
                stdin_open=True,
                working_dir="/",
                healthcheck={"test": ["NONE"]},
                host_config=self._client.create_host_config(**options),
                **own,
            )

    @contextlib.contextmanager
    def attached(self, name: str) -> Iterator[socket.socket]:
        """A container's standard input, output and error, as the engine multiplexes them."""
        with self._errors_translated():
            streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
            stream = self._client.attach_socket(name, params=streams)
        connection = getattr(stream, "_sock", None)
        if not isinstance(connection, socket.socket):
            raise SandboxUnavailable(
                "the Docker engine is not on this machine; name one that is: DOCKER_HOST"
            )
        try:
            connection.setblocking(False)
            yield connection
        finally:
            stream.close()
            connection.close()

    def start(self, name: str) -> None:
        """Start a container."""
        with self._errors_translated():
            self._client.start(name)

    def state(self, name: str) -> ContainerState:
        """The state of a container."""
        with self._errors_translated():
            state = self._client.inspect_container(name)["State"]
        return ContainerState(
            running=bool(state["Running"]),
            exit_code=int(state["ExitCode"]),
            out_of_memory=bool(state["OOMKilled"]),
            process=int(state["Pid"]),
            error=str(state["Error"]),
        )

    def kill(self, name: str) -> None:
        """Kill a container if it runs."""
        with self._errors_translated(), contextlib.suppress(self._errors.APIError):  # it has ended already
            self._client.kill(name)

    def remove(self, name: str) -> None:
        """Kill and remove a container, if there is one of that name."""
        with self._errors_translated(), contextlib.suppress(self._errors.NotFound):
            self._client.remove_container(name, force=True, v=True)

    def labelled(self, label: str) -> dict[str, str]:
        """All containers with that label: id and the label's value."""
        with self._errors_translated():
            containers = self._client.containers(all=True, filters={"label": label})
        return {container["Id"]: container["Labels"][label] for container in containers}

    def build(
        self, context: bytes, *, tag: str, memory: int, arguments: Mapping[str, str]
    ) -> tuple[str, bool]:
        """Build an image from a tar file with a Dockerfile; what was printed, and whether it was built.

        The steps have the host's network, and ``memory`` bytes; ``arguments`` are the Dockerfile's.
        """
        import io

        parts: list[str] = []
        with self._errors_translated():
            lines = self._client.build(
                fileobj=io.BytesIO(context),
                custom_context=True,
                tag=tag,
                rm=True,
                forcerm=True,
                decode=True,
                nocache=True,  # a cached answer of apt-get update is out of date
                network_mode="host",
                buildargs=dict(arguments),
                container_limits={"memory": memory, "memswap": memory},
                timeout=None,
            )
            for line in lines:
                interruption.check()
                if "error" in line:
                    return "".join((*parts, str(line["error"]))), False
                parts.append(str(line.get("stream", "")))
        return "".join(parts), True


def _require_answer(address: str) -> None:
    """Raise OSError when no engine answers at a local address (docker-py would leave its socket open)."""
    scheme, _, path = address.partition("://")
    if "unix" in scheme:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect("/" + path.lstrip("/"))


def _message_of(error: BaseException) -> str:
    explanation = getattr(error, "explanation", None)
    return str(explanation or error)
