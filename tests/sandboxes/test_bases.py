"""Base systems with Debian packages: names, sources, failures; and real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_debian import bases

from backdate.errors import DiskFull, MachineError, SandboxUnavailable, UsageError
from backdate.sandboxes import debian
from backdate.sandboxes.bases import BaseFailure, Bases, BaseSettings, checked_names, dockerfile, is_name
from backdate.sandboxes.debian import DebianSource, failure_of, source_of
from backdate.sandboxes.interface import BaseSystem
from backdate.sandboxes.unsafe_local import UnsafeLocal

TARGETS = """\
http://archive.example/debian/ bookworm main
http://archive.example/debian/ bookworm contrib
http://archive.example/debian/ bookworm-updates main
http://archive.example/security/ bookworm-security main
https://other.example/repo/ bookworm stable
https://other.example/repo/ nodistro main
"""


@pytest.mark.parametrize("name", ["g++", "libldap2-dev", "libstdc++6", "python3.11", "0ad"])
def test_names(name):
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "-y",
        "--option",
        "libx-",
        "A",
        "a b",
        "a;b",
        "a$(b)",
        "a\n",
        "a/b",
        "a=1",
        "./a.deb",
        "a" * 101,
        "ü",
    ],
)
def test_what_is_no_name_is_refused(name):
    assert not is_name(name)
    with pytest.raises(UsageError, match="not the name of a Debian package"):
        checked_names([name])


@given(st.text())
def test_no_text_that_passes_means_anything_to_a_shell_or_to_apt(text):
    if is_name(text):
        assert not set(text) & set(" \t\n;&|<>$`'\"\\*?[]{}()/=:~#!%")
        assert not text.startswith("-")
        assert "\n" not in dockerfile("image", [text]).splitlines()[-1]


def test_names_are_folded():
    assert checked_names(["b2", "a1", "b2"]) == ("a1", "b2")


def test_the_source_is_the_machines_own():
    source = source_of(TARGETS, "bookworm")
    assert (source.suite, source.mirror) == ("bookworm", "http://archive.example/debian/")
    assert source.further == (
        "deb http://archive.example/debian/ bookworm contrib",
        "deb http://archive.example/debian/ bookworm-updates main",
        "deb http://archive.example/security/ bookworm-security main",
    )
    with pytest.raises(SandboxUnavailable, match="no archive of its own release"):
        source_of(TARGETS, "trixie")
    with pytest.raises(SandboxUnavailable):
        source_of("", "")


def test_failures_name_what_is_missing(tmp_path):
    text = (
        "Reading package lists...\nE: Unable to locate package libfoo-dev\n"
        "E: Package 'libbar1' has no installation candidate\n"
    )
    failure = failure_of(text, tmp_path)
    assert failure.missing == ("libbar1", "libfoo-dev")
    assert "Reading" not in failure.message
    with pytest.raises(DiskFull):
        failure_of("E: You don't have enough free space in /var/cache/apt/archives/.\n", tmp_path)
    with pytest.raises(MachineError, match="does not answer"):
        failure_of("E: Failed to fetch http://x  Temporary failure resolving 'x'\n", tmp_path)


def test_colours_in_the_middle_of_a_line_do_not_hide_a_name(tmp_path):
    text = "\x1b[91mE: Unable to locate package libfoo-dev\x1b[0m\x1b[91m\n\x1b[0mThe command returned 100\n"
    failure = failure_of(text, tmp_path)
    assert failure.missing == ("libfoo-dev",)
    assert failure.message == "E: Unable to locate package libfoo-dev"


def test_no_base_without_a_sandbox(tmp_path):
    with pytest.raises(UsageError, match="libldap2-dev"):
        Bases(sandbox=UnsafeLocal(), folder=tmp_path).prepare(("libldap2-dev",))


def test_only_root_makes_one(bubblewrap, tmp_path, monkeypatch):
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxUnavailable, match="only root"):
        Bases(sandbox=bubblewrap, folder=tmp_path).prepare(("libldap2-dev",))


@pytest.mark.debian
def test_a_base_with_packages_is_another_system(debian: BaseSystem, bubblewrap, shell_for, tmp_path):
    made = bases().prepare(("libsasl2-dev",))
    assert isinstance(made, BaseSystem)
    assert made.key != debian.key
    assert made == bases().prepare(("libsasl2-dev",))
    header = "usr/include/sasl/sasl.h"
    assert Path(made.place, header).is_file()
    assert not Path(debian.place, header).exists()
    library = "usr/lib/os-release"
    assert Path(made.place, library).stat().st_ino == Path(debian.place, library).stat().st_ino
    shell = shell_for(bubblewrap)
    script = f"cat /{header} | head -1; stat -c %a / /var /etc /root; touch /usr/x /var/lib/x /etc/x; id -u"
    shell(script, base=made)
    lines = shell.text.splitlines()
    assert lines[0].startswith("/*")
    assert lines[-1] == "1000"
    assert shell.text.count("Read-only file system") == 3


@pytest.mark.debian
def test_what_every_base_holds_needs_no_system_of_its_own(debian: BaseSystem):
    made = bases().prepare(("gcc", "libc6-dev"))
    assert isinstance(made, BaseSystem)
    assert (made.place, made.key) == (debian.place, debian.key)
    assert made.packages == ("gcc", "libc6-dev")
    further, alone = bases().prepare(("gcc", "libsasl2-dev")), bases().prepare(("libsasl2-dev",))
    assert isinstance(further, BaseSystem)
    assert isinstance(alone, BaseSystem)
    assert (further.place, further.packages) == (alone.place, ("gcc", "libsasl2-dev"))


@pytest.mark.debian
def test_a_package_that_does_not_exist_is_a_value(debian: BaseSystem):
    made = bases().prepare(("no-such-package-anywhere",))
    assert isinstance(made, BaseFailure)
    assert made.missing == ("no-such-package-anywhere",)
    assert not list((bases().folder / "roots").glob(f"{made.log.stem}*"))


@pytest.mark.docker
def test_a_layer_with_packages(docker_sandbox, shell_for, tmp_path):
    layers = Bases(sandbox=docker_sandbox, folder=tmp_path)
    made = layers.prepare(("libsasl2-dev",))
    assert isinstance(made, BaseSystem), made.message
    assert made == layers.prepare(("libsasl2-dev",))
    shell = shell_for(docker_sandbox)
    assert shell("test -f /usr/include/sasl/sasl.h", base=made).ok
    assert not shell("test -f /usr/include/sasl/sasl.h").ok
    missing = layers.prepare(("no-such-package-anywhere",))
    assert isinstance(missing, BaseFailure)
    assert missing.missing == ("no-such-package-anywhere",)


@pytest.mark.debian
def test_a_base_belongs_to_its_sandbox(debian: BaseSystem, shell_for):
    with pytest.raises(UsageError, match="made for the sandbox bwrap"):
        shell_for(UnsafeLocal())("true", base=debian)


def test_packages_that_every_base_holds_need_no_other_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made: list[tuple[str, ...]] = []

    def make_root(source, root, packages, *, start, log):
        made.append(tuple(packages))
        root.mkdir(parents=True)
        return ("make=4",)

    class Sandbox:
        name = "bwrap"

        def require(self):
            """Nothing is lacking."""

    monkeypatch.setattr(debian, "make_root", make_root)
    source = DebianSource(suite="bookworm", mirror="http://archive.example", further=())
    settings = BaseSettings(source=source, packages=("make", "gcc"))
    kept = Bases(sandbox=Sandbox(), folder=tmp_path, settings=settings)
    plain, more = kept.prepare(["make"]), kept.prepare(["make", "libfoo"])
    assert isinstance(plain, BaseSystem)
    assert isinstance(more, BaseSystem)
    assert plain.packages == ("make",)
    assert (plain.place, plain.key) == (kept.prepare([]).place, kept.prepare([]).key)
    assert more.place != plain.place
    assert made == [("gcc", "make"), ("libfoo",)]
