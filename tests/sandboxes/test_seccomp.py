"""The filter of system calls, run here instruction by instruction, as the kernel does."""

from __future__ import annotations

import struct

import pytest

from backdate.errors import SandboxUnavailable
from backdate.sandboxes import seccomp

ALLOWED, FAILS = 0x7FFF0000, 0x00050001
X86_64, I386, AARCH64, ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028


def outcome(machine: str, audit: int, number: int, first: int = 0) -> int:
    """What the program returns for a call with that first argument."""
    instructions = list(struct.iter_unpack("=HBBI", seccomp.bpf_program(machine)))
    data = struct.pack("=IIQ6Q", number, audit, 0, first, 0, 0, 0, 0, 0)
    position = accumulator = 0
    while True:
        code, if_true, if_false, value = instructions[position]
        position += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x15:
                position += if_true if accumulator == value else if_false
            case 0x35:
                position += if_true if accumulator >= value else if_false
            case 0x06:
                return value
            case _:
                raise AssertionError(code)


@pytest.mark.parametrize(("machine", "audit"), [("x86_64", X86_64), ("aarch64", AARCH64)])
def test_exactly_the_named_calls_fail(machine: str, audit: int) -> None:
    denied = {number for number in range(600) if outcome(machine, audit, number) == FAILS}
    assert denied == set(seccomp.architecture(machine).numbers.values())
    assert {outcome(machine, audit, number) for number in range(600)} == {ALLOWED, FAILS}


@pytest.mark.parametrize(("machine", "audit"), [("x86_64", X86_64), ("aarch64", AARCH64)])
def test_sockets_to_the_host_of_a_virtual_machine_fail(machine: str, audit: int) -> None:
    number = seccomp.architecture(machine).socket
    failing = {family for family in range(64) if outcome(machine, audit, number, family) == FAILS}
    assert failing == {40}
    assert outcome(machine, audit, number, 0xFFFF_FFFF_0000_0028) == FAILS  # the kernel takes the lower half
    others = (call for call in range(600) if call not in seccomp.architecture(machine).numbers.values())
    assert {call for call in others if outcome(machine, audit, call, 40) == FAILS} == {number}


@pytest.mark.parametrize(("machine", "audit"), [("x86_64", I386), ("aarch64", ARM), ("x86_64", AARCH64)])
def test_calls_of_other_architectures_fail(machine: str, audit: int) -> None:
    assert {outcome(machine, audit, number) for number in range(600)} == {FAILS}


def test_calls_of_x32_fail() -> None:
    assert {outcome("x86_64", X86_64, 0x40000000 | number) for number in range(600)} == {FAILS}


def test_both_architectures_deny_the_same_calls() -> None:
    names = [set(seccomp.architecture(machine).numbers) for machine in ("x86_64", "aarch64")]
    assert names[0] == names[1] == set(seccomp.DENIED)


def test_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(SandboxUnavailable, match="cannot be filtered on s390x"):
        seccomp.bpf_program("s390x")


def test_the_profile_for_docker_denies_them_as_well() -> None:
    profile = seccomp.docker_profile("x86_64")
    assert profile["architectures"] == ["SCMP_ARCH_X86_64"]
    assert set(seccomp.DENIED) < set(profile["syscalls"][0]["names"])
