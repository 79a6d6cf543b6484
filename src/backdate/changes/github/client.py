"""Asking GitHub: one request at a time, rate limits waited for, good answers kept.

No client that others publish is used (docs/how-it-works/dependencies.md says why): GraphQL is one POST, and
what matters here, partial answers, limits that last and crawls that stop, is what they leave open.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from backdate.changes.github.http import (
    ExchangeProblem,
    GitHubConnection,
    GitHubResponse,
    NoResponse,
    same_origin,
)
from backdate.changes.github.json_values import Json, NotReadable, parse_json
from backdate.changes.github.limits import (
    LimitWait,
    wait_before_next_request,
    wait_of_graphql,
    wait_of_refusal,
)
from backdate.changes.github.pages import GitHubPages, KeptAnswer
from backdate.changes.github.responses import (
    GraphQLAnswer,
    Refusal,
    RefusalKind,
    RestAnswer,
    next_page,
    read_graphql,
    refusal_of_status,
    what_it_says,
)
from backdate.changes.github.settings import TOKEN_VARIABLES, GitHubAccess, GitHubPatience
from backdate.errors import GitHubUnavailable, StoredDataError, UsageError
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.serial import from_json, to_json
from backdate.timeline.instants import Instant, format_day, now

T = TypeVar("T")
_MOST_LIMITS = 8
"""Rate limits in a row, waited for as asked, after which the server is given up."""
_POINTLESS = frozenset({ExchangeProblem.TOO_LARGE, ExchangeProblem.LED_AWAY})
"""What another attempt would not change."""


class _ApiKind(StrEnum):
    GRAPHQL = "graphql"
    REST = "rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCount:
    """What a client did so far."""

    sent: int = 0
    """Requests, those that were tried again included."""
    kept: int = 0
    """Answers that were there from before and not asked for."""
    unchanged: int = 0
    """Conditional requests whose answer was 304."""


class GitHubClient:
    """Asks one API of GitHub. Safe for several threads, whose requests follow one another."""

    def __init__(
        self,
        access: GitHubAccess,
        *,
        patience: GitHubPatience | None = None,
        pages: Path | None = None,
        crawl: str = "",
        progress: Reporter = NO_PROGRESS,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], Instant] = now,
    ) -> None:
        self.crawl = crawl
        """Which reading this is: see ``GitHubOptions``."""
        self._access = access
        self._patience = patience or GitHubPatience()
        self._store = GitHubPages(pages)
        self._progress = progress
        self._sleep = sleep
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: GitHubConnection | None = None
        self._not_before: Instant | None = None
        self._count = RequestCount()

    @property
    def count(self) -> RequestCount:
        """What was asked so far."""
        return self._count

    def close(self) -> None:
        """Close the connections."""
        if self._connection is not None:
            self._connection.close()

    def kept_value(self, kind: type[T], *question: object) -> T | None:
        """What was kept for ``question``; None when it has to be asked."""
        kept = self._store.read(self._access.rest_url, *question)
        if kept is None:
            return None
        try:
            value = from_json(kind, kept.body, what="a kept answer of GitHub")
        except StoredDataError:
            return None
        self._add(kept=1)
        return value

    def keep_value(self, value: object, *question: object) -> None:
        """Keep what was read for ``question``. Raises DiskFull."""
        self._store.keep(KeptAnswer(body=to_json(value)), self._access.rest_url, *question)

    def graphql(
        self, query: str, variables: Mapping[str, Json], *, attempts: int | None = None
    ) -> GraphQLAnswer | Refusal:
        """The answer to a query; ``attempts``: at most so many while the server fails.

        Raises GitHubUnavailable, and UsageError where the token or the address is refused.
        """
        body = to_json({"query": query, "variables": dict(variables)})
        url = self._access.graphql_url
        with self._lock:
            response = self._persist(
                lambda connection: connection.post(url, body),
                _ApiKind.GRAPHQL,
                attempts or self._patience.attempts,
            )
        return response if isinstance(response, Refusal) else read_graphql(parse_json(response.body))

    def rest(self, path: str) -> RestAnswer | Refusal:
        """The answer to a GET of ``path`` (or of a whole address that this API named).

        One that this crawl kept is taken as it is; one of another is asked for on condition that it changed.
        Raises as ``graphql``.
        """
        url = path if "://" in path else self._access.rest_url + path
        if not same_origin(url, self._access.rest_url):
            return Refusal(
                kind=RefusalKind.UNREADABLE, detail="the next page is said to be on another server"
            )
        kept = self._store.read(_ApiKind.REST, url)
        if kept is not None and kept.crawl == self.crawl:
            self._add(kept=1)
            return RestAnswer(value=_json(kept.body), next_url=kept.next_url)
        headers = {"if-none-match": kept.etag} if kept is not None and kept.etag else {}
        with self._lock:
            response = self._persist(
                lambda connection: connection.get(url, headers), _ApiKind.REST, self._patience.attempts
            )
        if isinstance(response, Refusal):
            return response
        if response.status == 304:
            if kept is None:
                return Refusal(kind=RefusalKind.UNREADABLE, detail="304, which was not asked for")
            self._add(unchanged=1)
            self._store.keep(replace(kept, crawl=self.crawl), _ApiKind.REST, url)
            return RestAnswer(value=_json(kept.body), next_url=kept.next_url)
        try:
            value = parse_json(response.body)
        except NotReadable as error:
            return Refusal(kind=RefusalKind.UNREADABLE, detail=str(error))
        following = next_page(response.headers.get("link", ""))
        etag = response.headers.get("etag", "")
        self._store.keep(
            KeptAnswer(body=response.body, etag=etag, next_url=following, crawl=self.crawl),
            _ApiKind.REST,
            url,
        )
        return RestAnswer(value=value, next_url=following)

    def _persist(
        self, send: Callable[[GitHubConnection], GitHubResponse | NoResponse], kind: _ApiKind, attempts: int
    ) -> GitHubResponse | Refusal:
        """A good response; tried again while the server fails, after every wait that it asks for."""
        failures = limits = 0
        while True:
            self._await_turn()
            response = send(self._open())
            self._add(sent=1)
            if isinstance(response, GitHubResponse):
                wait = self._limit(response, kind, limits)
                if wait is not None:
                    limits += 1
                    self._wait(wait, limits)
                    continue
                self._plan(wait_before_next_request(response, self._clock()))
            failure = self._failure(response, kind)
            if failure is None:
                assert isinstance(response, GitHubResponse)
                return response
            failures += 1
            lasting = failure.kind is RefusalKind.UNREACHABLE  # less at a time would not help
            if not failure.passing or failures >= (self._patience.attempts if lasting else attempts):
                return failure
            self._sleep(2.0 ** (failures - 1))

    def _failure(self, response: GitHubResponse | NoResponse, kind: _ApiKind) -> Refusal | None:
        """What is wrong with a response; None for a good one."""
        if isinstance(response, NoResponse):
            heavy = response.problem is not ExchangeProblem.UNREACHABLE
            return Refusal(
                kind=RefusalKind.HEAVY if heavy else RefusalKind.UNREACHABLE,
                detail=response.detail,
                passing=response.problem not in _POINTLESS,
            )
        if response.status == 401:
            raise UsageError(
                f"GitHub refuses the token ({what_it_says(response)}): set {TOKEN_VARIABLES[0]} anew"
            )
        if kind is _ApiKind.REST:
            return refusal_of_status(response) if response.status not in (200, 304) else None
        if response.status == 404:
            raise UsageError(
                f"there is no GraphQL at {self._access.graphql_url}: is --github-url the address of the API?"
            )
        if response.status != 200:
            return refusal_of_status(response)
        try:
            answer = read_graphql(parse_json(response.body))
        except NotReadable as error:
            return Refusal(kind=RefusalKind.UNREADABLE, detail=str(error), passing=True)
        return answer if isinstance(answer, Refusal) else None

    def _limit(self, response: GitHubResponse, kind: _ApiKind, earlier: int) -> LimitWait | None:
        if response.status == 200 and kind is _ApiKind.GRAPHQL:
            return wait_of_graphql(response, _json(response.body), earlier, self._clock())
        return wait_of_refusal(response, earlier, self._clock())

    def _wait(self, wait: LimitWait, limits: int) -> None:
        end = self._clock() + timedelta(seconds=min(wait.seconds, 10**8))
        until = format_day(wait.until or end)
        if limits > _MOST_LIMITS or wait.seconds > self._patience.longest_wait_s:
            raise GitHubUnavailable(
                f"GitHub limits requests until {until}; run the command again then: what was read is kept"
            )
        self._store.note_wait(end)
        self._progress.report(Activity(text=f"waiting until {until} for GitHub's rate limit"))
        self._sleep(wait.seconds)

    def _plan(self, wait: LimitWait | None) -> None:
        if wait is not None:
            self._not_before = self._clock() + timedelta(seconds=min(wait.seconds, 10**8))

    def _await_turn(self) -> None:
        """Wait until the limit that the last request used up is renewed."""
        end, self._not_before = self._not_before, None
        if end is not None and (seconds := (end - self._clock()).total_seconds()) > 0:
            self._wait(LimitWait(seconds=seconds, until=end), 0)

    def _open(self) -> GitHubConnection:
        if self._connection is None:
            self._connection = GitHubConnection(self._access, self._patience)
        return self._connection

    def _add(self, *, sent: int = 0, kept: int = 0, unchanged: int = 0) -> None:
        count = self._count
        self._count = RequestCount(
            sent=count.sent + sent, kept=count.kept + kept, unchanged=count.unchanged + unchanged
        )


def _json(body: bytes) -> Json:
    try:
        return parse_json(body)
    except NotReadable:
        return None
