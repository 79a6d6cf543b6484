"""Reading answers in code: the module with the function that was asked for, out of whatever was answered."""

from __future__ import annotations

import re
from typing import Any

from tree_sitter import Node

from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.source_tree import SourceTree, ancestors, source_tree
from backdate.snippets.questions.answer import AnswerLabel, CodeAnswer
from backdate.snippets.questions.read_text import LONGEST_REPLY, json_in

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_OPEN_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)[^\n`]*$", re.MULTILINE)
_KEYS = ("code", "function", "solution", "answer", "migrated_code")


def read_code(reply: str, entry: str, asked: str) -> CodeAnswer:
    """The module of a reply to "migrate" or "complete".

    ``entry``: the function that it has to define; empty where tests decide that. ``asked``: the code of the
    question, whose imports an answer of the function alone gets.
    """
    text = reply.strip("\n")
    if not text.strip():
        return CodeAnswer(labels=(AnswerLabel.EMPTY,))
    if len(text) > LONGEST_REPLY:
        return CodeAnswer(labels=(AnswerLabel.TOO_LARGE,))
    blocks, labels = _blocks(text)
    read = [(block, source_tree(block)) for block in blocks]
    usable = [(block, tree) for block, tree in read if tree.is_python and not tree.is_too_deep]
    if not usable:
        return CodeAnswer(code=blocks[0], labels=(*labels, AnswerLabel.NOT_PYTHON))
    if not entry:
        return CodeAnswer(code="\n\n".join(block for block, _ in usable), labels=labels)
    for block, tree in usable:
        definitions = _definitions(tree, entry)
        if definitions:
            several = (AnswerLabel.SEVERAL_FUNCTIONS,) if definitions > 1 else ()
            code, added = with_imports(block, asked)
            return CodeAnswer(
                code=code,
                labels=(*labels, *several, *((AnswerLabel.IMPORTS_ADDED,) if added else ())),
            )
    return CodeAnswer(code=usable[0][0], labels=(*labels, AnswerLabel.OTHER_FUNCTION))


def with_imports(code: str, asked: str) -> tuple[str, bool]:
    """``code`` below those imports of ``asked`` that bind what it uses and does not bind; whether there were.

    An import of what the target lacks is not brought back: only what the code still names is.
    """
    names = SourceNames(source_tree(code))
    question = source_tree(asked)
    wanted: list[str] = []
    for imported in SourceNames(question).imported():
        local = imported.local
        if names.bindings(local) or not any(is_use(node) for node in names.tree.identifiers(local)):
            continue
        statement = question.code(imported.statement)
        if statement not in wanted:
            wanted.append(statement)
    futures = re.findall(r"^from __future__ import [^\n]+$", asked, re.MULTILINE)
    if not wanted:
        return code, False
    return "\n".join((*futures, *wanted, "", code)), True


def _blocks(text: str) -> tuple[list[str], tuple[AnswerLabel, ...]]:
    """The pieces of a reply that may be code, and what is odd about where they stand."""
    fenced = [match[2] for match in _FENCE.finditer(text) if match[2].strip()]
    if fenced:
        several = (AnswerLabel.SEVERAL_BLOCKS,) if len(fenced) > 1 else ()
        return fenced, (AnswerLabel.FENCED, *several)
    opened = _OPEN_FENCE.search(text)  # an answer that was cut off
    if opened is not None and text[opened.end() :].strip():
        return [text[opened.end() + 1 :]], (AnswerLabel.FENCED,)
    if text.lstrip()[:1] == "{" and (code := _code_of(text)):
        return [code], (AnswerLabel.FENCED,)
    return [text], ()


def _code_of(text: str) -> str:
    try:
        value: Any = json_in(text)
    except ValueError:
        return ""
    if not isinstance(value, dict):
        return ""
    code = next((value[key] for key in _KEYS if isinstance(value.get(key), str)), "")
    inner = _FENCE.search(code)
    return inner[2] if inner is not None else code


def _definitions(tree: SourceTree, entry: str) -> int:
    """How often the module binds ``entry`` at its top; of "Class.method" the class."""
    name = entry.partition(".")[0]
    return sum(_at_top(binding.node) for binding in SourceNames(tree).bindings(name))


def _at_top(node: Node) -> bool:
    inside = ("function_definition", "class_definition", "lambda")
    return all(outer.child_by_field_name("name") == node for outer in ancestors(node) if outer.type in inside)
