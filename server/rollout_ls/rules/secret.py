"""Probable secrets, as places. Never repeats what it found."""

from __future__ import annotations

from rollout_ls.text import secrets


def secret_spans(data: bytes) -> list[tuple[int, int]]:
    """Byte spans of probable secrets in a line, as its JSON spells them."""
    text = data.decode("utf-8", "replace")
    spans = secrets.spans(text)
    if not spans or len(text) == len(data):
        return spans
    found = []
    for start, end in spans:
        begin = len(text[:start].encode("utf-8", "surrogatepass"))
        found.append((begin, begin + len(text[start:end].encode("utf-8", "surrogatepass"))))
    return found
