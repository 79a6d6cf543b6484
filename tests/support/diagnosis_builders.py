"""Short ways to make chains, runs and environments."""

from datetime import UTC, datetime
from pathlib import Path

from backdate.environments.environment import (
    Environment,
    Interpreter,
    InterpreterChoice,
    Lock,
    LockedDistribution,
)
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised

SITE = "/env/lib/python3.12/site-packages"


def frame(file: str, line: int = 1, function: str = "f", source: str = "") -> Frame:
    return Frame(file=file, line=line, function=function, source=source)


def result(name: str, outcome: Outcome = Outcome.PASSED, *chain: Raised, **more: object) -> CaseResult:
    return CaseResult(
        id=name,
        outcome=outcome,
        duration_s=0.0,
        raised=chain,
        **{"file": name.split("::", maxsplit=1)[0], **more},
    )


def failed(name: str, *chain: Raised, **more: object) -> CaseResult:
    return result(name, Outcome.FAILED, *chain, **more)


def environment(root: Path, *locked: LockedDistribution, version: str = "3.12.1") -> Environment:
    """A value for an environment at ``root``; its interpreter is at ``root / "base"``."""
    interpreter = Interpreter(
        version=version,
        executable=root / "base/bin/python3",
        prefix=root / "base",
        source="pyenv",
    )
    return Environment(
        key="0" * 64,
        root=root,
        choice=InterpreterChoice(wanted=version, reason="for a test", interpreter=interpreter),
        lock=Lock(instant=datetime(2024, 1, 1, tzinfo=UTC), python=version, distributions=locked),
        build_s=0.0,
        reused=False,
        log=Path("/log"),
    )


def install(root: Path, name: str, version: str, *files: str, folder: str = "lib/python3.12") -> Path:
    """Write a distribution's metadata and (empty) files as an installer would."""
    site = root / folder / "site-packages"
    information = site / f"{name.replace('-', '_')}-{version}.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nText\n"
    )
    record = "".join(f"{file},sha256=x,1\n" for file in files) + f"{information.name}/RECORD,,\n"
    (information / "RECORD").write_text(record)
    for file in files:
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).touch()
    return site
