"""The class of an error by its message: one table, of which the first matching row is used."""

from __future__ import annotations

import re
from typing import Literal

from backdate.recipes.repair.error_class import ErrorClass

REACHED_OUT = re.compile(
    r"\A(?!.{0,200}Retrying).{0,200}(?:socket\.gaierror: |<urlopen error |requests\.exceptions\.\w+: |"
    r"(?:urllib3\.exceptions\.)?MaxRetryError: |http\.client\.\w+: |httpx\.ConnectError: )"
)
"""Messages of scripts that need the network; an installer's own attempts do not count."""

_CLONES = re.compile(
    r"fatal: unable to access '|fatal: could not read (?:from remote|Username)|[Cc]ould not resolve host|"
    r"Failed to clone repository|Cloning into '.{1,200}'\.\.\.|curl: \(\d{1,2}\)|Failed to update submodule|"
    r"(?:error|fatal): .{0,80}clone of '.{1,200}' into submodule path|"
    r"npm (?:error|ERR!) .{0,300}cache mode is 'only-if-cached'"
)
"""What git and curl say that a build started by itself."""
_INSTALLER_CLONES = re.compile(
    r"Git operation failed|failed to (?:clone|fetch) into|git clone .{0,300}(?:exit|did not run)|"
    r"Failed to download and build `[^`]{1,200} @ git\+"
)
"""An installer that could not fetch a requirement."""


def clones_elsewhere(text: str) -> str | None:
    """The line that tells that a build fetched something from elsewhere by itself; None without one."""
    if _INSTALLER_CLONES.search(text):
        return None
    return next((line.strip() for line in text.split("\n") if _CLONES.search(line)), None)


DOWNLOADED_DATA = re.compile(
    r"\[E050\] Can't find model|Please use the NLTK Downloader|Resource .{0,80}not found.{0,80}NLTK|"
    r"[Cc]ouldn't connect to 'https://huggingface\.co|LocalEntryNotFoundError|"
    r"Can't load (?:tokenizer|the model|config\w*|model|feature extractor) for '|"
    r"(?:CMUdict|WordNet|MissingCorpusError).{0,80}(?:download|corpus)|"
    r"Executable doesn't exist at .{0,200}ms-playwright"
)
"""What libraries say of models, corpora and browsers that they download themselves when asked to."""

NAMES_A_SERVER = re.compile(
    r"KeyError: '[A-Z][A-Z0-9_]{0,40}_(?:HOST|HOSTNAME|PORT|DSN|ENDPOINT|SERVER|BROKER)S?'"
)
"""A variable of the environment that would say where a server is."""

_INSTALLED = r"/(?:site|dist)-packages/"
IMPORTED_FROM_INSTALLED = re.compile(
    rf"imported module '[\w.]{{1,200}}' has this __file__ attribute: \S{{0,400}}{_INSTALLED}|"
    rf"Import(?:Path)?MismatchError: \('[\w.]{{1,200}}', '[^']{{0,400}}{_INSTALLED}|"
    rf"module incorrectly imported from '[^']{{0,400}}{_INSTALLED}"
)
"""What pytest says of a test file that is installed too and of a conftest, and unittest's discovery."""

NO_SOURCE = re.compile(
    r"(?:fatal error|(?:gcc|g\+\+|cc1|cc1plus|clang)\S{0,20}: error): '?([\w./+-]{1,200}\.(?:c|cc|cpp|cxx))'?"
    r": No such file|clang\S{0,20}: error: no such file or directory: '([\w./+-]{1,200}\.(?:c|cc|cpp|cxx))'"
)
"""What compilers say of a source file (not of a header) that the tree does not hold."""

SIGNS: tuple[tuple[str, ErrorClass, re.Pattern[str]], ...] = tuple(
    (phase, error, re.compile(sign))
    for phase, error, sign in (
        ("build", ErrorClass.USE_2TO3, r"use_2to3 is invalid"),
        (
            "build",
            ErrorClass.UNKNOWN_VERSION,
            (
                r"was unable to detect version|Versioning for this project requires|"
                r"could not find a version for the project"
            ),
        ),
        ("build", ErrorClass.NEEDS_NETWORK, REACHED_OUT.pattern),
        ("build", ErrorClass.INCOMPLETE_SDIST, NO_SOURCE.pattern),
        ("tests", ErrorClass.NOT_IMPORTABLE, IMPORTED_FROM_INSTALLED.pattern),
        (
            "tests",
            ErrorClass.MISSING_TEST_PLUGIN,
            r"fixture '\w{1,80}' not found|unrecognized arguments: -|Missing required plugins",
        ),
        (
            "tests",
            ErrorClass.MISSING_TEST_PLUGIN,
            r"async def functions are not natively|not found in `?markers",
        ),
        (
            "tests",
            ErrorClass.DJANGO_SETTINGS,
            (
                r"settings are not configured|AppRegistryNotReady|DJANGO_SETTINGS_MODULE|"
                r"argument of type 'ConnectionHandler' is not iterable"  # its databases are not there
            ),
        ),
        (
            "tests",
            ErrorClass.NEEDS_DISPLAY,
            (
                r"no display name and no \$DISPLAY|could not connect to display|no Qt platform plugin|"
                r"as .headless. is|No available video device"
            ),
        ),
        (
            "tests",
            ErrorClass.NEEDS_SERVICE,
            (
                r"[Cc]onnection refused|could not connect to server|ServerSelectionTimeoutError|"
                r"Can't connect to (?:local )?MySQL|OperationalError: .{0,80}connection|NoBrokersAvailable|"
                r"Error while fetching server API version"
            ),
        ),
        (
            "tests",
            ErrorClass.NEEDS_NETWORK,
            (
                r"Temporary failure in name resolution|Name or service not known|Network is unreachable|"
                r"nodename nor servname|getaddrinfo failed|Failed to establish a new connection|"
                r"dns\.resolver\.(?:NoResolverConfiguration|NoNameservers|LifetimeTimeout)"
            ),
        ),
        ("tests", ErrorClass.NEEDS_NETWORK, DOWNLOADED_DATA.pattern),
        ("tests", ErrorClass.NEEDS_SERVICE, NAMES_A_SERVER.pattern),
        (
            "tests",
            ErrorClass.NEEDS_SECRET,
            (
                r"KeyError: '[A-Z][A-Z0-9_]{0,40}_(?:KEY|TOKEN|SECRET|PASSWORD|ID|USER)\w{0,40}'|"
                r"UndefinedValueError: \w{2,60} not found|"
                r"validation errors? for \w{0,60}(?:Settings|Config|Env)\w{0,60} \w{1,60} [Ff]ield required|"
                r"[Ee]nvironment variable ['\"]?\w{2,60}['\"]? (?:is )?not (?:set|defined|found)|"
                r"NoCredentialsError|[Aa]pi.?[Kk]ey (?:is )?(?:required|missing|not set)|"
                r"Unable to locate credentials"
            ),
        ),
        ("tests", ErrorClass.WRONG_FOLDER, r"FileNotFoundError|file or directory not found|Can't chdir to"),
    )
)
"""Phase ("build" or "tests"), class, and the sign on one line."""


def signed(phase: Literal["build", "tests"], text: str) -> ErrorClass | None:
    """The class of the first sign that a line of ``text`` shows; None when none does."""
    for where, error, sign in SIGNS:
        if where == phase and any(sign.search(line) for line in text.split("\n")):
            return error
    return None
