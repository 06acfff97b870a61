"""Layer 4: what an editor shows of a session; one feature a file, with values of its own.

Pure: no protocol types, no clock, no disk, no document; never shows text that did not pass ``text.display``.
"""
