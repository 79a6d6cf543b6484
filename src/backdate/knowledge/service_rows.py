"""The rows of ``services.toml``: databases, caches and brokers that suites expect."""

from __future__ import annotations

from backdate.knowledge.row import Names, Row, Text


class ServiceRow(Row, frozen=True, kw_only=True):
    """A service that test suites expect: a database, a cache, a broker."""

    kind: Text
    port: int
    """The one that it listens on where nobody says otherwise."""
    packages: tuple[Text, ...] = ()
    """Debian's packages with the server; none where Debian has none."""
    servers: tuple[Text, ...] = ()
    """Further names of packages that bring a server, such as Ubuntu's."""
    images: Names
    """Names by which container images and CI services mean it."""
    hosts: Names
    """Names under which suites look for it, besides localhost."""
    schemes: tuple[Text, ...] = ()
    """Of addresses that lead to it."""
    users: tuple[Text, ...] = ()
    """Variables of its images that name a user; the same for what follows."""
    passwords: tuple[Text, ...] = ()
    root_passwords: tuple[Text, ...] = ()
    """Of the user ``user``, where ``passwords`` are another user's."""
    databases: tuple[Text, ...] = ()
    user: str = ""
    """The user that is always there."""
    says: Names
    """Patterns of errors, one line each, that name it without its port."""
    messages: Names
    """Real messages: each pattern of ``says`` matches one of them."""


class ServicesFile(Row, frozen=True, kw_only=True):
    """``services.toml``."""

    service: tuple[ServiceRow, ...]
