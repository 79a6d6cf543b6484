"""A rendered form on standard output, which may be the log of a CI service: nothing in it is obeyed there.

GitHub's runner takes lines that begin with "::" and "##[" wherever it stands, Azure "##vso[" and TeamCity
"##teamcity[". One character of these is written otherwise, in a way that says the same to who reads the form.
"""

from __future__ import annotations

import re

from backdate.output.formats import OutputFormat

_ANYWHERE = re.compile(r"#(?=#\w*\[)")
_BEGINS = re.compile(r"(?m)^(\s*):(?=:)")
_JSON = frozenset({OutputFormat.JSON, OutputFormat.SARIF})
_MARKUP = frozenset({OutputFormat.JUNIT, OutputFormat.HTML})


def in_a_log(text: str, form: OutputFormat) -> str:
    """``text`` in the form ``form`` so that no log obeys what strangers wrote; GITHUB's own commands stay."""
    if form in _JSON:  # there is no "#" but in strings
        return _ANYWHERE.sub(r"\\u0023", text)
    if form in _MARKUP:
        return _BEGINS.sub(r"\1&#58;", _ANYWHERE.sub("&#35;", text))
    if form is OutputFormat.MARKDOWN:  # code has no escapes
        return _BEGINS.sub(r"\1\\x3a", _ANYWHERE.sub(r"\\x23", text))
    return text
