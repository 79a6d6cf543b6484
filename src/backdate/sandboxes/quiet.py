"""Variables that keep programs in a sandbox from asking people, and from looking for news on the internet."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

QUIET_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "FLIT_NO_NETWORK": "1",  # flit compares classifiers with a list that it fetches
        "INPUTRC": os.devnull,  # a system's inputrc may have readline write escape sequences into output
        "GIT_TERMINAL_PROMPT": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "VIRTUALENV_NO_PERIODIC_UPDATE": "1",  # its wheels of pip and setuptools
        "PDM_CHECK_UPDATE": "0",
        "HATCH_SELF_CHECK": "0",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    }
)
"""For build steps and tests alike; what a project sets goes before."""
