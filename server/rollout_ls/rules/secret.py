"""Probable secrets, as places. Never repeats what it found."""

from __future__ import annotations

from rollout_ls.text import secrets


def secret_spans(data: bytes) -> list[tuple[int, int]]:
    """Byte spans of probable secrets in a line, as its JSON spells them."""
    return secrets.byte_spans(data)
