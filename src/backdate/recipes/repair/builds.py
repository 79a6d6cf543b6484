"""Builds that fail: under build tools that are too new, or without what they do not declare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.index.names import requirement_name
from backdate.knowledge import load
from backdate.knowledge.changes import build_tool_changes
from backdate.recipes.recipe import BuildRequirement, Recipe, SystemPackages
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.missing_modules import candidates_for
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    because,
    first_match,
    nearest_python,
    with_build_constraints,
    with_interpreter,
    with_variables,
)
from backdate.recipes.repair.requirements import RequirementLine, rewritten
from backdate.recipes.repair.signs import NO_SOURCE, REACHED_OUT
from backdate.recipes.repair.unsatisfiable import FAILED_BUILD

USE_2TO3 = re.compile(r"use_2to3 is invalid")
_MISSING = re.compile(
    r"(?:ModuleNotFoundError|ImportError): No module named '?([A-Za-z_][\w.]{0,100})'?", re.ASCII
)
_NAME = r"[`'\"]?([A-Za-z][A-Za-z0-9_]{1,40})[`'\"]?"
_WHEN = r"(?:during|for|before|prior to|to)[^\n]{0,40}?(?:install|build|buil[dt]|compil|set ?up|setup\.py)"
_SAID_MISSING = (
    re.compile(
        rf"^\s*(?:\w*Error: )?{_NAME}(?: package| module)? (?:is|must be|has to be|needs to be) "
        rf"(?:required|needed|installed|available|present) {_WHEN}",
        re.ASCII | re.MULTILINE,
    ),
    re.compile(
        rf"(?:[Pp]lease|[Yy]ou (?:need|have) to|[Yy]ou must) (?:first )?(?:pip )?install {_NAME}"
        r"(?: package| module)? (?:first|before|prior to)\b",
        re.ASCII,
    ),
)
"""What a setup.py says itself of an import that failed: "numpy is required during installation"."""
_BUILT = re.compile(
    r"(?:Failed to (?:build|download and build)|failed to build|"
    r"Building wheel for) [`']?([A-Za-z0-9][\w.-]{0,100}?)(?:==|\s@|[`' ]|$)"
)
_PIP_INTERNAL = re.compile(
    r"No module named '?pip\.(?:req|download|_internal)|cannot import name '?parse_requirements"
)
_PIP_PARSED = re.compile(r"'ParsedRequirement' object has no attribute '\w{1,40}'")
"""What pip's own reader of requirements files gives since 20.1 is no requirement."""
_SYSTEM_SIGNS = tuple(
    re.compile(sign)
    for sign in (
        r"fatal error: '?([\w./+-]{1,80}\.(?:h|hpp|hh))'?:? ",
        (
            r"([\w.+-]{1,40}-config)'?\"?(?: executable)?:? (?:not found|command not found|is required|"
            r"is not installed)"
        ),
        r"[Nn]o such file or directory: '([\w.+-]{1,40})'",
        r"(?:error|Error): (\w{1,10}_config) (?:executable )?(?:is )?(?:required|not found)",
        r"(mysql_config|pg_config)\b.{0,30}not found|/bin/sh: .{0,6}(mysql_config|pg_config)",
        r"[Pp]ackage '?([\w.+-]{1,40})'?,? (?:required by .{1,60}, )?(?:was )?not found in the pkg-config",
        r"No package '([\w.+-]{1,40})' found",
        (
            r"pkg-config --\w[\w -]{0,40} ([\w.+-]{1,40})'? (?:failed|returned)|"
            r"Can not find valid pkg-config name"
        ),
        r"[Ee]rror: command '?([\w.+/-]{1,60})'? failed: No such file",
        r"unable to execute '?([\w.+-]{1,40})'?: No such file",
        r"\bsh: (?:\d{1,6}: |line \d{1,6}: )?([\w.+-]{1,40}): (?:command )?not found",
        r"(?:cannot find|library not found for) -?l([\w.+-]{1,40})",
        r"\b([A-Za-z][\w+-]{2,40}) shared library not found",
        r"OSError: .{0,40}?(lib[\w.+-]{1,40})\.so",
        r"ImportError: (lib[\w.+-]{1,40}): cannot open shared object",
        r"locale\.Error: (unsupported locale setting)",
        (
            r"(lapack|spatialindex|libspatialindex|libmagic|enchant|cairo|rustc|cargo|cmake|"
            r"swig)\b.{0,60}(?:not found|not installed|required|could not)"
        ),
        r"[Cc]ould not find .{0,40}(spatialindex|lapack|geos|gdal|libmagic|swig)",
    )
)
_HINT = re.compile(
    r"\bapt(?:-get)? install (?:-[\w-]{1,30} ){0,3}"
    r"([a-z0-9][a-z0-9+.-]{1,80}(?: [a-z0-9][a-z0-9+.-]{1,80}){0,9})"
)
"""What a build, or an ImportError's message, tells people to install; other words may follow."""


