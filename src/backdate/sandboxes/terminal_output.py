"""What hostile code shows at a person's terminal, without the sequences that reach beyond the screen.

Control strings (OSC, DCS, APC, PM, SOS of ECMA-48) set titles, write to the clipboard, or make the terminal
type an answer of the sender's choice. Colours, movements and all that editors draw with are control
sequences, which stay.
"""

from __future__ import annotations

_ESC, _BELL, _CANCEL, _SUBSTITUTE = 0x1B, 0x07, 0x18, 0x1A
_OPENING = frozenset(b"]P_^X")
"""After ESC: the strings' beginnings. In UTF-8 they are C2 followed by one of ``_OPENING_C1``."""
_OPENING_C1 = frozenset((0x9D, 0x90, 0x9F, 0x9E, 0x98))
_C1_LEAD, _C1_END = 0xC2, 0x9C
_LONGEST = 64 * 1024
"""Bytes after which a string that does not end is taken for ordinary output."""


class ControlStringFilter:
    r"""Takes control strings out of bytes that come in pieces.

    >>> ControlStringFilter().feed(b"a\x1b]52;c;ZXZpbA==\x07b\x1b[1mc")
    b'ab\x1b[1mc'
    """

    def __init__(self) -> None:
        self._lead = 0
        """ESC or C2, when it was the last byte: what follows decides."""
        self._within = 0
        """Bytes of the string so far; 0 outside of one."""

    def feed(self, data: bytes) -> bytes:
        """``data`` without control strings."""
        if not self._within and not self._lead and _ESC not in data and _C1_LEAD not in data:
            return data
        shown = bytearray()
        for byte in data:
            if self._within:
                self._string(byte)
            else:
                self._ordinary(byte, shown)
        return bytes(shown)

    def _ordinary(self, byte: int, shown: bytearray) -> None:
        lead, self._lead = self._lead, 0
        if (lead == _ESC and byte in _OPENING) or (lead == _C1_LEAD and byte in _OPENING_C1):
            self._within = 1
            return
        if lead:
            shown.append(lead)
        if byte in (_ESC, _C1_LEAD):
            self._lead = byte
        else:
            shown.append(byte)

    def _string(self, byte: int) -> None:
        lead, self._lead = self._lead, 0
        self._within += 1
        ended = byte in (_BELL, _CANCEL, _SUBSTITUTE) or (lead == _C1_LEAD and byte == _C1_END)
        if ended or lead == _ESC or self._within > _LONGEST:
            # ESC and a backslash are the end; ESC and anything else end it, too, as terminals have it
            self._within = 0
        elif byte in (_ESC, _C1_LEAD):
            self._lead = byte
