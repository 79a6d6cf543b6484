"""Biopython's alphabets, which files go on without."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.dropped_alphabets import dropped_alphabets, without_alphabets

READERS = """\
from Bio import SeqIO
from Bio.Alphabet import IUPAC, generic_protein
from Bio.Seq import Seq


def read(path):
    return list(SeqIO.parse(path, "fasta", alphabet=IUPAC.unambiguous_dna))


def dna(text):
    assert set(text) <= set(IUPAC.unambiguous_dna.letters)
    return Seq(text.upper(), IUPAC.unambiguous_dna), Seq("MK", alphabet=generic_protein)
"""
MENDED = """\
from Bio import SeqIO
from Bio.Data import IUPACData
from Bio.Seq import Seq


def read(path):
    return list(SeqIO.parse(path, "fasta"))


def dna(text):
    assert set(text) <= set(IUPACData.unambiguous_dna_letters)
    return Seq(text.upper()), Seq("MK")
"""
MESSAGE = "Bio.Alphabet has been removed from Biopython. In many cases, the alphabet can simply be ignored"


def test_calls_letters_and_imports_go_at_once() -> None:
    assert without_alphabets(READERS) == MENDED
    for other in ("from Bio import Alphabet\nfrom Bio.Seq import Seq\nx = Seq('A', Alphabet.generic_dna)\n",):
        assert without_alphabets(other) == "from Bio.Seq import Seq\nx = Seq('A')\n"


@pytest.mark.parametrize(
    "use", ["check(generic_dna)", "isinstance(x, generic_dna)", "Seq('A', chosen(generic_dna))"]
)
def test_other_uses_are_left_alone(use: str) -> None:
    text = f"from Bio.Alphabet import generic_dna\nfrom Bio.Seq import Seq\nx = {use}\n"
    assert without_alphabets(text) is None


def test_only_for_that_error_past_the_release_and_where_all_files_can_do_without() -> None:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ImportError", message=MESSAGE)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    texts = {"a.py": READERS, "b.py": "x = 1\n"}
    evidence = evidence_of(texts, versions={"biopython": ("1.76", "1.85")})
    one = dropped_alphabets(group, evidence)
    assert one is not None
    assert [(edit.file, edit.text) for edit in one.file_edits] == [("a.py", MENDED)]
    assert one.places == group.places
    other = replace(group, cause=replace(cause, message="no module named x"))
    assert dropped_alphabets(other, evidence) is None
    assert dropped_alphabets(group, replace(evidence, versions={"biopython": ("1.78", "1.85")})) is None
    assert dropped_alphabets(group, replace(evidence, kept_files=frozenset({"a.py"}))) is None