def build_tools(context: RepairContext) -> Iterator[Repair]:
    """Build tools older than the change that breaks the build: setuptools 57 for ``use_2to3``."""
    if context.failure.phase == "tests":
        return
    text = context.failure.text
    limits, evidence = tool_limits(text)
    error = ErrorClass.USE_2TO3 if USE_2TO3.search(text) else ErrorClass.BUILD_TOOL
    changed = with_build_constraints(context.recipe, limits.values(), "build tool", "; ".join(evidence))
    if limits and changed != context.recipe:
        reason = f"{', '.join(limits.values())} for builds, as it says: {'; '.join(evidence)}"
        yield context.repaired(error, "build tool", reason, changed)


def tool_limits(text: str) -> tuple[dict[str, str], list[str]]:
    """The limits for isolated builds that a log asks for, by name, and what says so."""
    limits: dict[str, str] = {}
    evidence: list[str] = []
    for change in build_tool_changes():
        name = requirement_name(change.pin)
        pattern = change.pattern_for(text)
        match = None if pattern is None else first_match(pattern, text)
        if match and name and name not in limits:
            limits[name] = change.pin
            evidence.append(match[0])
    return limits, list(dict.fromkeys(evidence))


def build_requirements(context: RepairContext) -> Iterator[Repair]:
    """Modules that a setup.py imports, or asks for in words, without declaring them, given to that build."""
    failure = context.failure
    if failure.phase == "tests":
        return
    own = context.files.declared().name
    match = _BUILT.search(failure.text)
    whose = match[1] if match else own
    if whose is None:
        return
    needed: dict[str, str] = {}
    if first_match(_PIP_INTERNAL, failure.text):
        needed["pip<10"] = "pip.req"
    elif first_match(_PIP_PARSED, failure.text):
        needed["pip<20.1"] = "pip._internal.req"
    said = (match for sign in _SAID_MISSING for match in all_matches(sign, failure.text))
    for imported in (*all_matches(_MISSING, failure.text), *said):
        module = imported[1] if imported.re is _MISSING else imported[1].lower()
        if module in needed.values() or module.partition(".")[0] in (
            "setuptools",
            "pkg_resources",
            "distutils",
        ):
            continue
        if module.partition(".")[0] == "pip":
            needed.setdefault("pip<10" if "." in module else "pip", module)
            continue
        providers = context.index_facts.providers(module, candidates_for(module), failure.instant)
        if providers:
            needed.setdefault(providers[0], module)
    owners = dict.fromkeys(canonicalize_name(name) for name in (whose, own) if name)
    known = {
        (requirement.distribution, requirement.requirement)
        for requirement in context.recipe.build_requirements
    }
    reason = ", ".join(
        f"the build of {whose} wants {module}: {requirement}" for requirement, module in needed.items()
    )
    new = tuple(
        BuildRequirement(
            distribution=owner,
            requirement=requirement,
            provenance=because("missing build dependency", reason),
        )
        for owner in list(owners)[:1]
        for requirement in needed
        if (owner, requirement) not in known
    )
    if new:
        changed = replace(context.recipe, build_requirements=(*context.recipe.build_requirements, *new))
        rule = "missing build dependency"
        yield context.repaired(ErrorClass.MISSING_BUILD_DEPENDENCY, rule, reason, changed)


