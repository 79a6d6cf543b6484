"""Tables of scored runs over snippets, as CodeMEnv's paper has them (arXiv 2506.00894, Tables 2 and 3).

Each line stands twice: for all snippets, and for those whose claim is confirmed. What doing nothing scores
stands in the same line.
"""

from __future__ import annotations

from collections.abc import Sequence

from backdate.evaluation.snippets.summary import RuleFigures, SnippetFigures, SnippetSummary
from backdate.reports.tables import Table
from backdate.reports.text import NOTHING, count, percent
from backdate.snippets.questions.code import CODE_ASKS
from backdate.snippets.snippet import SnippetAsk

_SUBSETS = "all: every snippet; confirmed: those whose incompatibility running or looking up names has shown."
_KINDS = {
    SnippetAsk.LOCATE: "task 1, locate",
    SnippetAsk.EXPLAIN: "task 2, explain",
    SnippetAsk.MIGRATE: "task 3, migrate",
    SnippetAsk.COMPLETE: "complete",
}


_OF_RUN = ("Model", "Task", "Snippets of", "Subset", "Snippets")
_PASSED = ("Samples", "pass@1", "pass@5", "any of k")


def snippet_tables(summaries: Sequence[SnippetSummary]) -> tuple[Table, ...]:
    """All tables that the runs give; none without runs."""
    words = [(run, each) for run in summaries for each in run.figures if each.ask not in CODE_ASKS]
    code = [(run, each) for run in summaries for each in run.figures if each.ask in CODE_ASKS]
    tables = []
    if words:
        tables += [words_table(words), parts_table(words)]
    if code:
        tables += [code_table(code), errors_table(code)]
    if any(run.labels for run in summaries):
        tables.append(labels_table(summaries))
    return tuple(tables)


def words_table(rows: Sequence[tuple[SnippetSummary, SnippetFigures]]) -> Table:
    """The paper's Table 2, by each rule."""
    return Table(
        name="snippet-words",
        caption="Snippets: which names do not work, and what became of them (CodeMEnv, Table 2)",
        columns=(
            *_OF_RUN,
            *_PASSED,
            *("released", "judge", "doing nothing"),
        ),
        rows=tuple(
            (
                *_head(run, each),
                *_rule(each),
                percent(each.released.pass_at_1),
                _judge(each),
                percent(each.baseline),
            )
            for run, each in rows
        ),
        text_columns=4,
        note="pass@1, pass@5 (unbiased) and any of k: by the strict rule. Task 1 wants exactly the row's "
        "names, task 2 type, version (near) and replacement. Released: the rule of the paper's published "
        f"scorer, which looks for the names alone, pass@1. Judge: a model's verdicts. {_SUBSETS}",
    )


def parts_table(rows: Sequence[tuple[SnippetSummary, SnippetFigures]]) -> Table:
    """What of an answer in words is right."""
    return Table(
        name="snippet-parts",
        caption="Snippets: what of these answers is right",
        columns=(
            *_OF_RUN,
            *("precision", "recall", "type", "version", "replacement"),
        ),
        rows=tuple(
            (
                *_head(run, each),
                percent(each.precision),
                percent(each.recall),
                percent(each.change),
                percent(each.version),
                percent(each.replacement),
            )
            for run, each in rows
        ),
        text_columns=4,
        note="Over all samples. What a row does not say is not asked for.",
    )


def code_table(rows: Sequence[tuple[SnippetSummary, SnippetFigures]]) -> Table:
    """The paper's Table 3, and completions."""
    return Table(
        name="snippet-code",
        caption="Snippets: code that works with the target (CodeMEnv, Table 3)",
        columns=(
            *_OF_RUN,
            *_PASSED,
            *("released", "doing nothing", "… released", "not decided", "names gone"),
            "visible tests",
        ),
        rows=tuple(
            (
                *_head(run, each),
                *_rule(each),
                percent(each.released.pass_at_1),
                percent(each.baseline),
                percent(each.baseline_released),
                count(each.undecided),
                percent(each.statically),
                percent(each.visible),
            )
            for run, each in rows
        ),
        text_columns=4,
        note="pass@1, pass@5 (unbiased) and any of k: status and output of every case equal what the origin "
        "gave. Released: what is printed is equal, an error's text like a value's. Not decided: there is no "
        "environment with the version; names gone: the share of such answers that use none of the row's "
        f"names. {_SUBSETS}",
    )


def errors_table(rows: Sequence[tuple[SnippetSummary, SnippetFigures]]) -> Table:
    """The numbers of the paper's Figure 4."""
    names = list(dict.fromkeys(name for _, each in rows for name in each.errors or {}))
    return Table(
        name="snippet-errors",
        caption="Snippets: why code fails (CodeMEnv, Figure 4)",
        columns=(*_OF_RUN, *names),
        rows=tuple(
            (*_head(run, each), *(count((each.errors or {}).get(name, 0)) for name in names))
            for run, each in rows
        ),
        text_columns=4,
        note="Over all samples. call-error: it calls what the target does not have; run-error: it does not "
        "run for another reason; wrong-answer: it gives something else; unreadable: there is no code "
        "with the function.",
    )


def labels_table(summaries: Sequence[SnippetSummary]) -> Table:
    """What was odd about answers."""
    rows = [(run.model, label, count(number)) for run in summaries for label, number in run.labels.items()]
    return Table(
        name="snippet-labels",
        caption="Snippets: odd answers",
        columns=("Model", "Label", "Answers"),
        rows=tuple(rows),
        text_columns=2,
    )


def group_name(each: SnippetFigures) -> str:
    """Which snippets a line is about."""
    direction = "" if each.direction is None else f", {each.direction.value}"
    return f"{each.collection.value}{direction}"


def _head(run: SnippetSummary, each: SnippetFigures) -> tuple[str, ...]:
    return (run.model, _KINDS[each.ask], group_name(each), each.subset, count(each.snippets))


def _rule(each: SnippetFigures) -> tuple[str, ...]:
    rule: RuleFigures = each.strict
    return (
        count(each.samples),
        _share(each, rule.pass_at_1),
        _share(each, rule.pass_at_5),
        _share(each, rule.any_of_k),
    )


def _share(each: SnippetFigures, value: float | None) -> str:
    return percent(value) if each.snippets else NOTHING


def _judge(each: SnippetFigures) -> str:
    if each.judge is None:
        return NOTHING
    told = percent(each.judge.pass_at_1)
    return told if each.judged == each.snippets else f"{told} of {each.judged}"
