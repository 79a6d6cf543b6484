"""Asking the JDK's compiler about pieces of Java: one process for all of them, in the sandbox.

The compiler reads text of strangers and runs nothing of it: there are no annotation processors, and classes
are not loaded. Where the system that the sandbox shows has no JDK, a base system with Debian's is used, if
that is allowed (``--apt``).
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backdate.checking.resources import Resources
from backdate.environments.system import base_for
from backdate.errors import MachineError, SandboxUnavailable
from backdate.sandboxes.bases import BaseFailure, BaseSettings
from backdate.sandboxes.interface import (
    MIB,
    BaseSystem,
    Command,
    Limits,
    Mount,
    RunStatus,
    Sandbox,
    Workspace,
)
from backdate.snippets.snippet import Language, Snippet

JDK_PACKAGE = "default-jdk-headless"
DEPRECATING, REMOVING = "11", "17"
"""The releases that CodeMEnv's Java rows are asked about: the last that has most of their APIs, and the next
with long support, which lacks them."""
LIMITS = Limits(wall_s=900.0, memory_bytes=4096 * MIB, disk_bytes=256 * MIB)
_PROGRAM = Path(__file__).parent / "SnippetCheck.java"
_AT = "/backdate/java"
_LARGEST_ANSWER = 64 * MIB
_ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
_DEPRECATED = "compiler.warn.has.been.deprecated"
_JAVA = ("java", "-Xmx1g", "-Xss4m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class JavaState(StrEnum):
    """What a name is for the compiler of a release."""

    GONE = "gone"
    PRESENT = "present"
    DEPRECATED = "deprecated"
    FOR_REMOVAL = "for-removal"


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaDiagnostic:
    """One error or warning of the compiler."""

    code: str
    """"compiler.warn.has.been.deprecated", …"""
    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaVerdict:
    """What the compiler of one release says of one snippet."""

    release: str
    names: dict[str, JavaState]
    """Of the names that the row lists; without those that it did not come to."""
    diagnostics: tuple[JavaDiagnostic, ...] = ()
    trouble: str = ""
    """Why the compiler did not end with it."""

    def warns_of(self, name: str) -> bool:
        """Whether the code itself is warned that ``name`` is deprecated or goes."""
        leaf = name.rpartition(".")[2]
        return any(
            each.code.startswith("compiler.warn.has.been.deprecated")
            and leaf in each.message.split(" in ")[0]
            for each in self.diagnostics
        )


class JavaCompiler:
    """The compiler of one sandbox and system."""

    def __init__(self, sandbox: Sandbox, base: BaseSystem | None = None) -> None:
        self._sandbox = sandbox
        self._base = base
        # Debian keeps a JDK's settings in /etc, of which the sandbox shows what every program needs alone.
        own = base is None and sandbox.name == "bwrap"
        folders = sorted(Path("/etc").glob("java-*-openjdk")) if own else []
        self._settings = tuple(Mount(source=folder, target=str(folder)) for folder in folders)

    def version(self) -> str:
        """Of the JDK: "javac 17.0.15"; empty where there is none. Raises SandboxUnavailable."""
        with tempfile.TemporaryDirectory(prefix="backdate-java-") as temporary:
            log = Path(temporary) / "version.log"
            command = Command(argv=("javac", "-version"), cwd="/tmp", env=_ENV, limits=LIMITS)  # noqa: S108
            workspace = Workspace(mounts=self._settings, base=self._base)
            run = self._sandbox.run(command, workspace, log=log)
            text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        ended = run.status is RunStatus.EXITED and run.exit_code == 0
        return next((line for line in text.splitlines() if line.startswith("javac ")), "") if ended else ""

    def ask(
        self, snippets: Sequence[Snippet], releases: Sequence[str] = (DEPRECATING, REMOVING)
    ) -> dict[str, tuple[JavaVerdict, ...]]:
        """What the compiler says of each snippet in each release, by the snippet's id.

        Raises SandboxUnavailable, and MachineError for a JDK that does not know a release.
        """
        java = [snippet for snippet in snippets if snippet.language is Language.JAVA]
        if not java:
            return {}
        with tempfile.TemporaryDirectory(prefix="backdate-java-") as temporary:
            folder = Path(temporary)
            folder.chmod(0o755)
            _write(folder, java)
            answers = folder / "answers.tsv"
            answers.touch(mode=0o600)
            run = self._sandbox.run(
                Command(
                    argv=(*_JAVA, f"{_AT}/{_PROGRAM.name}", f"{_AT}/rows", f"{_AT}/answers.tsv", *releases),
                    cwd="/tmp",  # noqa: S108 - private to the sandbox
                    env=_ENV,
                    limits=LIMITS,
                ),
                Workspace(
                    mounts=(
                        *self._settings,
                        Mount(source=_PROGRAM, target=f"{_AT}/{_PROGRAM.name}"),
                        Mount(source=folder / "rows", target=f"{_AT}/rows"),
                        Mount(source=answers, target=f"{_AT}/answers.tsv", writable=True),
                    ),
                    base=self._base,
                ),
                log=folder / "java.log",
            )
            with answers.open("rb") as file:
                data = file.read(_LARGEST_ANSWER)
        lines = [line.split("\t") for line in data.decode("utf-8", "replace").splitlines()]
        unknown = sorted({parts[1] for parts in lines if parts[0] == "release" and len(parts) > 1})
        if unknown:
            raise MachineError(f"the JDK in the sandbox knows no release {', '.join(unknown)}")
        trouble = "" if run.status is RunStatus.EXITED and run.exit_code == 0 else run.status.value
        return dict(_verdicts(java, lines, releases, trouble))


def open_java(resources: Resources, *, apt: bool) -> JavaCompiler:
    """The compiler of the system that the sandbox shows, else of a base system with Debian's JDK.

    Raises MachineError, saying what to install, where there is none, and what making a base raises.
    """
    compiler = JavaCompiler(resources.sandbox)
    if compiler.version():
        return compiler
    lacking = f"the system in the sandbox has no JDK: install {JDK_PACKAGE}"
    if not apt:
        raise MachineError(f"{lacking}, or give --apt so that a base system with it is made")
    base = base_for(resources.cache, resources.sandbox, (JDK_PACKAGE,), settings=BaseSettings(packages=()))
    if base is None or isinstance(base, BaseFailure):
        raise SandboxUnavailable(f"{lacking}; a base system with it could not be made: {base}")
    return JavaCompiler(resources.sandbox, base)


def _write(folder: Path, snippets: Sequence[Snippet]) -> None:
    """The rows, each a file by its number: nothing of theirs is a file's name."""
    rows = folder / "rows"
    rows.mkdir(mode=0o755)
    lines = []
    for number, snippet in enumerate(snippets):
        text = snippet.code.encode("utf-8", "replace")
        (rows / f"{number}.java").write_bytes(text)
        names = " ".join(api.name for api in snippet.apis if _is_plain(api.name))
        entry = snippet.entry if _is_plain(snippet.entry) else f"Row{number}"
        lines.append(f"{number}.java\t{entry}\t{names}\n")
    (rows / "rows.tsv").write_text("".join(lines), encoding="utf-8")


