"""The one place where a solver of snippets is chosen, and what running their programs needs is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.resources import Resources
from backdate.errors import UsageError
from backdate.evaluation.snippets.answers import SnippetSolver
from backdate.evaluation.snippets.solvers import GoldSnippets, ModelSnippets, NullSnippets, ReplaySnippets
from backdate.models.model_name import parse_endpoint
from backdate.models.open import open_model
from backdate.models.settings import ModelSettings, Patience, Sampling
from backdate.snippets.environments import SnippetEnvironments
from backdate.snippets.snippet import SnippetAsk
from backdate.snippets.warm.asking import WarmQuestions
from backdate.snippets.warm.kept import KeptServers
from backdate.snippets.warm.runner import WarmRunner

SNIPPET_SOLVERS = "null, gold, rules[:SOURCES], replay:FILE, model:NAME[@BASE_URL]"
_MODEL_SAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetSession:
    """What programs and names of snippets are asked of."""

    resources: Resources
    environments: SnippetEnvironments
    runner: WarmRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetSolverOptions:
    """What some solvers want to know."""

    samples: int
    answers: Path | None = None
    """Of ``model:``: where its answers are kept."""
    temperature: float | None = 0.0
    seed: int | None = 0
    requests_per_minute: float | None = None


def open_snippet_session(resources: Resources) -> SnippetSession:
    """The runner of programs over these resources."""
    environments = SnippetEnvironments(resources)
    return SnippetSession(
        resources=resources,
        environments=environments,
        runner=WarmRunner(resources.sandbox, environments),
    )


@contextmanager
def open_snippet_solver(
    text: str, session: SnippetSession, options: SnippetSolverOptions
) -> Iterator[SnippetSolver]:
    """The solver that ``text`` names (see ``SNIPPET_SOLVERS``), closed afterwards. Raises UsageError."""
    kind, _, rest = text.partition(":")
    if text == "null":
        yield NullSnippets()
    elif text == "gold":
        yield GoldSnippets()
    elif kind == "rules":
        from backdate.evaluation.snippets.announced_names import releases_from
        from backdate.evaluation.snippets.rules_solver import RulesSnippets

        resources = session.resources
        with KeptServers(resources.sandbox) as servers:
            yield RulesSnippets(
                WarmRunner(resources.sandbox, session.environments, kept=servers),
                session.environments,
                resources.sandbox,
                sources=rest,
                releases=releases_from(resources),
                asks=WarmQuestions(sandbox=resources.sandbox, servers=servers),
            )
    elif kind == "replay" and rest:
        yield ReplaySnippets(Path(rest))
    elif kind == "model" and rest:
        with ExitStack() as stack:
            models = [
                stack.enter_context(open_model(parse_endpoint(rest), settings, answers=options.answers))
                for settings in _settings_of_samples(options)
            ]
            yield ModelSnippets(name=text, models=models)
    else:
        raise UsageError(f"there is no solver {text!r} of snippets; write one of {SNIPPET_SOLVERS}")


def samples_of(solver: str, asked: int | None) -> int:
    """How often each question is asked unless that is said: of a model five times, of a file as it has them.

    Of what answers the same each time, once. Raises UsageError for more.
    """
    kind, _, rest = solver.partition(":")
    if kind == "model":
        return asked or _MODEL_SAMPLES
    if kind == "replay" and rest:
        return asked or ReplaySnippets(Path(rest)).samples
    if asked not in (None, 1):
        raise UsageError(f"--samples is for models and replays: {solver} answers the same each time")
    return 1


def read_asks(text: str) -> tuple[SnippetAsk, ...]:
    """The asks of "locate,migrate"; all for "". Raises UsageError."""
    if not text:
        return tuple(SnippetAsk)
    names = [name.strip() for name in text.split(",")]
    known = {ask.value: ask for ask in SnippetAsk}
    for name in names:
        if name not in known:
            raise UsageError(f"--ask is some of {', '.join(known)}, not {name!r}")
    return tuple(ask for ask in SnippetAsk if ask.value in names)


def _settings_of_samples(options: SnippetSolverOptions) -> Sequence[ModelSettings]:
    """The settings of each sample; where no seed is sent, the cache tells samples apart by none."""
    return [
        ModelSettings(
            sampling=Sampling(
                temperature=options.temperature,
                seed=None if options.seed is None else options.seed + number,
            ),
            patience=Patience(requests_per_minute=options.requests_per_minute),
        )
        for number in range(options.samples)
    ]
