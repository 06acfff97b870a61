"""Where a text holds what looks like a key, a token or a password, and the text with it masked.

A transcript holds what its user's shell printed, keys too; whatever shows a transcript shows it masked. Plain strings
are searched first and a pattern runs only where one was found, since nearly every text holds none. Never logs, never
tells a secret's content; a miss is possible (this is a guess by shape), so masking is no licence to publish a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MASK = "•••"
"""What stands for a secret behind its first three characters."""
SHOWN = 3
"""Characters of a secret that stay, so that its owner knows which one it is."""

_KEY_REACH = 16_384
"""How far behind its header the end of a private key is looked for, in characters."""

_WORD_START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
"""Also behind a line end or tab as JSON spells it, since raw records are shown too."""

_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (literal, re.compile(rf"{_WORD_START}{pattern}"))
    for literal, pattern in (
        ("sk-", r"sk-[A-Za-z0-9_-]{12,}"),
        ("ghp_", r"ghp_[A-Za-z0-9]{12,}[A-Za-z0-9_-]*"),
        ("github_pat_", r"github_pat_[A-Za-z0-9_]{12,}[A-Za-z0-9_-]*"),
        ("glpat-", r"glpat-[A-Za-z0-9_.-]{12,}"),
        ("xox", r"xox[A-Za-z]-[A-Za-z0-9-]{10,}[A-Za-z0-9_-]*"),
        ("AKIA", r"AKIA[A-Z0-9]{12,}[A-Za-z0-9_-]*"),
        ("AIza", r"AIza[A-Za-z0-9_-]{16,}"),
        ("npm_", r"npm_[A-Za-z0-9]{16,}(?![A-Za-z0-9_])"),
        ("hf_", r"hf_[A-Za-z0-9]{16,}(?![A-Za-z0-9_])"),
        ("eyJ", r"(?<!-)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    )
)
_DOUBTFUL = ("sk-", "npm_", "hf_", "xox")
"""Beginnings that ordinary words have as well (``sk-toggle``, ``npm_config``): these need a digit or a long run."""

_ASSIGNED = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)=[\\\"']*([^\s\\\"'`;&|<>$(){}\[\],]{16,})")
_ASSIGNMENTS = ("KEY=", "TOKEN=", "SECRET=", "PASSWORD=")
_AUTHORIZATION = re.compile(
    r"(?i:authorization)[\\\"']*\s*[:=]\s*[\\\"']*(?:(?i:bearer|basic|token|digest)\s+)?([^\s\\\"'`;&|<>$(){}\[\],]{20,})"
)
_AUTHORIZATIONS = ("uthorization", "UTHORIZATION")
_KEY_HEADER = "PRIVATE KEY"
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_KEY_BODY = re.compile(r"(?:(?:\s|\\+[nr])+[A-Za-z0-9+/=]{16,})*")

_HEX = re.compile(r"[0-9a-fA-F]+")
_RUN = re.compile(r"[A-Za-z0-9]{20,}")
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+")
"""``process.env.API_KEY``: a name in a program, not its value."""
_PATH = re.compile(r"(?:~|\.{0,2})/|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*://")


_LITERALS = (*(literal for literal, _ in _WORDS), *_ASSIGNMENTS, *_AUTHORIZATIONS, _KEY_HEADER)
_ENCODED = tuple((literal, literal.encode()) for literal in _LITERALS)


def byte_spans(data: bytes) -> list[tuple[int, int]]:
    """The same as ``spans`` for UTF-8 (what is none of it does no harm), as byte offsets.

    Plain strings are looked for in the bytes, which is quicker than in a string of wide characters.
    """
    present = frozenset(literal for literal, encoded in _ENCODED if encoded in data)
    if not present:
        return []
    text = data.decode("utf-8", "surrogateescape")  # so that a byte of no character still counts as one
    found = _joined(_found(text, present))
    if not found or len(text) == len(data):
        return found
    placed, at, begin = [], 0, 0
    for start, end in found:
        begin += len(text[at:start].encode("utf-8", "surrogateescape"))
        size = len(text[start:end].encode("utf-8", "surrogateescape"))
        placed.append((begin, begin + size))
        at, begin = end, begin + size
    return placed


def spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each probable secret, in order, without overlaps, as character offsets."""
    return _joined(_found(text, frozenset(literal for literal in _LITERALS if literal in text)))