def system_names(text: str) -> dict[str, tuple[str, ...]]:
    """System files that a log reports as missing, with their Debian packages (empty where none is known)."""
    packages_by_name: dict[str, tuple[str, ...]] = {}
    for sign in _SYSTEM_SIGNS:
        for match in all_matches(sign, text):
            missing = next((group for group in match.groups() if group), None)
            if missing is None:
                continue
            packages = debian_packages(missing)
            if packages or missing.endswith((".h", "-config", "_config")):
                packages_by_name.setdefault(missing, packages)
    for match in all_matches(_HINT, text):
        known = {package for row in load.system_packages().system for package in row.packages}
        for name in match[1].split():
            if name.endswith("-dev") or name in known:
                packages_by_name.setdefault(name, (name,))
    return packages_by_name


def debian_packages(missing: str) -> tuple[str, ...]:
    """The packages that hold a header, program or library; none when it is not known."""
    base = missing.rpartition("/")[2] if missing.startswith("/") else missing
    rows = load.system_packages().system
    return next((row.packages for row in rows if any(_names(key, base) for key in row.missing)), ())


def _names(key: str, missing: str) -> bool:
    """Whether a key of the table matches the missing file."""
    begins = key.endswith("/") or key.startswith("lib")
    return missing in (key, f"lib{key}") or (begins and missing.startswith(key))


def system_packages(context: RepairContext) -> Iterator[Repair]:
    """A distribution with wheels in place of one that builds against the system; else system packages."""
    text = context.failure.text
    missing = system_names(text)
    if not missing:
        return
    evidence = ", ".join(missing)

    wheels = {row.distribution: row.instead for row in load.system_packages().wheel}

    def binary(line: RequirementLine) -> str | None:
        instead = wheels.get(line.name or "")
        requirement = line.requirement
        return f"{instead}{requirement.specifier}" if instead and requirement else line.text

    changed = rewritten(context.recipe, context.files, binary, "missing header", evidence)
    if changed != context.recipe:
        reason = f"a wheel instead of a build that lacks {evidence}"
        yield context.repaired(ErrorClass.MISSING_HEADER, "missing header", reason, changed)
    there = {
        package for system in context.recipe.system if system.manager == "apt" for package in system.packages
    }
    wanted = [package for packages in missing.values() for package in packages if package not in there]
    if wanted:
        packages = SystemPackages(
            manager="apt",
            packages=tuple(dict.fromkeys(wanted)),
            provenance=because("missing header", evidence),
        )
        changed = replace(context.recipe, system=(*context.recipe.system, packages))
        reason = f"{evidence}: Debian's {', '.join(dict.fromkeys(wanted))}"
        yield context.repaired(ErrorClass.MISSING_HEADER, "missing system package", reason, changed)


NO_VERSION = re.compile(
    r"setuptools[-_]scm was unable to detect version|Versioning for this project requires either an sdist|"
    r"Unable to determine (?:the )?version|unable to detect version for|vcs_versioning|"
    r"No version was detected|hatch.{0,20}vcs.{0,80}version|does not appear to be a (?:git|"
    r"Git) (?:repository|directory)|"
    r"This does not appear to be a Git repository|not a git repository|"
    r"versioningit could not find a version|not supported by setuptools-git-versioning"
)


def asks_nobody_else(line: str) -> bool:
    """Whether ``line`` is of a tool that takes a version from nothing but version control."""
    return "versioningit" in line or "setuptools-git-versioning" in line


