"""The answers of a check as text. The same function prints fresh answers and stored ones."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.checking.answers import CheckAnswers
from backdate.cli.render import Line, print_lines, result_lines


def print_answers(answers: CheckAnswers, *, verbose: bool = False) -> None:
    """Print the answers to standard output."""
    print_lines(answers_lines(answers, verbose=verbose))


def answers_lines(answers: CheckAnswers, *, verbose: bool = False) -> Iterator[Line]:
    """The report, line by line."""
    for number, result in enumerate(answers.results):
        if number:
            yield "", ""
        yield from result_lines(result, verbose=verbose)
