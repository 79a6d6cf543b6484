"""Parse the HTML form of a project's page (PEP 503, 592, 629, 658, 714).

Most indexes write plain anchors, which one regular expression reads at the speed that large pages
need. Whenever that does not account for every anchor of the page, the page is read again by a more
general one, and then by the standard library's HTML parser: a fast path is used only where it gives the
same result as the parser.
"""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html.parser import HTMLParser
from typing import TypeAlias, cast
from urllib.parse import unquote, urldefrag, urljoin

import msgspec

from backdate.index.names import are_file_names, version_of
from backdate.index.page import FileEntry, parse_upload_time
from backdate.index.page_store import FileColumns
from backdate.index.reading import (
    MOST_ENTRY_BYTES,
    ParsedPage,
    UnusableAnswer,
    are_web_addresses,
    check_count,
    check_parts,
    has_web_address,
    read_entries,
)

Anchor: TypeAlias = tuple[dict[str, str], str]
"""An anchor's attributes and its text."""

_COMMON_ANCHOR = re.compile(
    r'<a href="(https?://[^"#&< \n\[]++)(?:#sha256=([0-9a-fA-F]++))?"'
    r'(?: data-requires-python="([^"<]++)")?(?: data-yanked="([^"<]++)")?'
    r'(?: data-upload-time="([0-9TZ:.+-]++)")?>([^<>&" \n]++)</a>'
)
"""An anchor exactly as written by the indexes that publish upload times in HTML."""
_PLAIN_ANCHOR = re.compile(r'<a((?:\s+[a-z-]+="[^"<]*")+)\s*>([^<>&\s]+)</a>')
_PLAIN_ATTRIBUTE = re.compile(r'\s([a-z-]+)="([^"]*)"')
_ANY_ANCHOR = re.compile(r"<a[\s/>]", re.IGNORECASE)
_ANCHOR_END = re.compile(r"</a\s*>", re.IGNORECASE)
_NEEDS_PARSER = re.compile(
    r"<(?:base|script|style|template|textarea|title[^>]*><!|!\[)|<!--(?!SERIAL \d+-->)", re.IGNORECASE
)
_HASH = re.compile(r"(md5|sha1|sha224|sha256|sha384|sha512|blake2b|blake2s)=([0-9a-fA-F]+)")


_LONG_PART = re.compile(rb"(?:\A|<)[^<]{65536}")
"""No anchor is as long: the parsers below would need many times its size for its attributes."""
_PIECE = 32 * 1024
_MOST_UNENDED = 64 * 1024
_LONGEST_CACHED = 200
_OURS = frozenset(
    (
        *("href", "data-requires-python", "data-yanked", "data-upload-time", "data-gpg-sig"),
        *("data-core-metadata", "data-dist-info-metadata"),
    )
)
"""The attributes that mean something here."""


def _json_string(escaped: str) -> str:
    return _short_json_string(escaped) if len(escaped) <= _LONGEST_CACHED else _to_json(escaped)


def _to_json(escaped: str) -> str:
    return msgspec.json.encode(html.unescape(escaped)).decode()


def _unescape(escaped: str) -> str:
    return _short_unescape(escaped) if len(escaped) <= _LONGEST_CACHED else html.unescape(escaped)


# A page repeats few values of Requires-Python. Long ones are no such values, and would be kept for ever.
_short_json_string = lru_cache(maxsize=4096)(_to_json)
_short_unescape = lru_cache(maxsize=4096)(html.unescape)


def read_html(body: bytes, *, base: str, name: str) -> ParsedPage:
    """The files of a PEP 503 page; ``base`` is its URL, ``name`` the project's normalised name.

    Raises UnusableAnswer when it is cut short or is not HTML.
    """
    if b"<" not in body:
        raise UnusableAnswer("not an HTML page")
    check_parts(body)
    if _LONG_PART.search(body) is not None:
        raise UnusableAnswer("a tag or a text of more than 64 KB")
    text = body.decode("utf-8", errors="replace")
    check_count(sum(1 for _ in _ANY_ANCHOR.finditer(text)), "files")
    if _is_cut_short(text):
        raise UnusableAnswer("an HTML page that ends before its end (cut short on the way)")
    reading = _read_common(text, name)
    if reading is not None:
        return reading
    anchors: Iterable[Anchor] | None = _plain_anchors(text)
    if anchors is None:
        anchors = _parsed_anchors(text)
    entries = list(_to_entries(anchors, base))
    return read_entries(entries, name=name, listed=len(entries))


def _is_cut_short(text: str) -> bool:
    """Whether what was begun for the whole page, the last anchor or the last tag has no end."""
    last_anchor = max((match.start() for match in _ANY_ANCHOR.finditer(text)), default=0)
    for whole in ("html|body", "ul|ol|table|pre|main|div"):
        if re.search(rf"<(?:{whole})[\s>]", text, re.IGNORECASE) is not None:
            return re.compile(rf"</(?:{whole})\b", re.IGNORECASE).search(text, last_anchor) is None
    if text.rfind("<") > text.rfind(">"):
        return True
    return _ANY_ANCHOR.search(text) is not None and _ANCHOR_END.search(text, last_anchor) is None


