"""Layer 0: the text of a document as byte rows, and how text is shown. Knows no JSON.

Never cuts a row at anything but ``\\n``, ``\\r\\n`` and ``\\r``, and a record at anything but ``\\n``; never holds the
document as one string; never fails on any bytes.
"""
