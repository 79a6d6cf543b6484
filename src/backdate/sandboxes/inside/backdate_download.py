"""Downloads one file. Run in a sandbox, by any Python from 2.7 on: ``download.py ADDRESS FILE BYTES``."""

import sys

try:
    from urllib.request import HTTPRedirectHandler, build_opener
except ImportError:  # Python 2
    from urllib2 import HTTPRedirectHandler, build_opener

_CHUNK = 256 * 1024
_WAIT_S = 60


class _SameScheme(HTTPRedirectHandler):
    """Goes on to other hosts, never to another scheme."""

    def __init__(self, scheme):
        self._scheme = scheme

    def redirect_request(self, request, answer, code, message, headers, url):
        if url.partition(":")[0] != self._scheme:
            raise ValueError("it leads to %s" % url[:200])
        return HTTPRedirectHandler.redirect_request(self, request, answer, code, message, headers, url)


def main(address, path, most):
    """Write what is at ``address`` to ``path``; raises for more than ``most`` bytes."""
    answer = build_opener(_SameScheme(address.partition(":")[0])).open(address, timeout=_WAIT_S)
    size = 0
    with open(path, "wb") as target:
        data = answer.read(_CHUNK)
        while data:
            size += len(data)
            if size > most:
                raise ValueError("it is larger than %d bytes" % most)
            target.write(data)
            data = answer.read(_CHUNK)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    except (EnvironmentError, ValueError) as error:
        sys.exit("%s: %s" % (type(error).__name__, error))
