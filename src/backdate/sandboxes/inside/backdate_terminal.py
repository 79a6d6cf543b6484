"""Runs a command at a terminal of its own, inside a sandbox, and connects that terminal to a Unix socket.

Run as a script by whichever interpreter is in the sandbox, from Python 2.7 on: ``terminal.py SOCKET COMMAND
…``. From outside come frames: ``d`` (what is typed) or ``w`` (rows and columns, two 16-bit numbers), the
content's length in four bytes, the content. To the outside goes what the terminal shows, as it is. The first
frame is the size. The exit status is the command's.
"""

import fcntl
import os
import pty
import select
import socket
import struct
import sys
import termios

_CHUNK = 65536
_POLL_S = 0.2


def main(path, command):
    """Run until the command ends; its exit status."""
    outside = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    outside.connect(path)
    size = _frame(outside)
    child, terminal = pty.fork()
    if child == 0:
        outside.close()
        try:
            os.execvp(command[0], command)  # noqa: S606 - its words are the command's own
        except OSError as problem:
            os.write(2, ("%s: %s\n" % (command[0], problem.strerror)).encode())
        os._exit(127)
    if size is not None:
        _resize(terminal, size[1])
    status = _between(outside, terminal, child)
    outside.close()
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _between(outside, terminal, child):
    """Pass on what is typed and shown until the command ends; its status."""
    sources = [outside, terminal]
    while True:
        ready = select.select(sources, [], [], _POLL_S)[0]
        if terminal in ready and not _show(outside, terminal):
            sources.remove(terminal)
        if outside in ready:
            frame = _frame(outside)
            if frame is None:
                sources.remove(outside)
            elif frame[0] == b"d":
                _type(terminal, frame[1], outside)
            else:
                _resize(terminal, frame[1])
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            while terminal in sources and select.select([terminal], [], [], 0)[0]:
                if not _show(outside, terminal):
                    break
            return status


def _show(outside, terminal):
    """Pass on what is shown; False when nobody has the terminal open any more."""
    try:
        data = os.read(terminal, _CHUNK)
    except OSError:
        return False
    try:
        outside.sendall(data)
    except socket.error:
        return bool(data)  # nobody looks; the command goes on
    return bool(data)


def _type(terminal, data, outside):
    """Write what was typed; what the command shows meanwhile is passed on, so that neither waits for ever."""
    while data:
        readable, writable, _ = select.select([terminal], [terminal], [], _POLL_S)
        if readable and not _show(outside, terminal):
            return
        if writable:
            try:
                data = data[os.write(terminal, data[:512]) :]
            except OSError:
                return


def _resize(terminal, size):
    if len(size) == 4:
        rows, columns = struct.unpack("!HH", size)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def _frame(outside):
    """The next frame, its letter and content; None at the end."""
    head = _exactly(outside, 5)
    content = None if head is None else _exactly(outside, struct.unpack("!I", head[1:])[0])
    return None if content is None else (head[:1], content)


def _exactly(outside, size):
    data = b""
    while len(data) < size:
        try:
            piece = outside.recv(size - len(data))
        except socket.error:
            return None
        if not piece:
            return None
        data += piece
    return data


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
