"""Inspect's sandbox interface over ours: a sample's tree, and commands that see it and nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Literal, overload

import anyio.to_thread
from inspect_ai.util import (
    ExecResult,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    sandboxenv,
)
from pydantic import BaseModel

from backdate.checking.settings import Settings
from backdate.evaluation.load import Benchmark, open_bench
from backdate.sandboxes.interface import MIB, Command, Limits, Mount, RunStatus, Workspace

AT = "/work/project"
_MOST_READ = 100 * MIB
_OPEN: dict[BenchConfig, Benchmark] = {}


class BenchConfig(BaseModel, frozen=True):
    """Which data set, and how its tasks are run; stands in Inspect's log."""

    dataset: str
    only: tuple[str, ...] = ()
    repositories: str | None = None
    sandbox: str = "bwrap"
    timeout: float = 600.0
    memory_mib: int = 4096

    def settings(self) -> Settings:
        """The same, of this machine."""
        return Settings(
            sandbox=self.sandbox,
            test_limits=Limits(wall_s=self.timeout, memory_bytes=self.memory_mib * MIB),
        )


def bench_of(config: BenchConfig) -> Benchmark:
    """The tasks of a data set and what runs them, opened once a process. Raises UsageError and the like."""
    if config not in _OPEN:
        _OPEN[config] = open_bench(
            Path(config.dataset),
            config.settings(),
            only=config.only,
            repositories=Path(config.repositories) if config.repositories else None,
            witness=True,
        )
    return _OPEN[config]


@sandboxenv(name="backdate")
class BackdateSandbox(SandboxEnvironment):
    """One sample's tree. Commands run isolated and without network, in the tree itself."""

    def __init__(self, config: BenchConfig, folder: tempfile.TemporaryDirectory[str]) -> None:
        self.config = config
        self._folder = folder
        self.scratch = Path(folder.name)

    @property
    def tree(self) -> Path:
        """The sample's tree on this machine."""
        return self.scratch / "tree"

    def close(self) -> None:
        """Remove the tree."""
        self._folder.cleanup()

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """The configuration as a log holds it."""
        return BenchConfig.model_validate(config)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Make the tree of the sample whose metadata names the task."""
        if not isinstance(config, BenchConfig):
            raise TypeError(f"the sandbox of {task_name} needs the configuration of a data set")
        bench = bench_of(config)
        task = next(
            candidate for candidate in bench.tasks if candidate.instance_id == metadata["instance_id"]
        )
        folder = tempfile.TemporaryDirectory(prefix="backdate-inspect-", ignore_cleanup_errors=True)
        sandbox = cls(config, folder)
        sandbox.scratch.chmod(0o755)
        await anyio.to_thread.run_sync(lambda: bench.task_runner.make_tree(task, sandbox.tree))
        return {"default": sandbox}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Remove the trees."""
        del task_name, config, interrupted
        for environment in environments.values():
            if isinstance(environment, BackdateSandbox):
                environment.close()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 - the interface names it so
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command in the tree; its output and errors come merged. Raises TimeoutError."""
        del user, timeout_retry, concurrency
        return await anyio.to_thread.run_sync(lambda: self._run(cmd, input, cwd, env, timeout))

    def _run(
        self,
        arguments: list[str],
        standard_input: str | bytes | None,
        cwd: str | None,
        env: dict[str, str] | None,
        timeout: int | None,
    ) -> ExecResult[str]:
        with tempfile.TemporaryDirectory(prefix="backdate-exec-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            entry, log = folder / "input", folder / "log"
            entry.write_bytes(
                standard_input.encode() if isinstance(standard_input, str) else standard_input or b""
            )
            entry.chmod(0o644)
            result = (
                self.config.settings()
                .open_sandbox()
                .run(
                    Command(
                        argv=("/bin/sh", "-c", 'exec "$@" < /backdate/input', "sh", *arguments),
                        cwd=str(Path(AT) / (cwd or ".")),
                        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **(env or {})},
                        limits=Limits(
                            wall_s=float(timeout or self.config.timeout),
                            memory_bytes=self.config.memory_mib * MIB,
                            log_bytes=8 * MIB,
                        ),
                    ),
                    Workspace(
                        mounts=(
                            Mount(source=self.tree, target=AT, writable=True),
                            Mount(source=entry, target="/backdate/input"),
                        )
                    ),
                    log=log,
                )
            )
            text = log.read_bytes().decode("utf-8", "replace")
        if result.status is RunStatus.TIMEOUT:
            raise TimeoutError(f"{arguments[0]} did not end in time")
        code = result.exit_code if result.exit_code is not None else 128 + (result.signal or 9)
        return ExecResult(success=code == 0, returncode=code, stdout=text, stderr="")

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file of the tree. Raises PermissionError for one that is not in it."""
        path = self._inside(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a file of the tree. Raises PermissionError for one that is not in it."""
        with self._inside(file).open("rb") as opened:
            data = opened.read(_MOST_READ)
        return data.decode() if text else data

    def _inside(self, file: str) -> Path:
        relative = Path(file)
        if relative.is_absolute():
            if not relative.is_relative_to(AT):
                raise PermissionError(f"{file} is not in the project")
            relative = relative.relative_to(AT)
        path = (self.tree / relative).resolve()
        if not path.is_relative_to(self.tree.resolve()):
            raise PermissionError(f"{file} is not in the project")
        if path.exists() and not path.is_file() and not path.is_dir():
            raise PermissionError(f"{file} is not a regular file")  # a named pipe would be waited for
        return path
