"""Loosening setup.cfg: the requirements and the interpreter's range that setuptools reads from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from backdate.editing.encodings import lines_with_offsets
from backdate.editing.spans import Fragment
from backdate.errors import ConfigurationError
from backdate.projects.unpinning.draft import Draft
from backdate.projects.unpinning.report import Kind
from backdate.projects.unpinning.requirement import loosen_in
from backdate.projects.unpinning.specifiers import loosen_specifier

_OPTIONS: dict[tuple[str, str], Kind] = {
    ("options", "install_requires"): "dependency",
    ("options", "tests_require"): "dependency",
    ("options", "setup_requires"): "build",
    ("options", "python_requires"): "python",
    ("metadata", "install_requires"): "dependency",  # read by setuptools before 30.3 and by d2to1
    ("metadata", "requires_dist"): "dependency",  # distutils2 and pbr
    ("metadata", "requires_python"): "python",
    ("metadata", "python_requires"): "python",
}
_EXTRAS = ("options.extras_require", "extras")

_SECTION = re.compile(r"\[(?P<name>[^\]]+)\]")
_DELIMITER = re.compile(r"[=:]")
_COMMENT = re.compile(r"(?<!\s)\s+#")
_MARKER = re.compile(r"\s*(?:python_|os_name|sys_platform|platform_|implementation_|extra\b|\()")


@dataclass(frozen=True, slots=True)
class _Option:
    """An option of the file."""

    section: str
    name: str
    lines: list[Fragment]
    """The value's lines: the first, on the option's own line, may be blank; comment lines are left out."""


def loosen_setup_cfg(draft: Draft) -> None:
    """Loosen the setup.cfg in ``draft``; collect the requirements files that ``file:`` names."""
    for option in _options(draft.content):
        if option.section in _EXTRAS:
            kind: Kind = "dependency"
        else:
            option_kind = _OPTIONS.get((option.section, option.name))
            if option_kind is None:
                continue
            kind = option_kind
        filled = [line for line in option.lines if line.text.strip()]
        if filled and filled[0].text.lstrip().startswith("file:"):
            _read_files(draft, filled, kind)
        elif kind == "python":
            _loosen_python(draft, filled)
        elif len(option.lines) == 1:
            for fragment in _semicolon_list(option.lines[0]):
                _loosen_item(draft, fragment, kind)
        else:
            for fragment in filled:
                _loosen_item(draft, fragment, kind)


def install_requirements(content: str) -> Iterator[Fragment]:
    """The requirements of ``install_requires``, each on a line of its own."""
    for option in _options(content):
        if (option.section, option.name) == ("options", "install_requires"):
            for line in option.lines:
                comment = _COMMENT.search(line.text)
                text = line.text[: comment.start() if comment else None].rstrip()
                if text.strip() and not text.lstrip().startswith("file:"):
                    yield line.part(0, len(text))


def _loosen_item(draft: Draft, fragment: Fragment, kind: Kind) -> None:
    comment = _COMMENT.search(fragment.text)
    text = fragment.text[: comment.start() if comment else None].rstrip()
    if text:
        loosen_in(draft, fragment.part(0, len(text)), kind)


def _loosen_python(draft: Draft, lines: list[Fragment]) -> None:
    for line in lines:
        text = line.text.rstrip()
        start = len(text) - len(text.lstrip())
        core = text[start:]
        try:
            loose = loosen_specifier(core, python=True)
        except ConfigurationError as error:
            draft.skip(line.starts[0], str(error))
            continue
        if loose != core:
            edits = line.replace(start, len(text), loose)
            draft.change(edits, kind="python", name="python", before=core, after=loose)


def _read_files(draft: Draft, lines: list[Fragment], kind: Kind) -> None:
    names = " ".join(line.text for line in lines).strip().removeprefix("file:")
    draft.references += [(name.strip(), kind) for name in names.split(",") if name.strip()]


def _semicolon_list(line: Fragment) -> Iterator[Fragment]:
    """The items of a list on one line, which setuptools splits at semicolons; markers stay whole.

    (setuptools splits ``name; python_version < "3"`` on one line in two; the second part is no
    requirement, so it is left as it is either way.)
    """
    start = 0
    for part in line.text.split(";"):
        if part.strip() and not _MARKER.match(part):
            yield line.part(start, start + len(part))
        start += len(part) + 1


def _options(content: str) -> Iterator[_Option]:
    """The file's options as ``configparser`` finds them (RawConfigParser's defaults)."""
    section = ""
    option: _Option | None = None
    indent = 0
    for start, line in lines_with_offsets(content):
        body = line.strip()
        if not body or body[0] in "#;":
            continue
        depth = len(line) - len(line.lstrip())
        if option is not None and depth > indent:
            option.lines.append(Fragment.plain(line, start))
            continue
        if option is not None:
            yield option
        option = None
        indent = depth
        header = _SECTION.match(body)
        delimiter = _DELIMITER.search(line)
        if header is not None:
            section = header["name"]
        elif delimiter is not None:
            name = line[: delimiter.start()].strip().lower().replace("-", "_")
            value = Fragment.plain(line[delimiter.end() :], start + delimiter.end())
            option = _Option(section, name, [value])
    if option is not None:
        yield option
