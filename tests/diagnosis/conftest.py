"""What tests of diagnosis share."""

from collections.abc import Callable

import pytest

from backdate.environments.environment import Environment


@pytest.fixture(scope="session")
def plain_environment() -> Callable[[str], Environment]:
    """The bare interpreter of a version, which stands for an environment with nothing in it."""
    from diagnosis_environments import environment_of, find_interpreter

    def get(version: str) -> Environment:
        executable = find_interpreter(version)
        return environment_of(executable.parent.parent, executable)

    return get


@pytest.fixture(scope="session")
def build_environment(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Environment]:
    """Makes (once for each set of arguments) a real environment of an interpreter and requirements."""
    from diagnosis_environments import build

    made: dict[tuple[object, ...], Environment] = {}

    def get(version: str, *requirements: str, instant: str | None = None) -> Environment:
        key = (version, requirements, instant)
        if key not in made:
            made[key] = build(tmp_path_factory.mktemp("environment"), version, *requirements, instant=instant)
        return made[key]

    return get
