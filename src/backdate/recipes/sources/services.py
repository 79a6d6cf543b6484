"""Services in the files of CI systems and of Docker Compose, as what tests expect of them.

After "Workflow syntax for GitHub Actions" (``jobs.<id>.services``), "Services" of GitLab's reference of CI/CD
YAML, and the Compose specification. All of it is data: ``wanted_service`` leaves out what could be no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from backdate.recipes.actions import Action
from backdate.recipes.files import PARSING, Files
from backdate.recipes.recipe import Provenance, SkippedInstruction
from backdate.recipes.sources.expressions import fill
from backdate.recipes.sources.yaml import Node, read_document
from backdate.sandboxes.services.kinds import kind_of_image, kind_of_scheme, row_of, wanted_service
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind, WantedService

COMPOSE_FILES = tuple(
    f"{folder}{stem}.{end}"
    for folder in ("", "docker/", ".github/", "tests/", "test/", ".docker/")
    for stem in (
        "docker-compose.test",
        "docker-compose.tests",
        "docker-compose.ci",
        "docker-compose",
        "compose",
    )
    for end in ("yml", "yaml")
)
"""Where projects keep what Docker Compose starts; those for tests first."""
_MOST_SERVICES = 40
_PORT = re.compile(r"(?:[\d.]{7,15}:)?(?:(\d{1,5}):)?(\d{1,5})(?:/tcp)?\Z")
_DEFAULT = re.compile(r"\$\{\w+:?-([^}$]*)\}|\$\{?\w+\}?")
_REQUIREPASS = re.compile(r"--requirepass[\s=,'\"]{1,4}([^\s'\",\]]{1,128})")
LOCAL = ("", "localhost", "127.0.0.1", "0.0.0.0", "::1")  # noqa: S104 - names that suites write, nothing binds to them


def service_of_image(
    image: str,
    *,
    names: Iterable[str] = (),
    variables: Mapping[str, str],
    ports: Mapping[int, int],
    command: str = "",
    where: str,
) -> WantedService | None:
    """What a container of ``image`` is to a suite; None for an image that holds no service we know.

    ``ports``: those of the container, each with the one at which the suite reaches it.
    """
    kind = kind_of_image(image)
    if kind is None:
        return None
    accounts, databases = of_variables(kind, variables)
    password = _REQUIREPASS.search(command) if kind is ServiceKind.REDIS else None
    if password:
        accounts = (ServiceAccount(user="", password=password[1]), *accounts)
    port = row_of(kind).port
    return wanted_service(
        kind,
        port=ports.get(port, port),
        hosts=names,
        accounts=accounts,
        databases=databases,
        where=where,
    )


def of_variables(
    kind: ServiceKind, variables: Mapping[str, str]
) -> tuple[tuple[ServiceAccount, ...], tuple[str, ...]]:
    """The users and databases that a service's variables name, as those of its image do."""
    row = row_of(kind)

    def first(names: Iterable[str]) -> str:
        return next((variables[name] for name in names if variables.get(name)), "")

    user, password = first(row.users), first(row.passwords)
    accounts = []
    if user or password:
        accounts.append(ServiceAccount(user=user or row.user, password=password))
    if row.root_passwords:
        accounts.append(ServiceAccount(user=row.user, password=first(row.root_passwords)))
    database = first(row.databases)
    return tuple(accounts), (database,) if database else ()


def of_address(text: str, where: str, names: Iterable[str] = ()) -> WantedService | None:
    """The service that an address of a suite leads to: "postgres://user:password@localhost:5432/name".

    None for another kind of address, and for a host that is neither this machine nor known as the service's:
    one of ``names``, or a usual one.
    """
    if "://" not in text or len(text) > 500:
        return None
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").lower(), parts.port
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        return None
    kind = kind_of_scheme(parts.scheme)
    if kind is None or host not in {*LOCAL, *names, *row_of(kind).hosts}:
        return None
    row = row_of(kind)
    numbered = kind is ServiceKind.REDIS  # its databases have numbers, and are there
    database = "" if numbered else unquote(parts.path.removeprefix("/"))
    account = ServiceAccount(user="" if numbered else user or row.user, password=password)
    return wanted_service(
        kind,
        port=port,
        hosts=[host] if host not in LOCAL else [],
        accounts=[account] if (user and not numbered) or password else [],
        databases=[database] if database else [],
        where=where,
    )


