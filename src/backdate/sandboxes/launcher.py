"""The first process of a run: it keeps the process tree together and prepares the program.

Run as a program (``launcher.py KEY VALUE … -- PROGRAM ARGUMENT …``, by ``supervision.launching``), so that
nothing has to run between fork and exec in a program with threads. It uses the standard library only, and
little of that: every command in a sandbox begins with it.

It stays as the *keeper*: every orphan of the tree becomes its child, because it is their subreaper;
when PROGRAM ends, or when the parent dies or sends SIGTERM, it kills all that is left. (The
sandbox's own means do not suffice: a bubblewrap that is killed while it sets up leaves a child that
waits for ever.) Its own child becomes PROGRAM, prepared as the keys say, in this order:

``parent PID``   the process that must be the keeper's parent
``talk yes``     PROGRAM is not a sandbox: the keeper itself reports over standard input (a socket), in
                 the protocol of ``supervision.py``; PROGRAM gets an empty standard input
``enter FILE``   write the process id to FILE (a control group)
``stage FOLDER`` cover FOLDER, in a mount namespace of its own, with an empty file system …
``show PATH``    … and show each PATH there, by its number: FOLDER/0, FOLDER/1, …
``changes N:PATH``  keep what is changed in the Nth in PATH/upper instead (overlayfs, with PATH/work)
``overlay PATH``, ``over CHANGES``  without ``stage``, as an ordinary user: show PATH at CHANGES/view, in
                 namespaces of its own, and keep what is changed there in CHANGES/upper
``user ID``      become that user and group, with no other groups
``as N``, ``fsize N``  limits of address space and of the size of a file, in bytes
``chdir FOLDER`` start PROGRAM there (/ otherwise)

The exit status is PROGRAM's, or 128 + the signal that killed it; 70 means that the preparation
failed, and standard error says why.
"""

from __future__ import annotations

# The module ``signal`` makes enumerations of what is here, which takes as long as starting Python.
import _signal as signal  # type: ignore[import-not-found]
import _stat as stat
import ctypes
import os
import resource

FAILED = 70

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000

_AWAITED = {signal.SIGCHLD, signal.SIGTERM}

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def die_with(parent: int, number: int) -> None:
    """Ask for signal ``number`` when the parent ends; give up at once if it has ended already."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        raise ProcessLookupError("the process that started this run is gone")


def reset_signals() -> None:
    """Restore the default action of every signal.

    Python itself ignores two signals, and the parent may ignore or block others (a shell does that for
    background jobs); PROGRAM would inherit that.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def enter(files: list[str]) -> None:
    """Enter control groups."""
    for file in files:
        descriptor = os.open(file, os.O_WRONLY)
        os.write(descriptor, b"%d" % os.getpid())
        os.close(descriptor)


def _mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
    texts = [os.fsencode(text) for text in (source, target, kind, data)]
    _check(_libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3]), f"mounting {source}")


def _overlay(lower: int, changes: int, target: str, further: str = "") -> None:
    """Mount a view of the open folder ``lower`` at ``target``; changes stay in the open folder ``changes``.

    Where the system has no overlays there (the folders may lie in one themselves), what is to be changed
    begins empty, and the log says so.
    """
    upper, work = (os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=changes) for name in ("upper", "work"))
    folders = zip(("lowerdir", "upperdir", "workdir"), (lower, upper, work), strict=True)
    try:
        # By number: a path may hold the commas and colons that separate options.
        options = ",".join(f"{name}=/proc/self/fd/{folder}" for name, folder in folders)
        _mount("overlay", target, "overlay", MS_NOSUID | MS_NODEV, options + further)
    except OSError as problem:
        _tell_of_empty_view(problem)
        _mount(f"/proc/self/fd/{upper}", target, "", MS_BIND, "")
    os.close(upper)
    os.close(work)


def _tell_of_empty_view(problem: OSError) -> None:
    told = f"backdate: the private view begins empty, as this system has no overlay here: {problem}\n"
    os.write(2, told.encode(errors="surrogateescape"))


def stage(folder: str, paths: list[str], changes: dict[str, str]) -> None:
    """Show ``paths`` under ``folder``, reachable for every user, in a private mount namespace.

    The paths may lie under folders that only root may enter, and under ``folder`` itself: they
    are opened before it is covered.
    """
    _check(_libc.unshare(CLONE_NEWNS), "unshare(CLONE_NEWNS)")
    _mount("none", "/", "", MS_REC | MS_PRIVATE, "")
    opened = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths]
    changed = {
        int(number): os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        for number, path in changes.items()
    }
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m")
    for number, descriptor in enumerate(opened):
        target = os.path.join(folder, str(number))  # noqa: PTH118 - importing pathlib costs 5 ms
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.mkdir(target)  # noqa: PTH102
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
        if number in changed:
            _overlay(descriptor, changed[number], target)
            os.close(changed[number])
        else:
            _mount(f"/proc/self/fd/{descriptor}", target, "", MS_BIND | MS_REC, "")
        os.close(descriptor)


