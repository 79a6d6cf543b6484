"""Runs a module as ``python -m MODULE`` does, the secret of the run read before: ``boot.py MODULE ...``.

``python -S boot.py`` reads the secret before ``site`` runs what an environment holds (``.pth`` files,
``sitecustomize``), and then does what ``-S`` left out. For Python 3.3 and later: before, importing ``site``
cannot be put off.
"""

import backdate_capture_start

backdate_capture_start.run(globals())