def github_services(
    job: Node, rule: str, file: str, known: Mapping[str, str]
) -> Iterator[tuple[str, Action]]:
    """The services of a job of GitHub Actions with their names; those that are not known are skipped.

    ``known``: what expressions may name.
    """
    inside = job.get("container").present
    for name, node in list(job.get("services").pairs())[:_MOST_SERVICES]:
        where = Provenance(rule=rule, file=file, line=node.line)
        image = node.get("image").text or node.text
        ports = {} if inside else ports_of(node.get("ports"))
        service = service_of_image(
            fill(image, known),
            names=[name],
            variables={key: fill(value, known) for key, value in variables_of(node.get("env")).items()},
            ports=ports,
            command=f"{node.get('options').text} {node.get('command').text}",
            where=where.location,
        )
        yield name, service or not_started(name, where)


def ports_in_expressions(name: str, action: Action, job: Node) -> dict[str, str]:
    """What ``job.services.NAME.ports[PORT]`` means in expressions of a job."""
    if not isinstance(action, WantedService):
        return {}
    ports = ports_of(job.get("services", name, "ports")) or {row_of(action.kind).port: action.port}
    return {f"job.services.{name}.ports.{inside}": str(outside) for inside, outside in ports.items()}


def listed_services(nodes: Iterable[Node], rule: str, file: str) -> Iterator[Action]:
    """The services that GitLab (``services``) and CircleCI (further images) list."""
    for node in list(nodes)[:_MOST_SERVICES]:
        where = Provenance(rule=rule, file=file, line=node.line)
        image = node.text or node.get("image").text
        image = image or node.get("name").text
        names = [node.get("alias").text, image.partition(":")[0].replace("/", "-")]
        if node.get("image").present:
            names.append(node.get("name").text)
        variables = {**variables_of(node.get("environment")), **variables_of(node.get("variables"))}
        service = service_of_image(
            image,
            names=filter(None, names),
            variables=variables,
            ports={},
            command=" ".join(node.get("command").texts),
            where=where.location,
        )
        yield service or not_started(image, where)


def named_service(name: str, where: Provenance) -> Action:
    """A service that a CI system knows by a name of its own ("postgresql" of Travis CI)."""
    kind = kind_of_image(name)
    if kind is None:
        return not_started(name, where)
    return wanted_service(kind, where=where.location)


def not_started(name: str, where: Provenance) -> SkippedInstruction:
    """A service of which nothing is known."""
    return SkippedInstruction(reason=f"the service {name[:80]} is not started", provenance=where)


def compose_services(files: Files) -> Iterator[WantedService]:
    """What the project's files for Docker Compose start; those of the first file that names any."""
    for file in COMPOSE_FILES:
        text = files.text(file) if files.has(file) else None
        if text is None or not files.spend(PARSING):
            continue
        document = read_document(text, "Docker Compose", file)
        if isinstance(document, SkippedInstruction):
            continue
        found = False
        for name, node in list(document.get("services").pairs())[:_MOST_SERVICES]:
            service = service_of_image(
                filled(node.get("image").text),
                names=[name, node.get("container_name").text, node.get("hostname").text],
                variables=variables_of(node.get("environment")),
                ports=ports_of(node.get("ports")),
                command=" ".join(node.get("command").texts),
                where=f"{file}:{node.line}",
            )
            if service is not None:
                found = True
                yield service
        if found:
            return


def ports_of(node: Node) -> dict[int, int]:
    """The container's ports with those of the host, as GitHub Actions and Compose write them."""
    ports: dict[int, int] = {}
    for item in node.listed:
        if item.fields:
            outside, inside = item.get("published").text, item.get("target").text
        else:
            match = _PORT.match(filled(item.text).strip())
            if match is None:
                continue
            outside, inside = match[1] or "", match[2]
        if inside.isdigit() and len(inside) < 6:
            ports[int(inside)] = int(outside) if outside.isdigit() and len(outside) < 6 else int(inside)
    return ports


def variables_of(node: Node) -> dict[str, str]:
    """The variables of a container: a mapping, or a list of ``NAME=value``."""
    if node.fields:
        return {name: filled(value.text) for name, value in node.pairs()}
    pairs = (text.partition("=") for text in node.texts)
    return {name: filled(value) for name, equals, value in pairs if equals}


def filled(text: str) -> str:
    """``text`` with the defaults of shell variables in their place, without those of unknown value."""
    return _DEFAULT.sub(lambda match: match[1] or "", text) if "$" in text else text
