"""The image of the Dockerfile: it is built on a Debian, checks a project, and the sandbox inside holds."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from docker_engine import IMAGE

ROOT = Path(__file__).parent.parent.parent
BUILT = "backdate-tests:image"
RIGHTS = (
    *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
    *("--security-opt", f"seccomp={ROOT / 'container' / 'seccomp.json'}"),
    *("--security-opt", "systempaths=unconfined"),
)

pytestmark = [
    pytest.mark.docker,
    pytest.mark.network,
    pytest.mark.usefixtures("docker_sandbox"),
    pytest.mark.skipif(shutil.which("docker") is None, reason="the docker command is not installed"),
]


def docker(*words: str, context: bytes | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["docker", *words],
        input=context,
        capture_output=True,
        check=False,
        timeout=900,
        env=os.environ | {"DOCKER_BUILDKIT": "0"},
    )
    texts = (done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    return subprocess.CompletedProcess(done.args, done.returncode, *texts)


@pytest.fixture(scope="module")
def image(docker_sandbox: object) -> str:
    # The base trusts what this machine trusts, or neither apt nor pip would reach what it reaches.
    certificates = Path("/etc/ssl/certs/ca-certificates.crt")
    variables = " ".join(f"{name}=/usr/local/share/trusted.crt" for name in ("PIP_CERT", "SSL_CERT_FILE"))
    base = f"FROM {IMAGE}\nUSER root\nCOPY certificates /usr/local/share/trusted.crt\nENV {variables}\n"
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as tar:
        for name, content in (("Dockerfile", base.encode()), ("certificates", certificates.read_bytes())):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    made = docker("build", "--quiet", "--tag", "backdate-tests:base", "-", context=context.getvalue())
    assert made.returncode == 0, made.stderr
    base_argument = ("--build-arg", "BASE=backdate-tests:base")
    built = docker("build", "--network", "host", *base_argument, "--tag", BUILT, str(ROOT))
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    return BUILT


def run(
    image: str, *words: str, project: Path, rights: tuple[str, ...] = RIGHTS
) -> subprocess.CompletedProcess[str]:
    mounted = ("--volume", f"{project}:/project:ro")
    return docker("run", "--rm", "--network", "host", *rights, *mounted, image, *words)


TESTS = """\
import os, socket
import iniconfig
import pytest

def test_the_project_works():
    assert iniconfig.IniConfig

def test_nothing_else_is_seen():
    assert not os.path.exists("/home/backdate/.cache/backdate/runs")
    assert not os.path.exists("/project/pyproject.toml")

def test_there_is_no_network():
    with pytest.raises(OSError):
        socket.create_connection(("1.1.1.1", 443), timeout=2)

def test_no_capability():
    status = open("/proc/self/status").read()
    assert "CapEff:\\t0000000000000000" in status
    assert "CapBnd:\\t0000000000000000" in status
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    metadata = '[project]\nname = "demo"\nversion = "1"\ndependencies = ["iniconfig"]\n'
    (folder / "pyproject.toml").write_text(metadata)
    (folder / "tests" / "test_demo.py").write_text(TESTS)
    return folder


def test_a_check_runs_in_the_container_and_its_sandbox_holds(image: str, project: Path) -> None:
    asked = ("check", "--from", "2023-06-01", "--to", "2024-06-01", "--python", "3.11")
    checked = run(image, *asked, project=project)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "4 passed" in checked.stdout


def test_without_the_rights_it_refuses_and_says_which(image: str, project: Path) -> None:
    refused = run(image, "check", "--from", "2023-06-01", project=project, rights=())
    assert refused.returncode == 4
    assert "systempaths=unconfined" in refused.stderr


def test_what_the_filter_denies(image: str, project: Path) -> None:
    script = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace(0, 0, 0, 0)
print(ctypes.get_errno())
"""
    entry = ("--entrypoint", "python3")
    denied = docker("run", "--rm", *RIGHTS, *entry, "--volume", f"{project}:/project:ro", image, "-c", script)
    assert denied.stdout.strip() == "1", denied.stderr
