"""What a command in the sandbox reaches: nothing, its model through a proxy that has the key, the internet.

Never this machine: the sandbox has a network namespace of its own, and what leads out of it are sockets of
ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from backdate.environments.environment import Environment
from backdate.environments.inside_python import inside_python
from backdate.errors import UsageError
from backdate.models.model_name import NO_KEY, Endpoint
from backdate.models.proxy import ModelProxy, QuestionListener
from backdate.sandboxes.gateway import Gateway
from backdate.sandboxes.interface import Mount, Network, Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal

_OWN_INTERFACE = "127.0.0.1,localhost,::1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReach:
    """What a sandbox is given so that a command in it reaches what it may."""

    network: Network = "off"
    mounts: tuple[Mount, ...] = ()
    lines: tuple[str, ...] = ()
    """Shell lines that come before the command."""
    variables: Mapping[str, str] = field(default_factory=dict)
    gateway: Gateway | None = None

    @property
    def refused(self) -> tuple[str, ...]:
        """Hosts and ports that the command wanted, and that are not on the internet."""
        return self.gateway.refused if self.gateway is not None else ()


def require_kept_key(model: Endpoint, sandbox: Sandbox, variables: Mapping[str, str]) -> None:
    """Raise UsageError where a command would see the key: in a variable, or in our memory."""
    if sandbox.name == UnsafeLocal.name:
        raise UsageError(
            f"--agent-model keeps the key from the command, which --sandbox {sandbox.name} cannot; "
            "use bwrap or docker"
        )
    for name, value in variables.items():
        if model.key != NO_KEY and model.key in value:
            raise UsageError(
                f"--agent-env {name} would show the command the key that --agent-model keeps from it"
            )


@contextmanager
def agent_reach(
    sandbox: Sandbox,
    *,
    internet: bool,
    model: Endpoint | None,
    built: Environment | None,
    listener: QuestionListener,
) -> Iterator[AgentReach]:
    """What leads out of ``sandbox``, open as long as the ``with`` block runs.

    ``built``: an environment that is shown in the sandbox anyway. ``listener`` hears of what ``model`` is
    asked. A sandbox without isolation has nothing to close.
    """
    if sandbox.name == UnsafeLocal.name or (not internet and model is None):
        yield AgentReach(network="on" if internet else "off")
        return
    interpreter, mounts = inside_python(built)
    lines: list[str] = []
    variables: dict[str, str] = {}
    gateway = None
    with ExitStack() as stack:
        if internet:
            gateway = stack.enter_context(Gateway(internet=True))
            mounts += gateway.mounts
            lines.append(gateway.start_line(interpreter))
            variables |= gateway.variables(but=_OWN_INTERFACE)
        if model is not None:
            proxy = stack.enter_context(ModelProxy(model, listener))
            mounts += proxy.mounts
            lines.append(proxy.start_line(interpreter))
            variables |= proxy.variables()
        yield AgentReach(
            network="gateway",
            mounts=tuple(dict.fromkeys(mounts)),  # both have the program that forwards
            lines=tuple(lines),
            variables=variables,
            gateway=gateway,
        )
