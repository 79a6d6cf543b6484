"""Install commands, whichever tool they name, as install steps."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from packaging.requirements import Requirement

from backdate.recipes.actions import Action, Delegation
from backdate.recipes.command import ParsedOptions, ProgramCall, read_options
from backdate.recipes.files import normal_path
from backdate.recipes.recipe import InstallStep, Provenance, SkippedInstruction, SystemPackages
from backdate.text import UNREADABLE

_PIP_WITH_VALUE = (
    *("-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-i", "--index-url", "-f"),
    *("--extra-index-url", "--index", "--find-links", "-t", "--target", "--prefix", "--root", "--src"),
    *("--cache-dir", "--python-version", "--platform", "--abi", "--implementation", "--no-binary"),
    *("--only-binary", "--trusted-host", "--proxy", "--retries", "--timeout", "--default-timeout"),
    *("--progress-bar", "--log", "--config-settings", "-C", "--global-option", "--install-option"),
    *("--build-option", "--upgrade-strategy", "--use-feature", "--use-deprecated", "--report", "--python"),
    *("-p", "--exclude-newer", "--resolution", "--prerelease", "--group", "--extra", "-b", "--build"),
    *(
        "--cert",
        "--upgrade-package",
        "-P",
        "--index-strategy",
        "--override",
        "--overrides",
        "--exists-action",
    ),
)
_PUBLIC_INDEXES = re.compile(r"https?://(?:pypi\.org|pypi\.python\.org|files\.pythonhosted\.org)(?:/|\Z)")
_ADDRESS = re.compile(r"(?:git|hg|svn|bzr)\+\S+|https?://\S+|git://\S+")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._,-]*\])?)")
_PATH = re.compile(r"(?P<path>[^\[\]]*)(?:\[(?P<extras>[^\[\]]*)\])?\Z", re.DOTALL)
_BUILT = re.compile(r"\S*(?:\.whl|\.tar\.gz|\.zip|(?:^|/)dist/\*\S*)(?:\[(?P<extras>[^\[\]]*)\])?\Z")
_SYSTEM_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]*(?::[a-z0-9]+)?(?:=[^\s=]+)?\Z")
_CONDA_PACKAGE = re.compile(r"[A-Za-z0-9][^\s;|&]*\Z")


def install_with_pip(command: ProgramCall) -> Iterator[Action]:
    """``pip install …``, given as ``install …``."""
    options = read_options(command.arguments, _PIP_WITH_VALUE)
    if not all(word.isprintable() for word in command.words):
        yield command.skipped("there are control characters in it")
        return
    for name, value in options.values:
        if name in ("-i", "--index-url") and not _PUBLIC_INDEXES.match(value):
            yield command.skipped(f"installs from another package index: {_without_secrets(value)}")
            return
        if name in ("--extra-index-url", "--index", "-f", "--find-links"):
            yield command.skipped(f"another place for distributions is not used: {_without_secrets(value)}")
        if name in ("--target", "-t", "--prefix", "--root") and value:
            yield command.skipped(f"{name} installs outside the environment; it is installed inside instead")
    for name, value in options.values:
        if name in ("-r", "--requirement"):
            yield _file_step(command, value, "requirements", options)
        elif name in ("-c", "--constraint"):
            yield _file_step(command, value, "constraints", options)
        elif name in ("-e", "--editable"):
            yield _target(command, value, editable=True)
        elif name == "--group":
            yield from _groups(command, [value.rpartition(":")[2]], "dependency-groups")
    packages: list[str] = []
    for word in options.positional:
        step = _target(command, word)
        if isinstance(step, InstallStep) and step.kind == "packages":
            packages += step.packages
        else:
            yield step
    if packages:
        yield InstallStep(kind="packages", packages=tuple(packages), provenance=command.provenance)


def _without_secrets(address: str) -> str:
    return re.sub(r"//[^/@\s]*@", "//…@", address)[:200]


def _file_step(
    command: ProgramCall, file: str, kind: str, options: ParsedOptions
) -> InstallStep | SkippedInstruction:
    if _ADDRESS.match(file):
        return command.skipped(f"a requirements file outside the project: {_without_secrets(file)}")
    path = normal_path(command.cwd, file)
    if path is None:
        return command.skipped(f"{file[:100]} leads out of the project")
    if posixpath.basename(path) in ("pyproject.toml", "setup.py", "setup.cfg"):
        folder = posixpath.dirname(path) or "."
        return project_step(command, folder, options.all("--extra"))
    is_folder = path == "." or posixpath.basename(path) in command.files.folders(
        posixpath.dirname(path) or "."
    )
    if is_folder or not command.files.has(path):
        return command.skipped(f"there is no file {path[:200]}")
    if kind == "constraints":
        return InstallStep(kind="constraints", file=path, provenance=command.provenance)
    return InstallStep(kind="requirements", file=path, provenance=command.provenance)


def _target(command: ProgramCall, word: str, *, editable: bool = False) -> InstallStep | SkippedInstruction:
    """What one thing to install is: the project or a folder of it, an address, or a requirement."""
    if _ADDRESS.match(word):
        egg = _EGG.search(word)
        written = f"{egg[1]} @ {word.split('#', maxsplit=1)[0]}" if egg else word
        if "@" in word.partition("://")[2].partition("/")[0].removeprefix("git@"):
            return command.skipped(f"an address with a user or a token in it: {_without_secrets(word)}")
        return InstallStep(kind="packages", packages=(written,), provenance=command.provenance)
    built = _BUILT.match(word)
    if built and "://" not in word:
        return project_step(command, ".", (built["extras"] or "").split(","))
    matched = _PATH.match(word)
    looks_local = word.startswith((".", "/", "~")) or "/" in word.partition("[")[0]
    if matched and (looks_local or editable):
        path = normal_path(command.cwd, matched["path"] or ".")
        if path is None:
            return command.skipped(f"{word[:100]} leads out of the project")
        return project_step(command, path, (matched["extras"] or "").split(","), editable=editable)
    try:
        requirement = Requirement(word)
    except UNREADABLE:
        return command.skipped(f"{word[:100]!r} is not a requirement")
    return InstallStep(kind="packages", packages=(str(requirement),), provenance=command.provenance)


def project_step(
    command: ProgramCall, folder: str, extras: Sequence[str] = (), *, editable: bool = False
) -> InstallStep | SkippedInstruction:
    """The project itself, or the one in a folder of it."""
    names = ("setup.py", "pyproject.toml", "setup.cfg")
    if not any(command.files.has(posixpath.join(folder, name)) for name in names):
        return command.skipped(f"there is nothing to install in {folder[:200]}")
    return InstallStep(
        kind="project",
        file=folder,
        extras=tuple(dict.fromkeys(extra.strip() for extra in extras if extra.strip())),
        editable=editable,
        provenance=command.provenance,
    )


def install_line(command: ProgramCall, line: str) -> tuple[Action, ...]:
    """One line in the format of requirements files, as tox and conda take them."""
    option, _, rest = line.partition(" ")
    if option in ("-r", "-c", "-e", "--requirement", "--constraint", "--editable"):
        return tuple(install_with_pip(command.having(("install", option, rest.strip()))))
    if line.startswith("-") and (not rest or line.startswith(("-r", "-c", "-e"))):
        return tuple(install_with_pip(command.having(("install", *line.split()))))
    return tuple(install_with_pip(command.having(("install", *_options_apart(line)))))


def _options_apart(line: str) -> list[str]:
    """The requirement of a line, and the options that pip allows behind it as words of their own."""
    requirement, *options = re.split(r"(?<!\s)\s+(?=--)", line)
    return [requirement.strip(), *options]


def install_with_setup_script(command: ProgramCall) -> Iterator[Action]:
    """``python setup.py install|develop|test|…``, given as ``setup.py …``."""
    folder = normal_path(command.cwd, posixpath.dirname(command.words[0]) or ".")
    verbs = set(command.arguments)
    if folder is None:
        yield command.skipped("a setup.py outside the project")
    elif verbs & {"test", "pytest", "nosetests", "ptr"}:
        yield project_step(command, folder)
        if command.files.declared().tests_require:
            yield InstallStep(
                kind="packages",
                packages=command.files.declared().tests_require,
                provenance=command.provenance,
            )
        yield Delegation(to="suite", cwd=folder, variables=command.variables, provenance=command.provenance)
    elif verbs & {"install", "develop", "build_ext", "build", "build_py", "sdist", "bdist_wheel"}:
        if verbs & {"sdist", "bdist_wheel"} and not verbs & {"install", "develop"}:
            yield command.skipped("it builds distributions, which a test run does not need")
            return
        yield project_step(command, folder, editable="develop" in verbs)
    else:
        yield command.skipped("setup.py installs nothing here")


def _groups(command: ProgramCall, names: Sequence[str] | None, where: str) -> Iterator[Action]:
    """The requirements of groups that pyproject.toml declares; ``names`` None for all of them."""
    known = {name: packages for name, packages, table in command.files.declared().groups if where in table}
    for name in known if names is None else names:
        if name not in known:
            yield command.skipped(f"pyproject.toml declares no group {name[:100]}")
        elif known[name]:
            yield InstallStep(kind="packages", packages=known[name], provenance=command.provenance)


def _extras(command: ProgramCall, options: ParsedOptions, *names: str) -> list[str]:
    if options.has("--all-extras"):
        return [name for name, _ in command.files.declared().extras]
    values = options.all(*names)
    return [part for value in values for part in value.split()]


def _poetry(command: ProgramCall) -> Iterator[Action]:
    if command.arguments[:1] not in (("install",), ("sync",), ("update",)):
        yield command.skipped("poetry installs nothing here")
        return
    options = read_options(
        command.arguments[1:], ("--with", "--without", "--only", "-E", "--extras", "-C", "--directory", "-P")
    )
    yield project_step(
        command, normal_path(".", command.cwd) or ".", _extras(command, options, "-E", "--extras")
    )
    left_out = set(options.all("--without"))
    if options.has("--no-dev"):
        return
    only = options.all("--only")
    declared = [name for name, _, where in command.files.declared().groups if "tool.poetry" in where]
    chosen = only or [name for name in declared if name not in left_out]
    yield from _groups(command, [name for name in chosen if name not in ("main", "root")], "tool.poetry")


def _pdm(command: ProgramCall) -> Iterator[Action]:
    if command.arguments[:1] not in (("install",), ("sync",), ("update",)):
        yield command.skipped("pdm installs nothing here")
        return
    options = read_options(command.arguments[1:], ("-G", "--group", "--with", "--without", "-p", "-L"))
    declared = command.files.declared()
    extras = {name for name, _ in declared.extras}
    groups = [name for name, _, where in declared.groups if "pdm" in where or "dependency-groups" in where]
    asked = options.all("-G", "--group", "--with")
    if ":all" in asked:
        asked = [*extras, *groups]
    yield project_step(command, command.cwd, [name for name in asked if name in extras])
    if not options.has("--prod", "--production", "--no-dev"):
        left_out = set(options.all("--without"))
        for where in ("pdm", "dependency-groups"):
            named = [n for n, _, table in declared.groups if where in table and n not in left_out]
            yield from _groups(command, named, where)


def _pipenv(command: ProgramCall) -> Iterator[Action]:
    if command.arguments[:1] not in (("install",), ("sync",), ("update",)):
        yield command.skipped("pipenv installs nothing here")
        return
    options = read_options(
        command.arguments[1:], ("-r", "--requirements", "-e", "--editable", "--python", "-i")
    )
    arguments = [
        word for word in command.arguments[1:] if word not in ("--dev", "-d", "--system", "--deploy")
    ]
    if options.positional or options.has("-r", "-e", "--requirements", "--editable"):
        yield from install_with_pip(command.having(("install", *arguments)))
        return
    declared = command.files.declared()
    if not command.files.has("Pipfile"):
        yield command.skipped("there is no Pipfile")
        return
    if declared.runtime:
        yield InstallStep(kind="packages", packages=declared.runtime, provenance=command.provenance)
    if options.has("--dev", "-d"):
        yield from _groups(command, None, "Pipfile")


def _uv(command: ProgramCall) -> Iterator[Action]:
    verb = command.arguments[:1]
    if verb != ("sync",):
        yield command.skipped("uv installs nothing here")
        return
    options = read_options(command.arguments[1:], ("--extra", "--group", "--only-group", "-p", "--python"))
    declared = command.files.declared()
    yield project_step(command, command.cwd, _extras(command, options, "--extra"))
    every = [name for name, _, where in declared.groups if "dependency-groups" in where]
    asked = every if options.has("--all-groups") else options.all("--group", "--only-group")
    if "dev" in every and not options.has("--no-dev", "--no-default-groups") and "dev" not in asked:
        asked = ["dev", *asked]
    yield from _groups(command, asked, "dependency-groups")
    if not options.has("--no-dev"):
        yield from _groups(command, None, "tool.uv")


def _flit(command: ProgramCall) -> Iterator[Action]:
    options = read_options(command.arguments[1:], ("--deps", "--extras", "--python"))
    if command.arguments[:1] != ("install",):
        yield command.skipped("flit installs nothing here")
        return
    declared = [name for name, _ in command.files.declared().extras]
    deps = (options.all("--deps") or ["all"])[0]
    extras = options.all("--extras") or {"all": declared, "develop": ["test", "doc", "dev"]}.get(deps, [])
    if extras == ["all"]:
        extras = declared
    yield project_step(command, command.cwd, [name for name in extras if name in declared])


def _conda(command: ProgramCall) -> Iterator[Action]:
    arguments = command.arguments
    options = read_options(
        arguments, ("-n", "--name", "-c", "--channel", "-p", "--prefix", "-f", "--file", "--solver")
    )
    verbs = options.positional
    files = options.all("-f", "--file")
    if verbs[:1] == ("env",) or (
        verbs[:1] == ("create",) and any(f.endswith((".yml", ".yaml")) for f in files)
    ):
        for file in files or ["environment.yml"]:
            path = normal_path(command.cwd, file)
            if path is None or not command.files.has(path):
                yield command.skipped(f"there is no file {file[:100]}")
            else:
                yield Delegation(to="conda", arguments=(path,), provenance=command.provenance)
    elif verbs[:1] in (("install",), ("create",)):
        packages = [word for word in verbs[1:] if _CONDA_PACKAGE.match(word)]
        if packages:
            yield SystemPackages(manager="conda", packages=tuple(packages), provenance=command.provenance)
        for file in files:
            yield command.skipped(f"{file[:100]} lists packages of conda, which are not installed")
    else:
        yield command.skipped("conda installs nothing here")


def _apt(command: ProgramCall) -> Iterator[Action]:
    options = read_options(command.arguments, ("-o", "-t", "-c", "--option", "--target-release"))
    if options.positional[:1] not in (("install",), ("satisfy",), ("build-dep",)):
        yield command.skipped("apt installs nothing here")
        return
    yield from debian_packages(options.positional[1:], command.provenance)


def debian_packages(names: Sequence[str], provenance: Provenance) -> Iterator[Action]:
    """Those of ``names`` that are names of Debian packages; the others are skipped."""
    packages = tuple(name for name in names if _SYSTEM_PACKAGE.match(name))
    if packages:
        yield SystemPackages(manager="apt", packages=packages, provenance=provenance)
    for name in names:
        if name not in packages:
            yield SkippedInstruction(
                reason=f"{name[:100]!r} is not the name of a Debian package", provenance=provenance
            )


def _other_system(command: ProgramCall) -> Iterator[Action]:
    yield command.skipped("packages of another operating system are not installed")


INSTALLERS: Mapping[str, Callable[[ProgramCall], Iterable[Action]]] = {
    "poetry": _poetry,
    "pdm": _pdm,
    "pipenv": _pipenv,
    "uv": _uv,
    "flit": _flit,
    "conda": _conda,
    "mamba": _conda,
    "micromamba": _conda,
    "apt-get": _apt,
    "apt": _apt,
    "aptitude": _apt,
    **dict.fromkeys(("yum", "dnf", "apk", "brew", "choco", "pacman", "zypper", "port"), _other_system),
}
"""By program name."""
