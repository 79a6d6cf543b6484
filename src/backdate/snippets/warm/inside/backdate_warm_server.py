"""Imports a library once, and runs each program that the host names in a fork of a fork of this process.

Runs inside the environment of a snippet, in the syntax of Python 2.7 to today's. Called with the path of the
host's socket and those of the folders that have to be left clean. Messages have their length before them
(four bytes, the high one first) and are JSON. A child has none of the socket: what it says goes through
pipes, is counted, and is passed on as text. After each child all that descends from it is killed, what it
left is removed, and the process above it looks whether all is as it was. Where it is not, all of them end.
"""

import ctypes
import errno
import gc
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import time

from backdate_warm_program import ForkedProgram
from backdate_warm_state import contents, end_all, remove, restored, state

SLACK = 1048576
"""Bytes that a child may say beside what its program prints and gives."""
FILE_BYTES = 268435456
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
LIBC = ctypes.CDLL(None, use_errno=True)


def control(option, value):
    if LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl %d" % option)


class HostConnection(object):
    """The connection to the host."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)

    def read(self):
        """The next message; None at the end."""
        head = self._exactly(4)
        body = self._exactly(struct.unpack(">I", head)[0]) if head else None
        return None if body is None else json.loads(body.decode("utf-8"))

    def has_more(self):
        """Whether a message comes, which is not read; False at the end."""
        return bool(self.socket.recv(1, socket.MSG_PEEK))

    def _exactly(self, size):
        parts = []
        while size:
            part = self.socket.recv(min(size, 65536))
            if not part:
                return None
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def write(self, message):
        data = json.dumps(message).encode("ascii")
        self.socket.sendall(struct.pack(">I", len(data)) + data)


def preload(names):
    """The names that could be imported."""
    loaded = []
    for name in names:
        try:
            __import__(name)
            loaded.append(name)
        except BaseException:  # the programs that import it will say so
            pass
    return loaded


def address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


class WatchedChild(object):
    """One program in a fork, watched through pipes."""

    def __init__(self, job, folder):
        self.job = job
        self.folder = folder
        self.printed = b""
        self.noise = b""
        self.said = 0
        self.partial = b""
        self.cases = []
        self.load = None
        self.end = ""

    def run(self):
        report, said = os.pipe()
        output, printed = os.pipe()
        trouble, complained = os.pipe()
        go, gone_on = os.pipe()
        ours, theirs = (report, output, trouble, gone_on), (said, printed, complained, go)
        began = time.time()
        process = os.fork()
        if process == 0:
            self.become(theirs)
        for descriptor in theirs:
            os.close(descriptor)
        try:
            self.watch(process, report, output, trouble, gone_on, began + self.job["wall_s"])
        finally:
            clean = end_all()
            for descriptor in ours:
                os.close(descriptor)
        return clean, time.time() - began

    def become(self, theirs):
        """What the child is: never returns."""
        try:
            said, printed, complained, go = theirs
            quiet = os.open(os.devnull, os.O_RDONLY)
            os.dup2(quiet, 0)
            os.dup2(printed, 1)
            os.dup2(complained, 2)
            os.dup2(said, 100)
            os.dup2(go, 101)
            os.closerange(3, 100)
            os.closerange(102, 4096)
            os.setsid()
            control(PR_SET_PDEATHSIG, signal.SIGKILL)
            control(PR_SET_DUMPABLE, 1)
            os.chdir(self.folder)
            seconds = int(self.job["wall_s"]) + 2
            memory = address_space() + self.job["memory_bytes"]
            for limit, value in (
                (resource.RLIMIT_AS, memory),
                (resource.RLIMIT_CPU, 4 * seconds),
                (resource.RLIMIT_FSIZE, FILE_BYTES),
                (resource.RLIMIT_CORE, 0),
            ):
                hard = resource.getrlimit(limit)[1]
                least = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.setrlimit(limit, (least, least))
            ForkedProgram(self.job, lambda data: write_all(100, data), lambda: os.read(101, 1)).run()
            os._exit(0)
        except BaseException:  # nothing of a child may go on in the server's code
            os._exit(97)
        finally:
            os._exit(98)

    def watch(self, process, report, output, trouble, gone_on, deadline):
        open_ends = {report, output, trouble}
        while not self.end and report in open_ends:
            left = deadline - time.time()
            if left <= 0:
                self.end = "timed-out"
                return
            try:
                ready = select.select(list(open_ends), [], [], min(left, 0.2))[0]
            except (OSError, select.error) as error:
                if error.args[0] != errno.EINTR:
                    raise
                continue
            for descriptor in ready:
                if descriptor != report and not self.drain(descriptor, output):
                    open_ends.discard(descriptor)
            if report in ready:
                data = os.read(report, 65536)
                if not data:
                    open_ends.discard(report)
                self.partial += data
                self.said += len(data)
                self.take_lines(output, gone_on)
            if self.said > self.job["output_bytes"] + SLACK or len(self.printed) > self.job["output_bytes"]:
                self.end = self.end or "output"
            if not ready and has_ended(process):
                return

    def take_lines(self, output, gone_on):
        while b"\n" in self.partial and not self.end:
            line, self.partial = self.partial.split(b"\n", 1)
            try:
                said = json.loads(line.decode("ascii"))
                what = said.pop("what")
            except (
                ValueError,
                KeyError,
                AttributeError,
                TypeError,
                RuntimeError,
            ):  # not what our half of it says
                self.end = "crashed"
                return
            self.drain_all(output)
            said["printed"], self.printed = self.printed.decode("utf-8", "replace"), b""
            if what == "loaded" and not self.cases:
                pass  # what is printed while a module is loaded belongs to no case
            elif what == "case" and len(self.cases) < max(1, len(self.job["cases"])):
                self.cases.append(said)
            elif what == "load" and not self.cases:
                self.load = said
                self.end = "load-error"
            elif what == "done" and len(self.cases) == max(1, len(self.job["cases"])):
                self.end = "finished"
            else:
                self.end = "crashed"
            try:
                os.write(gone_on, b".")
            except OSError:
                pass

    def drain(self, descriptor, output):
        """Take what a pipe holds; whether it is still open."""
        data = os.read(descriptor, 65536)
        if descriptor == output:
            self.printed += data
        else:
            self.noise = (self.noise + data)[-4000:]
        return bool(data)

    def drain_all(self, output):
        while len(self.printed) <= self.job["output_bytes"] and select.select([output], [], [], 0)[0]:
            if not self.drain(output, output):
                return


def has_ended(process):
    try:
        with open("/proc/%d/stat" % process, "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] in (b"Z", b"X")
    except (IOError, OSError, IndexError):
        return True


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def answer_one(wire, loaded, folders, kept, before):
    """Read one job, run it, and answer; whether everything is as it was."""
    control(PR_SET_PDEATHSIG, signal.SIGKILL)
    control(PR_SET_CHILD_SUBREAPER, 1)
    job = wire.read()
    if job is None:
        return True
    job["preload"] = loaded
    folder = os.path.join(tempfile.gettempdir(), "program")
    os.mkdir(folder)
    child = WatchedChild(job, folder)
    clean, seconds = child.run()
    remove(folder)
    for place in folders:
        clean = restored(place, kept[place]) and clean
    clean = clean and not os.path.lexists(folder) and state() == before
    wire.write(
        {
            "id": job["id"],
            "end": child.end or "crashed",
            "load": child.load,
            "cases": child.cases,
            "noise": child.noise.decode("utf-8", "replace")[-2000:],
            "seconds": seconds,
            "clean": clean,
        }
    )
    return clean


def main(path, *folders):
    """Fork a process for each job, which reads it: this one never has a job or an answer in its memory,
    where the programs of later jobs, which begin as its copies, could find them."""
    wire = HostConnection(path)
    loaded = preload(wire.read()["preload"])
    kept = {folder: contents(folder) for folder in folders}
    control(PR_SET_DUMPABLE, 0)
    control(PR_SET_CHILD_SUBREAPER, 1)
    if hasattr(gc, "freeze"):
        gc.freeze()
    before = state()
    wire.write({"loaded": loaded})
    while wire.has_more():
        process = os.fork()
        if process == 0:
            clean = False
            try:
                clean = answer_one(wire, loaded, folders, kept, before)
            finally:
                os._exit(0 if clean else 1)
        ended = os.waitpid(process, 0)[1]
        if not end_all() or ended != 0 or state() != before:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
