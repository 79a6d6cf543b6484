"""The wordings of exceptions: Python 2.7 and 3.6 to 3.14, and what common libraries say.

Each pattern is matched at a message's beginning. None can take more than a moment on a text of some thousand
characters. The first that matches counts, so the order within a table matters.
"""

from __future__ import annotations

import re
from typing import Literal

from backdate.diagnosis.result import CauseKind
from backdate.text import LatePattern

OwnerIs = Literal["", "module", "type", "function"]
Pattern = tuple[LatePattern, CauseKind, OwnerIs]

_Q = r"['\"`\u2018\u2019]"
_TEXT = r"[^\s'\"`\u2018\u2019()]+"
_NAMED = rf"{_Q}(?P<name>\w+){_Q}"
_MODULE = rf"{_Q}(?P<owner>{_TEXT}){_Q}"
_TYPED = rf"{_Q}(?P<owner>[^'\"`]+){_Q}"
_CALL = r"(?P<owner>[\w.<>]+)\(\)"
_REMOVED = r"(?P<q>`|')?(?P<owner>\w+(?:\.\w+)*)\.(?P<name>\w+)(?P=q)? (?:was|were|has been|is) removed"
_REMOVED_PLAIN = r"(?P<owner>\w+(?:\.\w+)*)\.(?P<name>\w+)(?:\(\))? (?:was|were|has been|is) removed"
_PARTIAL = r"(?:partially initialized )?"


def _patterns(kind: CauseKind, owner_is: OwnerIs, *wordings: str) -> list[Pattern]:
    return [(LatePattern(wording), kind, owner_is) for wording in wordings]