def _read_common(text: str, name: str) -> ParsedPage | None:
    """The files of a page of common anchors, written to JSON directly; None for any other page."""
    if _NEEDS_PARSER.search(text) is not None:
        return None
    anchors = _COMMON_ANCHOR.findall(text)
    if len(anchors) != len(_ANY_ANCHOR.findall(text)):
        return None
    times = [parse_upload_time(anchor[4]) for anchor in anchors]
    filenames = [anchor[5] for anchor in anchors]
    if (
        None in times
        or not are_file_names(filenames)
        or not are_web_addresses([anchor[0] for anchor in anchors])
    ):
        return None
    files = FileColumns(
        times=array("q", cast("list[int]", times)),
        versions=[version_of(filename, name) for filename in filenames],
        json=[
            (
                f'{{"filename":"{filename}","url":"{url}"'
                + (f',"hashes":{{"sha256":"{sha256}"}}' if sha256 else ',"hashes":{}')
                + (f',"requires-python":{_json_string(requires_python)}' if requires_python else "")
                + f',"upload-time":"{uploaded}"'
                + (f',"yanked":{_json_string(yanked)}}}' if yanked else "}")
            ).encode()
            for url, sha256, requires_python, yanked, uploaded, filename in anchors
        ],
        has_sizes=not anchors,
    )
    return ParsedPage(files=files, hidden=0)


def _plain_anchors(text: str) -> Iterator[Anchor] | None:
    if _NEEDS_PARSER.search(text) is not None:
        return None
    anchors = _PLAIN_ANCHOR.findall(text)
    if len(anchors) != len(_ANY_ANCHOR.findall(text)):
        return None
    # A generator, so that no more than one anchor's dictionary is alive: thousands keep the collector busy.
    return ((_attributes(raw), content) for raw, content in anchors)


def _attributes(raw: str) -> dict[str, str]:
    pairs = [pair for pair in _PLAIN_ATTRIBUTE.findall(raw) if pair[0] in _OURS]
    pairs.reverse()  # of an attribute that is given twice the first counts, as in HTML's own rules
    if "&" not in raw:
        return dict(pairs)
    return {key: _unescape(value) if "&" in value else value for key, value in pairs}


class _Anchors(HTMLParser):
    """Collects the anchors and the base of relative links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors: list[Anchor] = []
        self.base: str | None = None
        self._open: dict[str, str] | None = None
        self._content: list[str] = []
        self._length = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes: dict[str, str] = {}
        for key, value in attrs:
            if key in _OURS:
                attributes.setdefault(key, value or "")
        if tag == "base" and self.base is None and attributes.get("href"):
            self.base = attributes["href"]
        elif tag == "a":
            self._finish()
            self._open = attributes

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._length += len(data)
            if self._length > MOST_ENTRY_BYTES:
                raise UnusableAnswer("an anchor with a text of more than 32 KB")
            self._content.append(data)

    def feed_within_bounds(self, text: str) -> None:
        """Parse ``text`` a piece at a time: what has no end yet is never more than a long part."""
        for start in range(0, len(text), _PIECE):
            self.feed(text[start : start + _PIECE])
            if len(self.rawdata) > _MOST_UNENDED:
                raise UnusableAnswer("a tag of more than 64 KB")
        self.close()

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._finish()

    def _finish(self) -> None:
        if self._open is not None:
            self.anchors.append((self._open, "".join(self._content).strip()))
        self._open = None
        self._content = []
        self._length = 0


def _parsed_anchors(text: str) -> list[Anchor]:
    parser = _Anchors()
    try:
        # What follows the last tag's end is none; of many beginnings there the parser reads each to the end.
        parser.feed_within_bounds(text[: text.rfind(">") + 1])
    except (AssertionError, ValueError, RecursionError) as error:  # how the parser meets broken markup
        raise UnusableAnswer(f"HTML that cannot be parsed: {error}") from error
    if parser.base is None:
        return parser.anchors
    base = parser.base
    return [
        (
            {**attributes, "href": _join(base, attributes["href"])} if "href" in attributes else attributes,
            content,
        )
        for attributes, content in parser.anchors
    ]


def _join(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return ""


def _to_entries(anchors: Iterable[Anchor], base: str) -> Iterator[FileEntry]:
    for attributes, content in anchors:
        href = attributes.get("href", "")
        if not href:
            continue
        url, _, fragment = href.partition("#") if has_web_address(href) else _absolute(base, href)
        match = _HASH.match(fragment) if fragment else None
        hashes = {match.group(1): match.group(2)} if match else {}
        get = attributes.get
        metadata = get("data-core-metadata", get("data-dist-info-metadata"))
        signature = get("data-gpg-sig")
        yanked = get("data-yanked")
        filename = unquote(url.rpartition("/")[2]) if not content or " " in content else content
        entry = FileEntry(
            filename=filename,
            url=url,
            hashes=hashes,
            requires_python=get("data-requires-python"),
            upload_time=get("data-upload-time"),
            yanked=False if yanked is None else yanked or True,
        )
        if metadata is not None:
            entry.core_metadata = entry.dist_info_metadata = _metadata(metadata)
        if signature is not None:
            entry.gpg_sig = signature == "true"
        yield entry


def _absolute(base: str, href: str) -> tuple[str, str, str]:
    url, fragment = urldefrag(_join(base, href))
    return url, "#", fragment


def _metadata(value: str) -> bool | dict[str, str]:
    match = _HASH.match(value)
    return {match.group(1): match.group(2)} if match else value.strip().lower() in ("", "true")
