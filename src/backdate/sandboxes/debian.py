"""A Debian in a folder: made by debootstrap, with further packages installed by its own apt.

debootstrap runs as root on this machine, in mount and process namespaces of its own, and does what
installing Debian does. All other packages are installed in a sandbox: the scripts in them run as root, but
see nothing but the new system and the network, with only those of root's rights that installing takes.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import DiskFull, MachineError, SandboxUnavailable
from backdate.escapes import without_escapes
from backdate.sandboxes import interruption, scratch

_ASKED_S = 300.0
"""apt usually answers within a second; on a busy machine it took a minute."""
_LIMIT_S = 3600.0
_POLL_S = 0.05
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_RIGHTS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETFCAP", "SETGID", "SETUID", "SYS_CHROOT")
"""The rights of root that dpkg and packages' scripts need: no mounting, devices, modules or tracing."""
_NO_SERVICES = "#!/bin/sh\nexit 101\n"
"""policy-rc.d(8): no package starts its service."""
_MISSING = re.compile(
    r"Unable to locate package (\S+)|Package '?([a-z0-9][a-z0-9+.-]*)'? has no installation candidate"
)
_ARCHIVE_DOWN = re.compile(
    r"Temporary failure resolving|Could not resolve|Could not connect|Connection (?:refused|timed out)|"
    r"Unable to connect|Failed to fetch .*(?:50\d |timed out)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DebianSource:
    """The archive and the release that a Debian is installed from."""

    suite: str
    """The release: "bookworm"."""
    mirror: str
    """The archive's address."""
    further: tuple[str, ...] = ()
    """Lines for sources.list besides the release itself: its updates and security fixes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseFailure:
    """A base system that could not be made: a value, not an exception."""

    message: str
    """The lines of the log that say why."""
    missing: tuple[str, ...]
    """Packages that the archive does not have (another release, or Ubuntu, may): to be left out, perhaps."""
    log: Path


def configured_source() -> DebianSource:
    """The Debian that this machine's own apt is configured with. Raises SandboxUnavailable without one."""
    suite = ""
    with contextlib.suppress(OSError):
        for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
            if line.startswith("VERSION_CODENAME="):
                suite = line.partition("=")[2].strip('"')
    try:
        listed = subprocess.run(
            [
                "apt-get",
                "indextargets",
                "--format",
                "$(REPO_URI) $(RELEASE) $(COMPONENT)",
                "Created-By: Packages",
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=_ASKED_S,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(
            f"this machine's package sources cannot be read ({error}): system packages need a Debian or "
            "Ubuntu; use --sandbox docker elsewhere"
        ) from error
    return source_of(listed, suite)


def source_of(listed: str, suite: str) -> DebianSource:
    """The source that the lines of ``apt-get indextargets`` (address, release, component) name."""
    rows = [line.split() for line in listed.splitlines() if len(line.split()) == 3]
    mirror = next((uri for uri, release, part in rows if (release, part) == (suite, "main")), None)
    if mirror is None or not suite:
        raise SandboxUnavailable(
            f"this machine's apt knows no archive of its own release ({suite or 'which is unknown'}); "
            "add it to its sources, or use --sandbox docker"
        )
    further: dict[str, None] = {}
    for uri, release, part in rows:
        own = release == suite and uri == mirror and part != "main"
        if own or release in (f"{suite}-updates", f"{suite}-security"):
            further[f"deb {uri} {release} {part}"] = None
    return DebianSource(suite=suite, mirror=mirror, further=tuple(further))


def proxy_variables() -> dict[str, str]:
    """The environment variables for proxies, and no others."""
    return {name: os.environ[name] for name in _PROXIES if name in os.environ}


def make_root(
    source: DebianSource, root: Path, packages: Sequence[str], *, start: Path | None, log: Path
) -> tuple[str, ...] | BaseFailure:
    """Make a system at ``root``: from nothing, or from the one at ``start``, with ``packages`` besides.

    Returns everything that is installed, as "name=version". Raises SandboxUnavailable unless we are root.
    """
    _require_tools(start)
    scratch.remove_tree(root)  # left by an interrupted run
    work = root.with_name(f"{root.name}.new")
    scratch.remove_tree(work)
    work.parent.mkdir(parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    try:
        if start is None:
            alone = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
            first = ("debootstrap", "--variant=minbase", source.suite, str(work), source.mirror)
            if _run([*alone, *first], log) != 0:
                return failure_of(log.read_text(encoding="utf-8", errors="replace"), log)
            _configure(work, source)
        elif _run(["cp", "-a", "--reflink=auto", "--", str(start), str(work)], log) != 0:
            return failure_of(log.read_text(encoding="utf-8", errors="replace"), log)
        for command in (
            ("update", "-q"),
            ("install", "-q", "--yes", "--no-install-recommends", *packages),
            ("clean",),
        ):
            if _run([*_inside(work), "apt-get", *_proxy_options(), *command], log) != 0:
                return failure_of(log.read_text(encoding="utf-8", errors="replace"), log)
        installed = _installed(work)
        if start is not None:
            _share_files(start, work)
        work.rename(root)
    finally:
        scratch.remove_tree(work)
    return installed


def _require_tools(start: Path | None) -> None:
    if os.geteuid() != 0:
        raise SandboxUnavailable(
            "only root can make a system with further packages under bubblewrap; run it once as root, "
            "or use --sandbox docker"
        )
    needed = {"bwrap": "bubblewrap", "unshare": "util-linux", "apt-config": "apt"}
    if start is None:
        needed["debootstrap"] = "debootstrap"
    for program, package in needed.items():
        if shutil.which(program) is None:
            raise SandboxUnavailable(
                f"{program} is not installed, which makes systems with further Debian packages; install it "
                f"(apt-get install {package}), or use --sandbox docker"
            )


def _configure(root: Path, source: DebianSource) -> None:
    lines = (f"deb {source.mirror} {source.suite} main", *source.further)
    (root / "etc/apt/sources.list").write_text("\n".join(lines) + "\n", encoding="utf-8")
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text(_NO_SERVICES, encoding="utf-8")
    policy.chmod(0o755)


def _inside(root: Path) -> list[str]:
    """The sandbox in which packages are installed: it sees only ``root``, which it can write."""
    rights = [word for right in _RIGHTS for word in ("--cap-add", f"CAP_{right}")]
    variables = {"PATH": _PATH, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", **proxy_variables()}
    return [
        *("bwrap", "--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--tmpfs", "/tmp"),  # noqa: S108 - the one inside
        *("--tmpfs", "/run", "--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf"),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--new-session", "--die-with-parent"),
        *("--cap-drop", "ALL", *rights, "--clearenv"),
        *(word for name, value in variables.items() for word in ("--setenv", name, value)),
        "--",
    ]


def _proxy_options() -> list[str]:
    """Options of apt for the proxies that this machine's own apt uses."""
    done = subprocess.run(
        ["apt-config", "dump", "--format", "%F=%v%n"], capture_output=True, text=True, check=True
    )
    proxy = re.compile(r"Acquire::https?::Proxy(?:::\S+)?=\S+\Z", re.IGNORECASE)
    return [argument for line in done.stdout.splitlines() if proxy.match(line) for argument in ("-o", line)]


def _installed(root: Path) -> tuple[str, ...]:
    done = subprocess.run(
        ["dpkg-query", f"--admindir={root}/var/lib/dpkg", "--show", "--showformat=${Package}=${Version}\n"],
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(sorted(done.stdout.split()))


def _share_files(start: Path, root: Path) -> None:
    """Hard-link files that both systems hold alike: a finished system is never written."""
    for folder, _, names in os.walk(root / "usr"):
        for name in names:
            path = Path(folder, name)
            other = start / path.relative_to(root)
            mine = path.lstat()
            try:
                theirs = other.lstat()
            except OSError:
                continue
            if path.is_symlink() or other.is_symlink() or mine.st_size == 0 or mine.st_nlink > 1:
                continue
            alike = all(
                getattr(mine, part) == getattr(theirs, part)
                for part in ("st_mode", "st_uid", "st_gid", "st_size", "st_mtime_ns")
            )
            if alike and path.is_file() and filecmp.cmp(path, other, shallow=False):
                temporary = path.with_name(f".{name}.shared"[-200:])
                os.link(other, temporary)
                temporary.replace(path)


def _run(argv: Sequence[str], log: Path, variables: Mapping[str, str] | None = None) -> int:
    """Run a program to its end and append its output to ``log``; it dies with this process."""
    env = {
        "PATH": f"/usr/local/sbin:/usr/local/bin:{_PATH}",
        "LC_ALL": "C.UTF-8",
        **proxy_variables(),
        **(variables or {}),
    }
    with log.open("ab") as output:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            cwd="/",
            start_new_session=True,
        )
        deadline = time.monotonic() + _LIMIT_S
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(_POLL_S)
                interruption.check()
                if time.monotonic() > deadline:
                    raise MachineError(f"{argv[0]} did not end within {_LIMIT_S:.0f} s; see {log}")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def failure_of(text: str, log: Path) -> BaseFailure:
    """The failure that a log of apt reports. Raises when the machine or the archive is at fault."""
    text = without_escapes(text)  # Docker colours every piece of output, in the middle of a line too
    lines = text.splitlines()
    errors = [line for line in lines if re.match(r"[EW]: |dpkg: error|.*\berror:", line)] or lines[-20:]
    message = "\n".join(errors[-20:]) or "no output"
    if "No space left on device" in text or "have enough free space" in text:
        raise DiskFull(f"no space left for a system with further packages; see {log}")
    missing = tuple(sorted({"".join(groups) for groups in _MISSING.findall(text)}))  # one group matches
    if not missing and _ARCHIVE_DOWN.search(text):
        raise MachineError(f"the archive of Debian packages does not answer: {message}")
    return BaseFailure(message=message, missing=missing, log=log)
