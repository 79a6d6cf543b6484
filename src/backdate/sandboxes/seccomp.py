"""The system calls that no sandboxed command may make, and the filter that denies them.

They reach into other processes (``ptrace`` and its kin), hand out what others hold (``pidfd_getfd``, keys),
open large parts of the kernel that test suites do not need, or make sockets that no namespace keeps apart. A
denied call fails with EPERM, as under Docker, and the command goes on.

The filter is a program of classic BPF of some thirty instructions, which bubblewrap loads (``--seccomp``).
It is assembled here because the usual bindings (pyseccomp) need a system library that is not everywhere.
The numbers are those of the kernel's tables: ``arch/x86/entry/syscalls/syscall_64.tbl``, and
``include/uapi/asm-generic/unistd.h`` for aarch64.
"""

from __future__ import annotations

import errno
import os
import struct
from dataclasses import dataclass
from typing import Any

from backdate.errors import SandboxUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """What the filter has to know of a processor's system calls."""

    audit: int
    """AUDIT_ARCH_… of linux/audit.h: what the kernel says of each call."""
    docker: str
    """libseccomp's name."""
    first_foreign: int | None
    """The least number of another kind of calls with the same ``audit`` (x32); None where there is none."""
    socket: int
    """The number of ``socket``, which fails for the families in ``DENIED_FAMILIES``."""
    numbers: dict[str, int]


_X86_64 = Architecture(
    audit=0xC000003E,
    docker="SCMP_ARCH_X86_64",
    first_foreign=0x40000000,
    socket=41,
    numbers={
        "ptrace": 101,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "perf_event_open": 298,
        "open_by_handle_at": 304,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "kcmp": 312,
        "bpf": 321,
        "userfaultfd": 323,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "io_uring_register": 427,
        "pidfd_getfd": 438,
        "process_madvise": 440,
    },
)
_AARCH64 = Architecture(
    audit=0xC00000B7,
    docker="SCMP_ARCH_AARCH64",
    first_foreign=None,
    socket=198,
    numbers={
        "ptrace": 117,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "perf_event_open": 241,
        "open_by_handle_at": 265,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "kcmp": 272,
        "bpf": 280,
        "userfaultfd": 282,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "io_uring_register": 427,
        "pidfd_getfd": 438,
        "process_madvise": 440,
    },
)
_ARCHITECTURES = {"x86_64": _X86_64, "aarch64": _AARCH64}

DENIED = tuple(_X86_64.numbers)
"""The names of the denied calls: the same on every architecture."""

DENIED_FAMILIES = {"AF_VSOCK": 40}
"""Families of sockets that no namespace keeps apart: these reach the host of a virtual machine."""

# linux/bpf_common.h and linux/seccomp.h
_LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_IF_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_IF_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000 | errno.EPERM
_NUMBER, _AUDIT, _FAMILY = 0, 4, 16
"""Where ``struct seccomp_data`` has a call's number, its architecture, and the lower half of its first
argument, which is all that the kernel takes of a family of sockets (both processors are little-endian)."""


def architecture(machine: str | None = None) -> Architecture:
    """This machine's architecture. Raises SandboxUnavailable for one whose calls are not known here."""
    name = machine or os.uname().machine
    if name not in _ARCHITECTURES:
        raise SandboxUnavailable(
            f"system calls cannot be filtered on {name}, only on {' and '.join(_ARCHITECTURES)}; use "
            "such a machine, or accept the risk of foreign code without isolation: --sandbox unsafe-local"
        )
    return _ARCHITECTURES[name]


def bpf_program(machine: str | None = None) -> bytes:
    """The filter as the array of ``struct sock_filter`` that the kernel takes.

    A call by an entry point of another architecture (32-bit, x32) fails whatever it is: its numbers mean
    other calls. Raises SandboxUnavailable.
    """
    processor = architecture(machine)
    numbers = sorted(processor.numbers.values())
    # A jump says how many instructions to leave out. The two ends stand last: allow, then fail.
    checks: list[tuple[int, int]] = []
    if processor.first_foreign is not None:
        checks.append((_IF_AT_LEAST, processor.first_foreign))
    checks += [(_IF_EQUAL, number) for number in numbers]
    families = sorted(DENIED_FAMILIES.values())
    sockets = [(_IF_EQUAL, 0, len(families) + 1, processor.socket), (_LOAD_WORD, 0, 0, _FAMILY)]
    sockets += [(_IF_EQUAL, len(families) - position, 0, family) for position, family in enumerate(families)]
    instructions = [
        (_LOAD_WORD, 0, 0, _AUDIT),
        (_IF_EQUAL, 0, 1 + len(checks) + len(sockets) + 1, processor.audit),
        (_LOAD_WORD, 0, 0, _NUMBER),
    ]
    for position, (kind, value) in enumerate(checks):
        instructions.append((kind, len(checks) - position + len(sockets), 0, value))
    instructions += [*sockets, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


_CLOSED_BY_DOCKER = (
    *("acct", "clock_adjtime", "clock_settime", "create_module", "delete_module", "finit_module"),
    *("get_kernel_syms", "get_mempolicy", "init_module", "ioperm", "iopl", "kexec_file_load", "kexec_load"),
    *(
        "lookup_dcookie",
        "mbind",
        "mount",
        "move_pages",
        "nfsservctl",
        "pivot_root",
        "query_module",
        "quotactl",
    ),
    *("reboot", "set_mempolicy", "setns", "settimeofday", "stime", "swapon", "swapoff", "sysfs", "_sysctl"),
    *("umount", "umount2", "unshare", "uselib", "ustat", "vm86", "vm86old"),
    *("fsconfig", "fsmount", "fsopen", "fspick", "mount_setattr", "move_mount", "open_tree"),
)
"""Calls that Docker's own profile denies to a container without capabilities (its documentation, "Seccomp
security profiles for Docker"), besides ours: a profile that is given replaces its own."""
_CLONE_NEWUSER = 0x10000000


def docker_profile(machine: str | None = None) -> dict[str, Any]:
    """The filter as Docker's engine takes it: ours, and what Docker's own would deny as well.

    Raises SandboxUnavailable.
    """
    new_user_namespace = {
        "index": 0,
        "value": _CLONE_NEWUSER,
        "valueTwo": _CLONE_NEWUSER,
        "op": "SCMP_CMP_MASKED_EQ",
    }
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": [architecture(machine).docker],  # the calls of others end the process
        "syscalls": [
            {
                "names": [*DENIED, *_CLOSED_BY_DOCKER],
                "action": "SCMP_ACT_ERRNO",
                "errnoRet": errno.EPERM,
            },
            *(
                {
                    "names": ["socket"],
                    "action": "SCMP_ACT_ERRNO",
                    "errnoRet": errno.EPERM,
                    "args": [
                        {"index": 0, "value": 0xFFFFFFFF, "valueTwo": family, "op": "SCMP_CMP_MASKED_EQ"}
                    ],
                }
                for family in DENIED_FAMILIES.values()
            ),
            {"names": ["clone"], "action": "SCMP_ACT_ERRNO", "args": [new_user_namespace]},
            # Its flags are in memory, where a filter cannot look. The C library then uses clone.
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
        ],
    }