def _joined(found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap as one."""
    found = sorted(found)
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def mask(text: str) -> str:
    """The text with each probable secret cut to its first three characters and ``•••``."""
    return mask_head(text, len(text))


REACH = 256
"""How far behind the part that is shown one looks for the rest of a secret, in characters."""


def mask_head(text: str, limit: int) -> str:
    """The first ``limit`` characters of a text, masked; also a secret that only begins there."""
    head = text[: limit + REACH]
    if not _is_suspicious(head):
        return head[:limit]
    places = spans(head)
    if not places:
        return head[:limit]
    parts, at = [], 0
    for start, end in places:
        if start >= limit:
            break
        parts += [head[at : start + SHOWN], MASK]
        at = end
    return "".join([*parts, head[at:limit]])


def _is_suspicious(text: str) -> bool:
    """Whether any of the plain strings is in a text; spelt out, since each name in an outline is asked."""
    if "-" in text and ("sk-" in text or "glpat-" in text or "xox" in text or _KEY_HEADER in text):
        return True
    if "_" in text and ("ghp_" in text or "github_pat_" in text or "npm_" in text or "hf_" in text):
        return True
    if "=" in text and ("KEY=" in text or "TOKEN=" in text or "SECRET=" in text or "PASSWORD=" in text):
        return True
    return "AKIA" in text or "AIza" in text or "eyJ" in text or "uthorization" in text or "UTHORIZATION" in text


def _found(text: str, present: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Spans of secrets in a text, of which one knows the plain strings that are in it."""
    if not present:
        return
    for literal, pattern in _WORDS:
        if literal in present:
            doubtful = literal in _DOUBTFUL
            for match in _matches(text, (literal,), pattern):
                if _is_secret(match[0][len(literal) :] if doubtful else match[0], doubtful):
                    yield match.span()
    for match in _matches(text, present.intersection(_ASSIGNMENTS), _ASSIGNED):
        if _is_secret(match[1]) and not _is_code(match[1], text[match.end() : match.end() + 1]):
            yield match.span(1)
    for match in _matches(text, present.intersection(_AUTHORIZATIONS), _AUTHORIZATION, back=1):
        if _is_secret(match[1]):
            yield match.span(1)
    if _KEY_HEADER in present:
        yield from _private_keys(text)


def _matches(text: str, literals: Iterable[str], pattern: re.Pattern[str], back: int = 0) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begins with one of some plain strings, or so many characters before it."""
    places = sorted(at for literal in literals for at in _places(text, literal))
    free_from = 0
    for at in places:
        if at - back < free_from:
            continue
        match = pattern.match(text, at - back)
        if match is not None:
            free_from = match.end()
            yield match


def _places(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)


def _is_secret(value: str, doubtful: bool = False) -> bool:
    if len(value) in (32, 40, 64) and _HEX.fullmatch(value):
        return False
    return not doubtful or bool(_RUN.search(value)) or any("0" <= character <= "9" for character in value)


def _is_code(value: str, behind: str) -> bool:
    """Whether a value is a name, a call, a path or an address rather than a key."""
    return behind in ("(", "[") or bool(_CODE.fullmatch(value) or _PATH.match(value))


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    end: re.Match[str] | None = None
    searched = False
    for header in _PRIVATE_KEY.finditer(text):
        if not searched or (end is not None and end.start() < header.end()):
            end, searched = _PRIVATE_KEY_END.search(text, header.end()), True
        if end is not None and end.start() - header.end() <= _KEY_REACH:
            yield header.start(), end.end()
            continue
        body = _PRIVATE_KEY_BODY.match(text, header.end())
        yield header.start(), body.end() if body else header.end()