def _is_plain(name: str) -> bool:
    return bool(name) and all(part.isidentifier() and part.isascii() for part in name.split("."))


def _verdicts(
    snippets: Sequence[Snippet], lines: Sequence[Sequence[str]], releases: Sequence[str], trouble: str
) -> Iterator[tuple[str, tuple[JavaVerdict, ...]]]:
    by_place: dict[tuple[str, str], list[Sequence[str]]] = defaultdict(list)
    for parts in lines:
        if len(parts) >= 4:
            by_place[parts[1], parts[2]].append(parts)
    for number, snippet in enumerate(snippets):
        yield (
            snippet.id,
            tuple(
                _verdict(release, by_place.get((f"{number}.java", release), ()), trouble)
                for release in releases
            ),
        )


def _verdict(release: str, lines: Sequence[Sequence[str]], trouble: str) -> JavaVerdict:
    states = {state.value: state for state in JavaState}
    return JavaVerdict(
        release=release,
        names={
            parts[3]: states[parts[4]]
            for parts in lines
            if parts[0] == "name" and len(parts) == 5 and parts[4] in states
        },
        diagnostics=tuple(
            JavaDiagnostic(code=parts[3], line=int(parts[4]), message=parts[5])
            for parts in lines
            if parts[0] == "diagnostic" and len(parts) == 6 and parts[4].lstrip("-").isdigit()
        ),
        trouble=next((parts[3] for parts in lines if parts[0] == "trouble"), "" if lines else trouble),
    )
