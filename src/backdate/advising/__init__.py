"""What to do about a breakage: from what was seen, said by the library and asked of it to an ``Advice``."""