ATTRIBUTE = [
    *_patterns(CauseKind.REMOVED, "module", _REMOVED, _REMOVED_PLAIN),
    *_patterns(
        CauseKind.MISSING_ATTRIBUTE,
        "",
        rf"{_Q}module{_Q} object has no attribute {_Q}(?P<name>\w+)",  # Python 2 does not say which
    ),
    *_patterns(
        CauseKind.MISSING_ATTRIBUTE,
        "module",
        rf"{_PARTIAL}[Mm]odule {_MODULE} has no attribute {_Q}?(?P<name>\w+)",
        rf"cannot access (?:attribute|submodule) {_NAMED} of {_PARTIAL}module {_MODULE}",
        rf"{_Q}(?P<owner>\w+(?:\.\w+)+){_Q} has no attribute {_Q}(?P<name>\w+)",
        r"No (?P<owner>[\w.]+) attribute (?P<name>\w+)",
        rf"[Cc]an't get attribute {_NAMED} on <module {_MODULE}",
    ),
    *_patterns(
        CauseKind.MISSING_ATTRIBUTE,
        "type",
        rf"type object {_TYPED} has no attribute {_Q}(?P<name>\w+)",
        rf"{_TYPED} object has no attribute {_Q}(?P<name>\w+)",
        rf"(?P<owner>[A-Za-z_]\w*) instance has no attribute {_Q}(?P<name>\w+)",
    ),
    *_patterns(
        CauseKind.CHANGED_TYPE,
        "type",
        rf"property {_NAMED} of {_TYPED} object has no (?:setter|deleter|getter)",
        rf"{_TYPED} object attribute {_NAMED} is read-only",
        rf"can't (?:set|delete) attribute(?: {_NAMED})?",
    ),
    *_patterns(CauseKind.MISSING_ATTRIBUTE, "", r"(?P<name>[A-Za-z_]\w*)$"),  # of "with", up to Python 3.10
]
IMPORT = [
    *_patterns(
        CauseKind.MISSING_NAME,
        "module",
        rf"cannot import name {_Q}?(?P<name>{_TEXT}?){_Q}? from {_PARTIAL}(?:module )?{_MODULE}"
        r"(?: \(most likely due to a circular import\))?"
        r"(?: \((?P<path>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\))?",
        rf"cannot import name {_Q}?(?P<name>\w+){_Q}?",
        _REMOVED,
    ),
    *_patterns(
        CauseKind.MISSING_MODULE,
        "",
        rf"No module named {_Q}?(?P<name>{_TEXT}?){_Q}?(?:;|\.?\s|$)",
        rf"Missing optional dependency {_Q}(?P<name>[\w.-]+){_Q}",
        r"import of (?P<name>[\w.]+) halted; None in sys\.modules",
    ),
    *_patterns(
        CauseKind.BINARY_INCOMPATIBLE,
        "",
        r"(?:.*\s)?undefined symbol: (?P<name>\S+)",
        r"(?P<name>lib[\w.+-]+\.so[\w.]*): (?:cannot open shared object file|version `)",
        r"(?P<name>numpy\._?core\.multiarray) failed to import",
        r"dynamic module does not define (?:module export|init) function",
    ),
]
TYPE = [
    *_patterns(
        CauseKind.UNEXPECTED_ARGUMENT,
        "function",
        rf"{_CALL} got an unexpected keyword argument {_Q}(?P<name>\w+)",
        rf"{_CALL} got unexpected keyword argument\(?s?\)?:? \[?{_Q}?(?P<name>\w+)",
        rf"{_NAMED} is an invalid keyword argument for (?:this function|(?P<owner>[\w.]+))",
        rf"{_CALL} takes no keyword arguments",
        rf"(?:this function|(?P<owner>[\w.]+)) got an unexpected keyword argument {_Q}(?P<name>\w+)",
        rf"[Uu]nexpected keyword arguments? passed to (?P<owner>[\w.]+)(?:\(\))?: {_Q}?(?P<name>\w+)",
        rf"(?:.*\b)?[Uu]nexpected keyword argument\(?s?\)?:? \[?{_Q}?(?P<name>\w+)",
        rf"{_CALL} got some positional-only arguments passed as keyword arguments: {_Q}(?P<name>\w+)",
    ),
    *_patterns(
        CauseKind.ARGUMENT_COUNT,
        "function",
        rf"{_CALL} missing \d+ required (?:positional|keyword-only) arguments?: {_Q}(?P<name>\w+)",
        rf"{_CALL} missing required argument {_Q}(?P<name>\w+)",
        rf"{_CALL} takes (?:from \d+ to |exactly |at least |at most |no |\d+ )[^\n]*\bargument",
        rf"{_CALL} takes no (?:arguments|parameters)",
        r"(?P<owner>[\w.]+) expected (?:at most |at least )?\d+ (?:positional )?arguments?, got \d+",
        rf"{_CALL} got multiple values for (?:keyword )?argument {_Q}(?P<name>\w+)",
        rf"[Rr]equired argument {_NAMED} \(pos \d+\) not found",
    ),
    *_patterns(
        CauseKind.CHANGED_TYPE,
        "type",
        rf"Can't instantiate abstract class {_Q}?(?P<owner>\w+){_Q}? "
        rf"(?:with|without an implementation for) abstract methods? {_Q}?(?P<name>\w+)",
        rf"{_TYPED} object (?:is not|does not|has no|cannot)",
    ),
]
NAME = _patterns(
    CauseKind.UNDEFINED_NAME,
    "",
    rf"(?:global )?name {_NAMED} is not defined",
    rf"(?:local|free) variable {_NAMED} referenced before",
    rf"cannot access (?:local|free) variable {_Q}(?P<name>\w+)",
)
FIXTURE = _patterns(CauseKind.MISSING_FIXTURE, "", rf"fixture {_Q}(?P<name>\w+){_Q} not found")
BINARY = re.compile(
    r"size changed, may indicate binary incompatibility|compiled using NumPy 1\.x cannot be run"
    r"|module compiled against (?:API|ABI) version|binary incompatibility"
)
GONE = re.compile(
    r"\b(?:was|were|has been|have been|been|is|are|got) (?:now )?(?:removed|dropped|discontinued|expired)\b"
    r"|\bno longer (?:be )?(?:supported|accepts?|accepted|available|exists?|exposed|provided?|allowed|part)\b"
    r"|\bremoved (?:in|from|as of|since) (?:\w+ )?v?\d|\b(?:is|are) not supported any ?more\b"
    r"|\bnot supported (?:in|since|as of) (?:\w+ )?v?\d|\bis deprecated and (?:was|has)\b",
    re.IGNORECASE,
)
HINT = re.compile(
    r"\b[Ii]nstead\b|\breplaced? (?:it |them |this )?(?:by|with)\b|\brenamed\b|\bmoved to\b|\b[Pp]lease use\b"
    r"|\b[Uu]se:? [`'\"\w.@-]|\bin favou?r of\b|\b[Cc]onsider\b|\byou(?:'ll| will)? (?:need|have) to\b"
    r"|\b[Ss]ee \S{1,300} for alternatives\b|\b(?:superseded|obsoleted) by\b|\b[Mm]igrate to\b"
    r"|\b[Pp]lease (?:call|change|execute|import|invoke|migrate|pass|provide|refer|rename|set|switch"
    r"|update)\b"
    r"|\b[Yy]ou (?:can|could|may|might|must|should)(?: (?:also|instead|just|now|safely|simply|still))? "
    r"(?:add|call|change|convert|copy|define|give|import|make|pass|remove|rename|replace|set|specify|use|wrap"
    r"|write)\b|\bshould (?:not|no longer) be (?:called|passed|set|used)\b"
    r"|\bDid you mean to (?:call|say|use) \S|\A[Hh](?:int|INT): \S"
    r"|\b[Tt]ry (?:calling|passing|setting|using)\b"
    r"|\b[Rr]efer to \S|\b[Pp]refer [`'\"\w]|\b(?:is|are) (?:encouraged|preferred|recommended)\b"
    r"|\bis the (?:correct|preferred|recommended|right) (?:one|way)\b"
    r"|\bmoved from \S{1,120} to\b|\bshould be (?:given|imported|passed|replaced|specified)\b"
    r"|\bshould be (?:called|created|instantiated|made|run|used) (?:from )?(?:in|inside|with|within)\b"
    r"|\b(?:is|are) now (?:available|called|done|found|handled|in|named|part)\b|\bis now the [`'\"\w.]+\("
    r"|\b(?:must|should|ha(?:s|ve) to|needs? to) be re(?:built|compiled|created|generated|installed|moved"
    r"|named|placed|written)\b"
    r"|\bdefined in [`'\"]"
    r"|\bavailable (?:as|from|in|through|via) (?:the )?[`'\"\w]"
    r"|\bwill (?:become|be) keyword[- ]only\b|\b(?:be|as) (?:given |passed )?(?:as|by) keywords?\b",
)
HINT_AT_START = re.compile(
    r"(?:\A|[;,:] )(?:[Ee]xplicitly |[Jj]ust |[Ee]ither |To [^,;]{1,120}?,? (?:explicitly )?|[Dd]o not "
    r"|[Dd]on't )?(?:[Aa]ccess|[Aa]ppend|[Cc]all|[Cc]onvert|[Ii]mport|[Ii]nvoke|[Pp]ass|[Rr]ename|[Rr]eplace"
    r"|[Ss]elect|[Ss]et|[Ss]pecify|[Ss]witch to|[Ww]rap) "
    r"(?:(?:a|an|all|directly|either|explicitly|from|it|only|the|them|your?)\b|[`'\".]|\w+[._(=]\S)",
)
"""How a sentence, or what follows a mark in it, tells the reader what to write."""
NEEDED_NO_MORE = re.compile(
    r"\b(?:has|have|had|takes?) no (?:more )?effects?\b|\b(?:is|are) (?:now )?ignored\b"
    r"|\bno[ -]longer (?:be )?(?:has any effect|needed|necessary|required|used|uses)\b"
    r"|\b(?:is|are)(?: not|n't) (?:needed|necessary|required)\b|\b(?:can|may) stop (?:giving|passing|using)\b"
    r"|\bdoes nothing\b|\b(?:is|are) (?:now )?(?:a no-op|unnecessary)\b"
    r"|\b(?:can|may|should) (?:safely |simply |just )?be (?:dropped|left out|omitted|removed)\b",
)
"""What is said of what was kept for the sake of older code: it is left out."""
