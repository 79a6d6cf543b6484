"""Starts services in a sandbox, waits until each answers, and becomes the command that needs them.

Run as a script by whichever interpreter is in the sandbox, from Python 2.7 on:
``backdate_services.py SPECIFICATION COMMAND...``. The services are children of a process that ends before
the command begins, so that the command has no child that it did not start; they end with the sandbox. None of
them inherits an open file of the command. Which of them answer is written to the report that is named.
"""

import errno
import io
import json
import os
import socket
import subprocess
import sys
import time

_POLL_S = 0.02
_SHOWN = 4000


def main(arguments):
    """Start what the specification names; then execute the command."""
    with io.open(arguments[0], encoding="utf-8") as file:
        specification = json.load(file)
    starter = os.fork()
    if starter == 0:
        status = 1
        try:
            _start_all(specification)
            status = 0
        finally:
            os._exit(status)
    os.waitpid(starter, 0)
    os.execvp(arguments[1], arguments[1:])  # noqa: S606 - no shell is wanted


def _start_all(specification):
    _close_inherited()
    running = [(service, _start(service)) for service in specification["services"]]
    deadline = time.time() + specification["patience_s"]
    report = {}
    for service, process in running:
        problem = _wait(service, process, deadline)
        report[service["name"]] = problem
        sys.stderr.write("backdate: %s %s\n" % (service["name"], problem or "answers"))
        if problem:
            sys.stderr.write(_end_of(service["log"]) + "\n")
    sys.stderr.flush()
    with open(specification["report"], "wb") as file:
        file.write(json.dumps(report).encode("ascii"))


def _close_inherited():
    """Close every open file but the standard ones: the command's secret is not for services."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:
            try:
                os.close(int(name))
            except OSError:
                pass  # the listing's own


def _start(service):
    """The process of a service, in a session of its own; None where its program cannot be started."""
    with open(service["log"], "ab") as log, open(os.devnull, "rb") as nothing:
        try:
            return subprocess.Popen(
                service["argv"],
                stdin=nothing,
                stdout=log,
                stderr=log,
                cwd=service["folder"],
                env=service["env"],
                preexec_fn=os.setsid,  # noqa: PLW1509 - there is one thread
            )
        except OSError as error:
            log.write(("%s\n" % error).encode("utf-8"))
            return None


def _wait(service, process, deadline):
    """Why the service does not answer; empty when it does, and is prepared."""
    if process is None:
        return "could not be started"
    while time.time() < deadline:
        if process.poll() is not None:
            return "ended as it began (status %d)" % process.returncode
        if _answers(service["port"]) and _prepared(service):
            return ""
        time.sleep(_POLL_S)
    return "did not answer in time"


def _answers(port):
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.settimeout(5)
    try:
        return connection.connect_ex(("127.0.0.1", port)) == 0
    except (socket.error, socket.timeout):
        return False
    finally:
        connection.close()


def _prepared(service):
    """Whether the command that prepares the service, if there is one, ended well: it may begin too early."""
    if not service["prepare"]:
        return True
    with open(service["log"], "ab") as log, open(os.devnull, "rb") as nothing:
        done = subprocess.call(
            service["prepare"],
            stdin=nothing,
            stdout=log,
            stderr=log,
            cwd=service["folder"],
            env=service["env"],
        )
    return done == 0


def _end_of(path):
    try:
        with io.open(path, encoding="utf-8", errors="replace") as file:
            return file.read()[-_SHOWN:]
    except (IOError, OSError) as error:
        return "" if error.errno == errno.ENOENT else str(error)


if __name__ == "__main__":
    main(sys.argv[1:])
