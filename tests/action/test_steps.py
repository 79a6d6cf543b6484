"""Every shell step of the action, with programs that stand in for what a runner has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from issue_server import stand_in
from ruamel.yaml import YAML
from stored_results import make_bisection, make_check_result

from backdate.serial import to_json

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = YAML(typ="safe").load(ROOT / "action.yml")
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


@dataclass
class Ran:
    """How a step ended."""

    status: int
    said: str
    environment: str
    """What it left in ``GITHUB_ENV``."""
    outputs: dict[str, str]


@dataclass
class Step:
    """Runs one script of the action with the programs of ``bin`` before those of the system."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def __call__(self, script: str, **variables: str) -> Ran:
        files = {name: self.folder / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        done = subprocess.run(
            [ROOT / "action" / script],
            env={
                "PATH": f"{self.bin}:{os.defpath}",
                "HOME": str(self.folder),
                "RUNNER_TEMP": str(self.folder / "temp"),
                "GITHUB_ACTION_PATH": str(ROOT),
                **{name: str(file) for name, file in files.items()},
                **variables,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return Ran(done.returncode, done.stdout, files["GITHUB_ENV"].read_text(), outputs)


@pytest.fixture
def step(tmp_path: Path) -> Step:
    (tmp_path / "temp").mkdir()
    return Step(tmp_path)


@dataclass
class Machine:
    """A runner: bubblewrap of some version, and what its kernel allows."""

    step: Step

    def __post_init__(self) -> None:
        self.settings = self.step.folder / "sys" / "kernel"
        self.settings.mkdir(parents=True)
        stand_in(self.step.bin, "id", "#!/bin/sh\necho ${AS_ROOT:-1000}\n")
        stand_in(self.step.bin, "sudo", '#!/bin/sh\n[ "$1" = -n ] && shift\nAS_ROOT=0 exec "$@"\n')
        drop = '[ "$*" != "${*#--reuid 61100 --regid 61100 --clear-groups }" ] || exit 1; shift 5'
        stand_in(
            self.step.bin,
            "setpriv",
            f'#!/bin/sh\n[ -n "$AS_ROOT" ] || exit 1\n{drop}\nAS_ROOT=61100 exec "$@"\n',
        )
        self.offer(None)
        self.sysctl(works=True)

    def bubblewrap(self, version: str | None, *, ordinary: str = "true", dropped: str = "true") -> None:
        """Its version, and commands that say whether it makes namespaces for the user and another."""
        (self.step.bin / "bwrap").unlink(missing_ok=True)
        if version is None:
            stand_in(self.step.bin, "bwrap", "#!/bin/sh\nexit 127\n")  # the system's own is not meant
            return
        text = f"""#!/bin/sh
if [ "$1" = --version ]; then echo bubblewrap {version}; exit; fi
case "$AS_ROOT" in 0) true ;; 61100) {dropped} ;; *) {ordinary} ;; esac
"""
        stand_in(self.step.bin, "bwrap", text)

    def offer(self, version: str | None) -> None:
        """What apt-get installs; None: it fails."""
        install = "exit 100"
        if version is not None:
            install = (
                f"sed -i 's/exit 127/echo bubblewrap {version}/; s/bubblewrap [0-9.]*/bubblewrap {version}/' "
            )
            install += str(self.step.bin / "bwrap")
        text = f'#!/bin/sh\n[ -n "$AS_ROOT" ] || exit 100\n[ "$1" = update ] || {install}\n'
        stand_in(self.step.bin, "apt-get", text)

    def sysctl(self, *, works: bool) -> None:
        """The program that sets the kernel."""
        set_it = f'name=${{3%%=*}}; echo "${{3#*=}}" > {self.settings.parent}/$(echo "$name" | tr . /)'
        text = f'#!/bin/sh\n[ -n "$AS_ROOT" ] || exit 1\n{set_it if works else "exit 255"}\n'
        stand_in(self.step.bin, "sysctl", text)

    def ran(self) -> Ran:
        return self.step("sandbox.sh", BACKDATE_SYSCTL=str(self.settings.parent))


@pytest.fixture
def machine(step: Step) -> Machine:
    return Machine(step)


def test_a_machine_on_which_all_is_well(machine: Machine) -> None:
    machine.bubblewrap("0.9.0")
    ran = machine.ran()
    assert (ran.status, ran.environment) == (0, "")
    assert ran.said == "backdate: bubblewrap 0.9.0\nbackdate: the sandbox works\n"


@pytest.mark.parametrize("old", [None, "0.4.0", "0.6.1", "0.7.99"])
def test_an_old_bubblewrap_or_none_is_replaced(machine: Machine, old: str | None) -> None:
    machine.bubblewrap(old)
    machine.offer("0.10.0")
    ran = machine.ran()
    assert ran.status == 0
    assert f"0.8 or newer is needed, and {old or 'none'} is here; installing it" in ran.said
    assert "bubblewrap 0.10.0" in ran.said


def test_a_system_that_offers_an_old_bubblewrap(machine: Machine) -> None:
    machine.bubblewrap("0.6.1")
    machine.offer("0.6.1")
    ran = machine.ran()
    assert ran.status == 4
    assert (
        "::error title=backdate::bubblewrap 0.8 or newer is needed, and this system offers 0.6.1" in ran.said
    )


def test_a_system_without_a_package_manager_that_works(machine: Machine) -> None:
    machine.bubblewrap(None)
    ran = machine.ran()
    assert ran.status == 4
    assert "install bubblewrap 0.8 or newer in a step before" in ran.said


@pytest.mark.parametrize(
    ("name", "refuses", "allows"),
    [("apparmor_restrict_unprivileged_userns", "1", "0"), ("unprivileged_userns_clone", "0", "1")],
)
def test_a_kernel_that_refuses_namespaces_is_told_to_allow_them(
    machine: Machine, name: str, refuses: str, allows: str
) -> None:
    setting = machine.settings / name
    setting.write_text(f"{refuses}\n")
    machine.bubblewrap("0.9.0", ordinary=f"grep -q {allows} {setting}")
    ran = machine.ran()
    assert (ran.status, ran.environment) == (0, "")
    assert f"kernel.{name} keeps ordinary users from namespaces; setting it to {allows}" in ran.said
    assert setting.read_text() == f"{allows}\n"


def test_root_is_used_where_the_runners_user_alone_is_refused(machine: Machine) -> None:
    (machine.settings / "apparmor_restrict_unprivileged_userns").write_text("1\n")
    machine.sysctl(works=False)
    machine.bubblewrap("0.9.0", ordinary="exit 1")
    ran = machine.ran()
    assert (ran.status, ran.environment) == (0, "BACKDATE_AS_ROOT=1\n")
    assert "runs as root and drops to an ordinary user" in ran.said


def test_a_container_that_gives_nobody_namespaces(machine: Machine) -> None:
    machine.bubblewrap("0.9.0", ordinary="exit 1", dropped="exit 1")  # for root itself it would work
    ran = machine.ran()
    assert (ran.status, ran.environment) == (4, "")
    assert "::error title=backdate::the sandbox does not work here" in ran.said


PYTHON = """#!/bin/sh
case "$*" in
  *version_info*) {old} ;;
  "-I -m venv "*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python"
    printf '#!/bin/sh\\necho backdate 9\\n' > "$4/bin/backdate"; chmod +x "$4/bin/backdate" ;;
  *) echo "$@" >> {log} ;;
esac
"""


def test_backdate_is_installed_from_the_checkout_of_the_action(step: Step) -> None:
    log = step.folder / "log"
    stand_in(step.bin, "python3", PYTHON.format(old="exit 0", log=log))
    ran = step("install.sh")
    assert ran.status == 0, ran.said
    assert log.read_text() == f"-I -m pip install -q --disable-pip-version-check {ROOT}\n"
    environment = step.folder / "temp" / "backdate-environment"
    cache = step.folder / "temp" / "backdate-cache"
    assert ran.environment == f"BACKDATE={environment}/bin/backdate\nBACKDATE_CACHE={cache}\n"
    assert ran.said.endswith("backdate 9\n")


def test_modules_of_the_project_take_no_part_in_the_installation(
    step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step runs in the checkout, where Python looks for modules first."""
    checkout = step.folder / "checkout"
    checkout.mkdir()
    for module in ("venv", "pip", "json"):
        (checkout / f"{module}.py").write_text("open('../planted', 'w').close()\n")
    monkeypatch.chdir(checkout)
    # What is not isolated is run by Python itself.
    text = PYTHON.format(old=":", log="/dev/null")
    real = f'[ "$1" = -I ] || exec {sys.executable} "$@"'
    stand_in(step.bin, "python3", text.replace("#!/bin/sh\n", f"#!/bin/sh\n{real}\n"))
    ran = step("install.sh")
    assert not (step.folder / "planted").exists()
    assert ran.status == 0, ran.said


def test_a_runner_whose_pythons_are_old(step: Step) -> None:
    for name in ("python3", *(f"python3.{minor}" for minor in range(11, 15))):
        stand_in(step.bin, name, PYTHON.format(old="exit 1", log="/dev/null"))
    ran = step("install.sh")
    assert ran.status == 4
    assert "no Python 3.11 or newer is here" in ran.said


BACKDATE = f"""#!{sys.executable}
import json, os, shutil, sys
from pathlib import Path
here = Path(__file__).parent
with (here / "calls").open("a") as log:
    log.write(json.dumps([sys.argv[1:], dict(os.environ)]) + "\\n")
if sys.argv[1] == "show":
    file = Path(sys.argv[sys.argv.index("-o") + 1])
    if file.suffix == ".md":
        from backdate.cli.main import run
        run(sys.argv[1:])
    file.touch()
    sys.exit(1)
else:
    Path(sys.argv[sys.argv.index("-o") + 1]).write_text(f"::error::{{sys.argv[1]}}\\n")
    Path(os.environ["GITHUB_STEP_SUMMARY"]).write_text(f"# {{sys.argv[1]}}\\n")
stored = here / (sys.argv[1] + ".json")
if stored.exists():
    shutil.copy(stored, sys.argv[sys.argv.index("--json") + 1])
sys.exit(int((here / (sys.argv[1] + ".status")).read_text()))
"""


@dataclass
class Checked:
    """A ``backdate`` whose answers are known."""

    step: Step

    def __post_init__(self) -> None:
        self.program = stand_in(self.step.folder / "tool", "backdate", BACKDATE)
        self.answers("check", to_json(make_check_result()), 1)
        self.answers("bisect", to_json(make_bisection()), 1)
        (self.step.folder / "project").mkdir()

    def answers(self, command: str, data: bytes, status: int) -> None:
        """What the command writes and ends with; nothing is written for no data."""
        (self.program.parent / f"{command}.status").write_text(str(status))
        if data:
            (self.program.parent / f"{command}.json").write_bytes(data)
        else:
            (self.program.parent / f"{command}.json").unlink(missing_ok=True)

    def ran(self, **variables: str) -> Ran:
        return self.step(
            "check.sh",
            **{"BACKDATE": str(self.program), "SOURCE": str(self.step.folder / "project"), **variables},
        )

    @property
    def calls(self) -> list[tuple[list[str], dict[str, str]]]:
        return [tuple(json.loads(line)) for line in (self.program.parent / "calls").read_text().splitlines()]


@pytest.fixture
def checked(step: Step) -> Checked:
    return Checked(step)


def test_where_something_broke_the_culprits_are_searched_for(checked: Checked) -> None:
    ran = checked.ran(AS="both", FROM="2021-03-01", TO="", ARGUMENTS="--env 'A=b c' --no-store")
    assert ran.status == 0, ran.said
    folder = checked.step.folder / "temp" / "backdate"
    assert ran.outputs == {"status": "1", "folder": str(folder), "report": f"{folder}/report.html"}
    more = ["--from", "2021-03-01", "--env", "A=b c", "--no-store"]
    project = str(checked.step.folder / "project")
    first, second, *shows = [call for call, _ in checked.calls]
    assert first == [
        "check",
        project,
        "--as",
        "both",
        "--format",
        "github",
        "-o",
        f"{folder}/parts/check.annotations",
        "--json",
        f"{folder}/check.json",
        *more,
    ]
    assert second == [
        "bisect",
        project,
        "--as",
        "lifted",
        "--format",
        "github",
        "-o",
        f"{folder}/parts/bisection.annotations",
        "--json",
        f"{folder}/bisection.json",
        *more,
    ]
    assert {call[1] for call in shows} == {f"{folder}/bisection.json"}
    assert (folder / "report.md").read_text().startswith("# thing: numpy 1.24.0 breaks 1 test\n")
    assert {path.name for path in folder.iterdir()} == {
        *("check.json", "bisection.json"),
        *(f"report.{form}" for form in ("md", "html", "xml", "sarif")),
    }


def test_a_green_check_searches_for_nothing(checked: Checked) -> None:
    checked.answers("check", to_json(make_check_result(verdict="nothing-broke")), 0)
    ran = checked.ran()
    assert ran.outputs["status"] == "0"
    assert [call[0] for call, _ in checked.calls] == ["check", "show", "show", "show", "show"]


@pytest.mark.slow
def test_a_bisection_can_be_left_out_and_one_without_a_culprit_says_nothing(checked: Checked) -> None:
    checked.ran(BISECT="false")
    assert "bisect" not in [call[0] for call, _ in checked.calls]
    checked.answers("bisect", to_json(make_bisection(findings=())), 2)
    assert checked.ran().outputs["status"] == "1"
    text = (checked.step.folder / "temp" / "backdate" / "report.md").read_text()
    assert text.startswith("# thing: dependency updates broke 1 test\n")


@pytest.mark.slow
def test_annotations_and_summary_are_of_one_answer(checked: Checked) -> None:
    summary = checked.step.folder / "summary"
    ran = checked.ran(GITHUB_STEP_SUMMARY=str(summary))
    assert [line for line in ran.said.splitlines() if line.startswith("::")] == ["::error::bisect"]
    text = summary.read_text()
    assert text.index("# bisect") < text.index("<details><summary>The check</summary>\n\n# check")
    checked.answers("bisect", to_json(make_bisection(findings=())), 2)
    ran = checked.ran(GITHUB_STEP_SUMMARY=str(summary))
    assert [line for line in ran.said.splitlines() if line.startswith("::")] == ["::error::check"]
    assert summary.read_text() == "# check\n"


def test_misuse_leaves_no_report(checked: Checked) -> None:
    checked.answers("check", b"", 3)
    ran = checked.ran()
    assert (ran.status, ran.outputs["status"]) == (0, "3")
    assert [call[0] for call, _ in checked.calls] == ["check"]


def test_no_token_is_in_the_environment_of_what_runs_project_code(checked: Checked) -> None:
    doors = dict.fromkeys(
        ("GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"), "door"
    )
    doors |= {"PYPI_PASSWORD": "door", "CLIENT_SECRET": "door", "DEPLOY_KEY": "door", "MY_PAT": "door"}
    checked.ran(**doors)
    for _, environment in checked.calls:
        assert "door" not in environment.values()


def test_a_token_in_the_checkout_is_warned_of(checked: Checked) -> None:
    project = checked.step.folder / "project"
    subprocess.run(["git", "init", "-q", project], check=True)
    header = ["http.https://github.com/.extraheader", "AUTHORIZATION: basic eA=="]
    subprocess.run(["git", "-C", project, "config", *header], check=True)
    assert "persist-credentials: false" in checked.ran().said


@pytest.mark.parametrize(
    ("status", "words"), [("0", "nothing broke"), ("1", "broke"), ("2", "no answer"), ("3", "status 3")]
)
def test_the_job_ends_as_the_check_did(step: Step, status: str, words: str) -> None:
    ran = step("finish.sh", STATUS=status)
    assert ran.status == int(status)
    assert words in ran.said
    assert step("finish.sh").status == 70


def test_every_shell_step_is_a_script_of_the_repository() -> None:
    scripts = [one["run"] for one in STEPS if "run" in one]
    named = [text.rpartition("/action/")[2].rstrip('"') for text in scripts]
    assert sorted(named) == sorted(path.name for path in (ROOT / "action").iterdir() if path.is_file())
    for text, name in zip(scripts, named, strict=True):
        assert "${{" not in text  # what an input says is no part of a script
        assert name.endswith(".py") or os.access(ROOT / "action" / name, os.X_OK)


def test_one_step_alone_has_the_token() -> None:
    with_token = [one["name"] for one in STEPS if "token" in str(one.get("env", {})).lower()]
    assert with_token == ["Check", "Keep the issue"]
    check = next(one for one in STEPS if one["name"] == "Check")
    assert (check["env"]["GITHUB_TOKEN"], check["env"]["GH_TOKEN"]) == ("", "")
    assert all("inputs.token" not in str(one) for one in STEPS if one["name"] != "Keep the issue")


def test_only_what_is_checked_by_hash_is_kept_and_never_by_a_pull_request() -> None:
    restore, save = (one for one in STEPS if "cache" in one.get("uses", ""))
    assert restore["with"]["path"] == save["with"]["path"]
    kept = {line.rpartition("backdate-cache/")[2] for line in save["with"]["path"].splitlines()}
    assert kept == {"downloads", "index", "wheels", "built/wheels"}
    assert "pull_request" not in save["if"]
    assert "github.ref_name == github.event.repository.default_branch" in save["if"]
