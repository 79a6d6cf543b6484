"""Request the page of one project from one package index.

Imported where a page has to be asked for: most commands find every page in the cache.
"""

from __future__ import annotations

import threading
from contextlib import closing

from backdate.index.addresses import document_url
from backdate.index.credentials import WANTED_CREDENTIALS
from backdate.index.http import Fetcher, IndexFailure, UpstreamResponse
from backdate.index.page import Microseconds
from backdate.index.page_store import NO_FILES, SerialisedPage, serialise
from backdate.index.reading import ParsedPage, UnusableAnswer, read_json, read_project_document

_JSON_TYPES = (
    "application/vnd.pypi.simple.v1+json",
    "application/vnd.pypi.simple.latest+json",
    "application/json",
)
_HTML_TYPES = ("text/html", "application/vnd.pypi.simple.v1+html", "application/vnd.pypi.simple.latest+html")
_ACCEPT = f"{_JSON_TYPES[0]}, {_HTML_TYPES[1]};q=0.2, text/html;q=0.1"


def request_page(
    fetcher: Fetcher,
    upstream: str,
    name: str,
    *,
    known: SerialisedPage | None,
    asked: Microseconds,
    parsing: threading.Lock,
) -> SerialisedPage:
    """The page that the index ``upstream`` has of the project ``name`` (normalised) at the moment ``asked``.

    With ``known``, the page as it is cached, the index may answer that it is still valid. ``parsing`` is held
    while an answer is parsed. Raises IndexFailure when there is no usable response.
    """
    headers = {"accept": _ACCEPT}
    if known is not None and known.outdated:
        known = None
    if known is not None and known.etag:
        headers["if-none-match"] = known.etag
    if known is not None and known.last_modified:
        headers["if-modified-since"] = known.last_modified
    answer = fetcher.get(f"{upstream}{name}/", headers)
    if answer.status == 304 and known is not None:
        return known.confirmed(asked)
    if answer.status in (404, 410):
        return serialise(name, NO_FILES, upstream=upstream, fetched=asked, exists=False)
    if answer.status != 200:
        raise IndexFailure(
            f"{answer.url} answered {answer.status}: nothing is shown of {name!r}{_wanted(answer.status)}"
        )
    with parsing, closing(answer):
        reading = _read(answer, name)
        if not reading.lacks_times:
            return _serialised(reading, answer, upstream, name, asked)
    document = _fetch_document(fetcher, upstream, name)
    with parsing:
        reading = _read_document(document, upstream, name)
        return _serialised(reading, answer, upstream, name, asked)


def _read(answer: UpstreamResponse, name: str) -> ParsedPage:
    from backdate.index.reading_html import read_html

    try:
        if answer.content_type in _JSON_TYPES:
            reading = read_json(answer.body(), base=answer.url, name=name)
        elif answer.content_type in _HTML_TYPES:
            reading = read_html(answer.body(), base=answer.url, name=name)
        else:
            kind = answer.content_type
            raise IndexFailure(f"{answer.url} answered {name!r} with the content type {kind!r}: no page")
    except UnusableAnswer as error:
        raise IndexFailure(f"{answer.url} gave no usable page of {name!r}: {error}") from error
    return reading


def _fetch_document(fetcher: Fetcher, upstream: str, name: str) -> UpstreamResponse:
    """The project's JSON document, which tells upload times where the page does not."""
    try:
        answer = fetcher.get(document_url(upstream, name), {"accept": "application/json"})
    except IndexFailure as error:
        raise _no_times(upstream, name, error) from error
    if answer.status != 200:
        raise _no_times(upstream, name, f"answered {answer.status}")
    return answer


def _read_document(answer: UpstreamResponse, upstream: str, name: str) -> ParsedPage:
    try:
        reading = read_project_document(answer.body(), base=answer.url, name=name)
    except UnusableAnswer as error:
        raise _no_times(upstream, name, error) from error
    if reading.lacks_times:
        raise _no_times(upstream, name, "has none either")
    return reading


def _serialised(
    reading: ParsedPage, answer: UpstreamResponse, upstream: str, name: str, asked: Microseconds
) -> SerialisedPage:
    return serialise(
        name,
        reading.files,
        upstream=upstream,
        fetched=asked,
        etag=answer.etag,
        last_modified=answer.last_modified,
        hidden=reading.hidden,
        listed_versions=reading.listed_versions,
    )


def _no_times(upstream: str, name: str, problem: object) -> IndexFailure:
    return IndexFailure(
        f"{upstream} gives no upload times for the project {name!r}, and {document_url(upstream, name)} "
        f"does not help ({problem}): it cannot be shown as of an instant; "
        "use an index that gives them (PEP 700)"
    )


def _wanted(status: int) -> str:
    """What to do where an index refuses."""
    return f"; {WANTED_CREDENTIALS}" if status in (401, 403) else ""