def lay_over(paths: list[str], changes: list[str]) -> None:
    """Mount views of ``paths`` at the folder "view" of each of ``changes``, as a user who is not root.

    That takes a user namespace of its own, in which the user is the same; the program has no rights in it,
    because executing a program as another user than root drops them. Where the system refuses, the views
    are what the program changes there: empty at first, and the log says so.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        _check(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare(CLONE_NEWUSER)")
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)
        _mount("none", "/", "", MS_REC | MS_PRIVATE, "")
        opened = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths]
        kept = [os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC) for path in changes]
        for lower, folder, path in zip(opened, kept, changes, strict=True):
            _overlay(lower, folder, os.path.join(path, "view"), ",userxattr")  # noqa: PTH118
    except OSError as problem:
        _tell_of_empty_view(problem)


def become(user: int) -> None:
    """Give up root permanently."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def keep(program: int, *, talking: bool) -> int:
    """Wait for the end of ``program`` or a SIGTERM, kill all that is left, and return the exit status."""
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1,) if talking else (0, 1):
        os.dup2(silence, descriptor)
    os.closerange(3, 1024)
    status = None
    while status is None and signal.sigwait(_AWAITED) == signal.SIGCHLD:
        status = _reap(program)
    _kill_descendants()
    if status is None:
        return FAILED
    ended, number = os.WIFEXITED(status), os.WTERMSIG(status)
    if talking:
        os.write(0, b"%d\n" % (os.WEXITSTATUS(status) if ended else 256 + number))
    return os.WEXITSTATUS(status) if ended else 128 + number


def _reap(program: int) -> int | None:
    """Reap all children that have ended; the status of ``program`` if it is one of them."""
    program_status = None
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return program_status
        if process == 0:
            return program_status
        if process == program:
            program_status = status


def _children(process: int) -> list[int]:
    children = []
    try:
        for task in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
            with open(f"/proc/{process}/task/{task}/children") as file:  # noqa: PTH123
                children += [int(number) for number in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return children
    return children


def _kill_descendants() -> None:
    """Kill until no process is left; processes are stopped first, so that none can fork again."""
    while children := _children(os.getpid()):
        queue, everyone = children, []
        while queue:
            process = queue.pop()
            everyone.append(process)
            _signal(process, signal.SIGSTOP)
            queue += _children(process)
        for process in everyone:
            _signal(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
        _reap(-1)


def _signal(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return  # gone, or a program of another user (set-uid), which is not ours to kill


def become_program(keys: dict[str, list[str]], argv: list[str], keeper: int) -> None:
    """Prepare this process and become the program, which dies with its keeper."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()
    die_with(keeper, signal.SIGKILL)
    if "stage" in keys:
        changes = dict(one.split(":", 1) for one in keys.get("changes", []))
        stage(keys["stage"][0], keys.get("show", []), changes)
    enter(keys.get("enter", []))
    if "overlay" in keys:
        lay_over(keys["overlay"], keys["over"])
    if "user" in keys:
        become(int(keys["user"][0]))
        die_with(keeper, signal.SIGKILL)  # the kernel forgets it when the user changes: prctl(2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for key, limit in (("as", resource.RLIMIT_AS), ("fsize", resource.RLIMIT_FSIZE)):
        if key in keys:
            hard, asked = resource.getrlimit(limit)[1], int(keys[key][0])
            allowed = asked if hard == resource.RLIM_INFINITY else min(asked, hard)
            resource.setrlimit(limit, (allowed, allowed))
    os.umask(0o022)
    os.chdir(keys.get("chdir", ["/"])[0])
    if "talk" in keys:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        os.execvpe(argv[0], argv, os.environ)  # noqa: S606 - replacing this process is the purpose
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode(errors="surrogateescape"))
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def main(arguments: list[str]) -> int:
    """Follow the arguments; the exit status."""
    split = arguments.index("--")
    keys: dict[str, list[str]] = {}
    for key, value in zip(arguments[:split:2], arguments[1:split:2], strict=True):
        keys.setdefault(key, []).append(value)
    die_with(int(keys["parent"][0]), signal.SIGTERM)
    reset_signals()
    talking = "talk" in keys
    if talking:
        os.write(0, b"ready\n")
        if os.read(0, 3) != b"go\n":
            return FAILED
    _check(_libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(PR_SET_CHILD_SUBREAPER)")
    # Blocked instead of handled, because ``sigwait`` waits for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    keeper = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            become_program(keys, arguments[split + 1 :], keeper)
        except OSError as problem:
            _complain(problem)
        finally:
            os._exit(FAILED)
    return keep(program, talking=talking)


def _complain(problem: OSError) -> None:
    os.write(2, f"backdate: preparing the sandbox failed: {problem}\n".encode(errors="surrogateescape"))


def start(arguments: list[str]) -> None:
    """Follow the arguments and end this process."""
    try:
        status = main(arguments)
    except OSError as problem:
        _complain(problem)
        status = FAILED
    os._exit(status)  # nothing is open, and every command's end waits for this one
