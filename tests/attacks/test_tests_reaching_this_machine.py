"""A test reaches services of this machine and of others: by every address and kind of socket."""

from __future__ import annotations

import socket
import uuid

from attacker import Attacker

ATTACK = """
import socket, struct, sys
port, name = int(sys.argv[1]), sys.argv[2]
for host in ("127.0.0.1", "127.1.2.3", "0.0.0.0", "::1", "10.0.2.2", "169.254.169.254", "172.17.0.1",
             "192.168.1.1", "192.0.2.1"):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as tcp:
        tcp.settimeout(2)
        try:
            tcp.connect((host, port))
            print("connected to", host)
        except OSError:
            pass
    with socket.socket(family, socket.SOCK_DGRAM) as udp:
        udp.settimeout(0.2)
        try:
            udp.sendto(b"hello", (host, port))
            if udp.recv(10):
                print("answered by", host)
        except OSError:
            pass
try:
    socket.socket(socket.AF_UNIX).connect("\\0" + name)
    print("an abstract socket")
except OSError:
    pass
for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket",
             "/run/systemd/private", "/run/systemd/journal/socket", "/tmp/.X11-unix/X0"):
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        print("connected to", path)
    except OSError:
        pass
for kind, protocol in ((socket.SOCK_RAW, socket.IPPROTO_ICMP), (socket.SOCK_RAW, socket.IPPROTO_RAW)):
    try:
        socket.socket(socket.AF_INET, kind, protocol)
        print("a raw socket")
    except OSError:
        pass
try:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    print("a packet socket")
except OSError:
    pass
print("done")
"""


def test_nothing_is_reached(attacker: Attacker) -> None:
    name = f"service-{uuid.uuid4().hex}"
    with (
        socket.create_server(("0.0.0.0", 0)) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        port = server.getsockname()[1]
        datagrams.bind(("0.0.0.0", port))
        abstract.bind(f"\0{name}")
        abstract.listen()
        assert attacker(ATTACK, str(port), name) == ["done"]
        server.setblocking(False)
        datagrams.setblocking(False)
        for listening in (server.accept, lambda: datagrams.recv(10)):
            try:
                listening()
            except BlockingIOError:
                continue
            raise AssertionError("something arrived")
