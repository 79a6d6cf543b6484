"""Interpreters that uv can download (CPython 3.8 and newer, as built by python-build-standalone)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.environment import Interpreter
from backdate.environments.interpreter_choice import DownloadFailure
from backdate.environments.interpreters import probe_interpreter, uv_folder
from backdate.errors import StoredDataError
from backdate.serial import from_json

_LIST_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """One entry of ``uv python list --output-format json`` (the fields that matter here)."""

    version: str
    implementation: str
    variant: str = "default"


class UvDownloads:
    """What the uv at hand offers for this machine, and the downloading of it.

    A download that failed is not tried again by the same object: without a network each try takes seconds.
    """

    def __init__(self, *, uv: Path, environment: Mapping[str, str], timeout_s: float = 300.0) -> None:
        self._uv = uv
        self._folder = uv_folder(environment)
        kept = {name: value for name, value in environment.items() if not name.startswith(("UV_", "PIP_"))}
        allowed = environment.get("UV_PYTHON_DOWNLOADS")
        self._environment = {**kept, **({"UV_PYTHON_DOWNLOADS": allowed} if allowed else {})}
        self._timeout_s = timeout_s
        self._offers: tuple[str, ...] | None = None
        self._failed: dict[str, DownloadFailure] = {}

    def nearest(self, version: str) -> str | None:
        """The release on offer that is ``version``, else its minor's nearest patch; None without one."""
        if self._offers is None:
            self._offers = self._list()
        minor, _, micro = version.rpartition(".")
        same = [offer for offer in self._offers if offer.rpartition(".")[0] == minor]
        return min(same, key=lambda offer: abs(int(offer.rpartition(".")[2]) - int(micro)), default=None)

    def download(self, version: str) -> Interpreter | DownloadFailure:
        """Download and install ``version`` where uv keeps its own interpreters, in bounded time."""
        if version not in self._failed:
            result = self._download(version)
            if isinstance(result, Interpreter):
                return result
            self._failed[version] = result
        return self._failed[version]

    def _download(self, version: str) -> Interpreter | DownloadFailure:
        arguments = ("install", version, "--no-bin", "--install-dir", str(self._folder))
        code, output = self._run(*arguments, timeout_s=self._timeout_s)
        if code is None:
            return DownloadFailure(message=f"uv did not end within {self._timeout_s:.0f} s")
        if code != 0:
            return DownloadFailure(message=_last_words(output))
        minor = version.rpartition(".")[0]
        for executable in sorted(self._folder.glob(f"cpython-{version}-*/bin/python{minor}")):
            try:
                probe = probe_interpreter(executable.resolve())
            except TimeoutError as error:
                return DownloadFailure(message=str(error))
            if probe is not None and probe.usable and probe.version == version:
                return Interpreter(
                    version=version,
                    executable=executable.resolve(),
                    prefix=Path(probe.prefix),
                    source="download",
                )
        return DownloadFailure(
            message=f"what uv installed in {self._folder} does not run as Python {version}"
        )

    def _list(self) -> tuple[str, ...]:
        arguments = ("list", "--all-versions", "--only-downloads", "--output-format", "json")
        code, output = self._run(*arguments, timeout_s=_LIST_S)
        if code != 0:
            return ()
        try:
            offers = from_json(tuple[_Offer, ...], output, what="uv's list of interpreters")
        except StoredDataError:  # a uv whose list has another form offers nothing that we understand
            return ()
        ordinary = (o.version for o in offers if (o.implementation, o.variant) == ("cpython", "default"))
        return tuple(dict.fromkeys(v for v in ordinary if v.count(".") == 2 and v.replace(".", "").isdigit()))

    def _run(self, *arguments: str, timeout_s: float) -> tuple[int | None, bytes]:
        """Exit status (None at the time limit) and output; standard error follows where it failed."""
        command = [str(self._uv), "python", *arguments, "--no-config", "--no-progress", "--color", "never"]
        with subprocess.Popen(
            command,
            cwd="/",
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None, b""
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        return process.returncode, output if process.returncode == 0 else output + errors


def _last_words(output: bytes) -> str:
    lines = [line.strip() for line in output.decode("utf-8", errors="replace").splitlines() if line.strip()]
    causes = [line.removeprefix("cause:").strip() for line in lines if line.startswith("cause:")]
    return (causes or lines or ["uv said nothing"])[-1][:300]
