"""Interpreters that uv can download (CPython 3.8 and newer, as built by python-build-standalone)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.environment import Interpreter
from backdate.environments.interpreter_choice import DownloadFailure
from backdate.environments.interpreters import probe_interpreter, uv_folder
from backdate.errors import StoredDataError
from backdate.serial import from_json, to_json, write_whole

_LIST_S = 60.0
REMEMBERED_S = 6 * 3600.0
"""How long a version that could not be downloaded is not tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """One entry of ``uv python list --output-format json`` (the fields that matter here)."""

    version: str
    implementation: str
    variant: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class _FailedDownload:
    """A version that could not be had."""

    at: float
    """When that was tried; seconds since 1970."""
    message: str

    def failure(self) -> DownloadFailure:
        minutes = round((time.time() - self.at) / 60)
        return DownloadFailure(message=f"{self.message} (tried {minutes} min ago)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _FailedDownloads:
    """The file of those versions."""

    versions: dict[str, _FailedDownload]


class UvDownloads:
    """What the uv at hand offers for this machine, and the downloading of it.

    A download that failed is not tried again by the same object, nor for some hours by others that share its
    ``memory``: without a network each try takes ten seconds.
    """

    def __init__(
        self,
        *,
        uv: Path,
        environment: Mapping[str, str],
        timeout_s: float = 300.0,
        memory: Path | None = None,
        allowed: bool = True,
    ) -> None:
        """``memory``: a file that keeps what could not be had. ``allowed``: False offers nothing at all."""
        self._uv = uv
        self._folder = uv_folder(environment)
        kept = {name: value for name, value in environment.items() if not name.startswith(("UV_", "PIP_"))}
        policy = environment.get("UV_PYTHON_DOWNLOADS")
        self._environment = {**kept, **({"UV_PYTHON_DOWNLOADS": policy} if policy else {})}
        self._timeout_s = timeout_s
        self._memory = memory
        self._offers: tuple[str, ...] | None = None if allowed else ()
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
            remembered = self._remembered().get(version)
            result = self._download(version) if remembered is None else remembered.failure()
            if isinstance(result, Interpreter):
                return result
            self._failed[version] = result
            if remembered is None:
                self._remember(version, result)
        return self._failed[version]

    def _remembered(self) -> dict[str, _FailedDownload]:
        """What could not be downloaded a short while ago, by version; nothing where the file is damaged."""
        if self._memory is None:
            return {}
        try:
            kept = from_json(_FailedDownloads, self._memory.read_bytes()).versions
        except (FileNotFoundError, StoredDataError):
            return {}
        return {version: one for version, one in kept.items() if 0 <= time.time() - one.at < REMEMBERED_S}

    def _remember(self, version: str, failure: DownloadFailure) -> None:
        if self._memory is not None:
            known = {**self._remembered(), version: _FailedDownload(at=time.time(), message=failure.message)}
            write_whole(self._memory, to_json(_FailedDownloads(versions=known)))

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