def unknown_version(context: RepairContext) -> Iterator[Repair]:
    """A version for builds that read it from version control."""
    match = first_match(NO_VERSION, context.failure.text)
    if match is None or context.failure.phase == "tests" or asks_nobody_else(match.string):
        return
    version = context.failure.version_hint or "0.0.1"
    variables = {
        "SETUPTOOLS_SCM_PRETEND_VERSION": version,
        "PBR_VERSION": version,
        "POETRY_DYNAMIC_VERSIONING_BYPASS": version,
        "PDM_BUILD_SCM_VERSION": version,
    }
    changed = with_variables(context.recipe, variables, "unknown version", match[0])
    if changed != context.recipe:
        reason = f"the version is said to be {version}, as it says: {match[0]}"
        yield context.repaired(ErrorClass.UNKNOWN_VERSION, "unknown version", reason, changed)


_OLDER = "no wheel for the interpreter"
_COMMON_WORDS = frozenset({"dev", "config", "python", "tools", "common", "include", "usr", "bin", "lib"})
_COMPILER = re.compile(
    r"error: command '.{0,80}(?:gcc|cc|g\+\+|clang).{0,10}' failed|"
    r"^\S{1,300}\.(?:c|cc|cpp|cxx|h|hpp|pyx):\d+:\d+: error:"
)
_COMPILING = re.compile(
    r"error: command '.{0,80}(?:gcc|cc|g\+\+|clang).{0,10}' failed|error: legacy-install-failure|"
    r"Failed to build|Failed building wheel for|Could not build wheels"
)


def _never_a_wheel(context: RepairContext) -> bool:
    """Whether the failing distribution has no wheel at all, so that no interpreter helps."""
    text = context.failure.text
    names = {canonicalize_name(match[1].rstrip(".")) for match in all_matches(FAILED_BUILD, text)}
    names -= {canonicalize_name(context.files.declared().name or "")}
    if not names or not system_names(text):
        return False
    return not any(context.index_facts.has_wheels(name, context.failure.instant) for name in names)


def _own_hopeless(context: RepairContext) -> bool:
    """Whether only the project's own build fails, and an older interpreter would not help, or did not.

    A released distribution may have wheels for an older one; the project has none. Its C sources may want an
    older one: one is tried.
    """
    text = context.failure.text
    own = canonicalize_name(context.files.declared().name or "")
    names = {canonicalize_name(match[1].rstrip(".")) for match in all_matches(FAILED_BUILD, text)}
    if names - {own}:
        return False
    tried = context.recipe.interpreter
    again = tried is not None and tried.provenance.rule == f"repair: {_OLDER}"
    lacks = first_match(NO_SOURCE, text) is not None
    return again or lacks or first_match(_COMPILER, text) is None


def named_packages(text: str, recipe: Recipe) -> tuple[str, ...]:
    """The Debian packages that a recipe names and that hold what a log reports as missing."""
    named = [package for system in recipe.system if system.manager == "apt" for package in system.packages]
    missing = system_names(text)
    known = {package for packages in missing.values() for package in packages}
    stems = {stem for name in missing for stem in _stems(name)}
    return tuple(package for package in dict.fromkeys(named) if package in known or _stems(package) & stems)


def _stems(name: str) -> set[str]:
    """What a header, a program or a package is called for: {"xml2"} of libxml2-dev and of xml2-config."""
    parts = re.split(r"[^a-z0-9+]+", name.lower())
    stems = {re.sub(r"\Alib|[0-9.]+\Z", "", part) for part in parts}
    return {stem for stem in stems if len(stem) > 2 and stem not in _COMMON_WORDS}


def older_interpreter(context: RepairContext) -> Iterator[Repair]:
    """Where a build fails for an unknown reason: the next older interpreter, which may have wheels."""
    failure = context.failure
    if failure.phase == "tests" or first_match(REACHED_OUT, failure.text):
        return
    if _never_a_wheel(context) or named_packages(failure.text, context.recipe) or _own_hopeless(context):
        return
    match = first_match(_COMPILING, failure.text)
    minor = nearest_python(failure, lambda minor_numbers: minor_numbers < failure.minor) if match else None
    if match and minor:
        changed = with_interpreter(context.recipe, minor, _OLDER, match[0])
        reason = f"Python {minor} instead of {failure.python}, as a build fails: {match[0]}"
        rule = _OLDER
        yield context.repaired(ErrorClass.WRONG_INTERPRETER, rule, reason, changed, minor)
