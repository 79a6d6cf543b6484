"""Verifying the Java rows of a data set: the compiler is asked once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backdate.snippets.dataset import SnippetDataset
from backdate.snippets.java.compiler import JavaCompiler
from backdate.snippets.java.validity import java_validity
from backdate.snippets.snippet import Language, Snippet


def java_snippets(dataset: SnippetDataset, only: Sequence[str] = ()) -> tuple[Snippet, ...]:
    """The Java rows of ``dataset``, or of ``only``. Raises UsageError for a name that is not there."""
    chosen = tuple(dataset.snippet(name) for name in dict.fromkeys(only)) or dataset.snippets
    return tuple(snippet for snippet in chosen if snippet.language is Language.JAVA)


def verify_java(
    dataset: SnippetDataset, compiler: JavaCompiler, *, only: Sequence[str] = ()
) -> SnippetDataset:
    """``dataset`` with what the compiler says of its Java rows, written there.

    Raises UsageError for a name that is not there, SandboxUnavailable, and MachineError for a JDK that does
    not know the releases that are asked about.
    """
    chosen = {snippet.id: snippet for snippet in java_snippets(dataset, only)}
    verdicts = compiler.ask(tuple(chosen.values()))

    def with_verdict(snippet: Snippet) -> Snippet:
        asked = chosen.get(snippet.id)
        if asked is None or snippet.code != asked.code:  # another command changed it
            return snippet
        return replace(snippet, validity=java_validity(snippet, verdicts.get(snippet.id, ())))

    return dataset.changed(with_verdict)
