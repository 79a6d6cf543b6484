"""Forwards connections to 127.0.0.1 to a Unix socket: the way from a sandbox to the gateway.

Run as a script by whichever interpreter is in the sandbox, from Python 2.7 on: ``forwarder.py SOCKET PORT``.
It listens, then goes on in the background, so that whoever started it can connect at once.
"""

import os
import socket
import sys
import threading

_CHUNK = 256 * 1024


def main(path, port):
    """Listen on ``port``, and forward in a process of its own until the sandbox ends."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    if os.fork() != 0:
        return
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    while True:
        connection = listening.accept()[0]
        _in_thread(_forward, connection, path)


def _forward(connection, path):
    gateway = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        gateway.connect(path)
    except socket.error:
        connection.close()
        gateway.close()
        return
    back = _in_thread(_copy, gateway, connection)
    _copy(connection, gateway)
    back.join()
    connection.close()
    gateway.close()


def _copy(source, target):
    """Copy until ``source`` ends, and say so to ``target``."""
    try:
        data = source.recv(_CHUNK)
        while data:
            target.sendall(data)
            data = source.recv(_CHUNK)
        target.shutdown(socket.SHUT_WR)
    except socket.error:
        _end(source)
        _end(target)


def _end(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except socket.error:
        return  # it has ended already


def _in_thread(function, *arguments):
    thread = threading.Thread(target=function, args=arguments)
    thread.daemon = True
    thread.start()
    return thread


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
