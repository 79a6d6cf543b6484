"""Calls that give another value without an error, as the tables know them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import uses_in
from backdate.editing.spans import apply_edits
from backdate.knowledge.rules import rules_behind, rules_for, value_rules_of
from backdate.rewriting.rewrite import AddArgument
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.known_values import known_values

SOURCE = """\
import yaml

def text(data):
    return yaml.dump(data)

def never_run(data):
    return yaml.safe_dump(data)
"""


def evidence(folder: Path, old: str, new: str) -> FixEvidence:
    (folder / "p.py").write_text(SOURCE)
    return FixEvidence(
        tree=folder,
        uses=uses_in(folder),
        texts={"p.py": SOURCE},
        executed={"p.py": frozenset({4})},
        versions={"pyyaml": (old, new)},
        modules={"yaml": "pyyaml"},
    )


def test_what_a_call_gave_is_written_where_the_failing_tests_run_it(tmp_path: Path) -> None:
    (found,) = known_values(evidence(tmp_path, "3.13", "6.0.1"))
    assert found.rewrite == AddArgument(
        function="yaml.dump", argument="default_flow_style", value="None", position=None
    )
    assert found.places == (SourcePlace(file="p.py", line=4),)
    assert found.rule == "pyyaml:yaml.dump"
    assert "blocks" in found.why.text


def test_what_is_written_already_is_not_written_again(tmp_path: Path) -> None:
    source = "import pandas\n\ndef kinds(table):\n    return table.kind.value_counts()\n"
    line, executed = SourcePlace(file="p.py", line=4), {"p.py": frozenset({4})}
    uses = ProjectUses()
    uses.record("pandas.core.series.Series.value_counts", line, of_object=True)
    before = FixEvidence(
        tree=tmp_path,
        uses=uses,
        texts={"p.py": source},
        executed=executed,
        versions={"pandas": ("1.5.3", "2.2.0")},
        modules={"pandas": "pandas"},
    )
    (found,) = known_values(before)
    text = apply_edits(source, rewrite_source(source, found.rewrite, lines=frozenset({4})).edits)
    assert "value_counts().rename_axis(None).rename(table.kind.name)" in text
    assert list(known_values(replace(before, texts={"p.py": text}))) == []


def test_a_text_is_spelled_otherwise_wherever_failing_tests_compare_it(tmp_path: Path) -> None:
    made = "import argparse\n\ndef text():\n    return argparse.ArgumentParser().format_help()\n"
    read = "def own(text):\n    return text.partition('optional arguments:')[2]\n"
    read += "def never_run(text):\n    return 'optional arguments' in text\n"
    texts = {"made.py": made, "read.py": read, "test_it.py": read}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    before = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts=texts,
        executed={"made.py": frozenset({4}), "read.py": frozenset({2}), "test_it.py": frozenset({2})},
        versions={"python": ("3.8.18", "3.12.1")},
        modules={"argparse": "python"},
        kept_files=frozenset({"test_it.py"}),
    )
    (found,) = known_values(before)
    assert found.places == (SourcePlace(file="read.py", line=2),)
    after = apply_edits(read, rewrite_source(read, found.rewrite, lines=frozenset({2})).edits)
    assert after == read.replace("optional arguments:", "options:", 1)
    assert list(known_values(replace(before, executed={"read.py": frozenset({2})}))) == []


def test_between_other_releases_nothing_is_said(tmp_path: Path) -> None:
    assert list(known_values(evidence(tmp_path, "5.4", "6.0.1"))) == []


def test_no_error_is_about_them() -> None:
    (rule, *_) = value_rules_of("pyyaml", old="3.13", new="6.0.1")
    assert rule.row.kind == "value"
    assert rules_for("pyyaml", "yaml.dump", old="3.13", new="6.0.1") == ()
    assert rule not in rules_behind("pyyaml", "AssertionError: assert 1 == 2", old="3.13", new="6.0.1")


def test_a_builtin_type_is_the_kind_that_numpy_took_it_for() -> None:
    """``numpy.float`` was ``float``, which NumPy took for any floating type until 1.19."""
    source = "import numpy as np\na = np.issubdtype(x.dtype, float)\nb = np.issubdtype(x, np.float64)\n"
    rules = [
        rule
        for rule in value_rules_of("numpy", old="1.17.5", new="2.2.0")
        if rule.target == "numpy.issubdtype"
    ]
    for rule in rules:
        source = apply_edits(source, rewrite_source(source, rule.rewrite, lines=None).edits)
    assert source == (
        "import numpy as np\na = np.issubdtype(x.dtype, np.floating)\nb = np.issubdtype(x, np.float64)\n"
    )
    later = value_rules_of("numpy", old="1.20.3", new="2.2.0")
    assert not [rule for rule in later if rule.target == "numpy.issubdtype"]


def test_what_is_a_coroutine_now_is_awaited_in_coroutines_alone(tmp_path: Path) -> None:
    source = (
        "async def made(bot):\n    bot.add_cog(A())\n    await bot.add_cog(B())\n\n"
        "def setup(bot):\n    bot.add_cog(A())\n"
    )
    uses = ProjectUses()
    for line in (2, 3, 6):
        place = SourcePlace(file="p.py", line=line)
        uses.record("discord.ext.commands.bot.Bot.add_cog", place, of_object=True)
    seen = FixEvidence(
        tree=tmp_path,
        uses=uses,
        texts={"p.py": source},
        executed={"p.py": frozenset({2, 3, 6})},
        versions={"discord-py": ("1.7.3", "2.5.2")},
        modules={"discord": "discord-py"},
    )
    (found,) = known_values(seen)
    assert found.places == (SourcePlace(file="p.py", line=2),)
    edited = rewrite_source(source, found.rewrite, lines=frozenset({2}))
    assert "    await bot.add_cog(A())\n    await bot.add_cog(B())" in apply_edits(source, edited.edits)
