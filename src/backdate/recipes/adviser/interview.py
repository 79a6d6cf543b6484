"""One question after another: a reply that is understood, or a named reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from backdate.models.decoding import one_line
from backdate.models.interface import Answer, Message, Model, ModelFailure, TokenUsage
from backdate.models.interface import Reply as ModelReply
from backdate.models.prices import Prices
from backdate.models.usage import Account, cost_of
from backdate.recipes.adviser.consultation import Consultation, Ending, Exchange, Phase, Strategy
from backdate.recipes.adviser.formats import WrongFormat, find_object
from backdate.recipes.adviser.prompts import CORRECTION

T = TypeVar("T")

MOST_CALLS = 40
"""The most questions in one set-up."""
_QUOTED_BACK = 4_000
"""Characters of a wrong answer that the model is shown again."""


class Interview:
    """The questions of one set-up. A wrong format is pointed out once; then the question is given up."""

    def __init__(
        self,
        model: Model,
        strategy: Strategy,
        *,
        most_calls: int = MOST_CALLS,
        prices: Prices | None = None,
    ) -> None:
        self._model = model
        self._prices = prices
        self._cost: float | None = None if prices is None else 0.0
        self._strategy = strategy
        self._left = most_calls
        self._exchanges: list[Exchange] = []
        self._account = Account()
        self._budget_exhausted = False

    @property
    def consultation(self) -> Consultation:
        """The questions so far."""
        return Consultation(
            model=self._model.name,
            strategy=self._strategy,
            exchanges=tuple(self._exchanges),
            account=self._account,
            cost=self._cost,
            currency=self._prices.currency if self._prices is not None else None,
        )

    def note(self, phase: Phase, ending: Ending, detail: str) -> None:
        """Keep what came of an answer, or of something that needed no question."""
        self._exchanges.append(Exchange(phase=phase, ending=ending, detail=one_line(detail)))

    def ask(self, phase: Phase, system: str, text: str, read: Callable[[dict[str, object]], T]) -> T | None:
        """The answer as ``read`` parses it; None when there is none that it can parse.

        ``read`` gets the JSON object that the model was asked for, and raises WrongFormat with what is wrong.
        """
        if self._budget_exhausted:
            return None
        conversation = [Message(role="system", text=system), Message(role="user", text=text)]
        usage: TokenUsage | None = TokenUsage()
        wrong: list[tuple[str, str]] = []
        while len(wrong) < 2:
            if self._left <= 0:
                self._end(phase, "out-of-calls", "the budget of model calls is used up", usage)
                return None
            self._left -= 1
            answer = self._model.ask(conversation)
            self._count(answer)
            usage = usage + answer.usage if usage is not None and answer.usage is not None else None
            if isinstance(answer, ModelFailure):
                self._budget_exhausted = answer.is_final
                self._end(phase, answer.kind, answer.message, usage)
                return None
            if answer.refusal is not None:
                self._end(phase, "refused", answer.refusal or "the content filter", usage)
                return None
            try:
                value = read(find_object(answer.text))
            except WrongFormat as error:
                wrong.append((answer.text, str(error)))
                conversation += _correction(answer, str(error))
                continue
            self._end(phase, "corrected" if wrong else "answered", answer.text, usage)
            return value
        same = wrong[0][0].strip() == wrong[1][0].strip()
        self._end(phase, "loop" if same else "wrong-format", wrong[1][1], usage)
        return None

    def _count(self, answer: Answer) -> None:
        self._account = self._account.adding(answer)
        if self._prices is not None and self._cost is not None:
            cost = cost_of(answer, self._model.name, self._prices)
            self._cost = None if cost is None else self._cost + cost

    def _end(self, phase: Phase, ending: object, detail: str, usage: TokenUsage | None) -> None:
        self._exchanges.append(
            Exchange(
                phase=phase,
                ending=ending,  # type: ignore[arg-type]  # an Ending or a FailureKind, as the callers say
                detail=one_line(detail),
                prompt_tokens=usage.prompt_tokens if usage is not None else None,
                completion_tokens=usage.completion_tokens if usage is not None else None,
            )
        )


def _correction(answer: ModelReply, problem: str) -> list[Message]:
    return [
        Message(role="assistant", text=answer.text[:_QUOTED_BACK]),
        Message(role="user", text=CORRECTION.format(problem=one_line(problem))),
    ]
