"""The addresses of readable documents: ``rollout-read:///session/<path>.md`` and its like, path only.

Editors spell queries and fragments each in their own way, and VS Code leaves out the empty authority; so all that a
document is stands in the path. Pure: never asks whether there is such a file.

``/session/<path>.md`` is a session, ``/turn/<key>/<path>.md`` one turn, ``/record/<line>/<path>.json`` the record on a
line (from 1), ``/text/<path without .zst>`` the text of a packed rollout.
"""

from __future__ import annotations

import os
import re
from typing import Literal
from urllib.parse import unquote_to_bytes

import msgspec

from rollout_ls.lsp.uris import path_of, uri_of

SCHEME = "rollout-read"
PACKED = ".zst"

What = Literal["session", "turn", "record", "text"]

_SPELT = re.compile(rf"{SCHEME}:(?://(?=/))?/(session|turn|record|text)/(.*)", re.DOTALL | re.IGNORECASE)
_KEYED = re.compile(r"([a-z0-9-]{1,40})/(.*)", re.DOTALL)
_ENDS = {"session": ".md", "turn": ".md", "record": ".json", "text": ""}
_DRIVE = re.compile(r"[A-Za-z]:/")


class Virtual(msgspec.Struct, frozen=True):
    """What an address means: what of which file. ``key`` is that of a turn, or the number of a line from 1."""

    what: What
    path: str
    key: str = ""

    @property
    def source(self) -> str:
        """The URI under which the rollout itself is opened: the file's, or that of its text where it is packed."""
        return address("text", self.path) if self.path.endswith(PACKED) else uri_of(self.path)


def read_address(uri: str) -> Virtual | None:
    """What an address means; None for every other URI."""
    match = _SPELT.fullmatch(uri)
    if match is None:
        return None
    what: What = match[1].lower()  # type: ignore[assignment]
    rest, key = os.fsdecode(unquote_to_bytes(match[2].encode("utf-8", "surrogateescape"))), ""
    if what in ("turn", "record"):
        keyed = _KEYED.fullmatch(rest)
        if keyed is None:
            return None
        key, rest = keyed[1], keyed[2]
    if not rest.endswith(_ENDS[what]) or "\0" in rest:
        return None
    path = rest.removesuffix(_ENDS[what]) if _ENDS[what] else rest + PACKED
    path = path.replace("/", "\\") if os.name == "nt" and _DRIVE.match(path) else f"/{path.lstrip('/')}"
    return Virtual(what, path, key)


def address(what: What, path: str, key: str = "") -> str:
    """The address of a readable document of the file at an absolute path."""
    named = path.removesuffix(PACKED) if what == "text" else f"{path}{_ENDS[what]}"
    lead = f"{SCHEME}:///{what}/{key}/" if key else f"{SCHEME}:///{what}/"
    return lead + uri_of(named).removeprefix("file:///")


def is_page(uri: str) -> bool:
    """Whether a URI is that of a document that is made here, and is no rollout itself."""
    found = read_address(uri)
    return found is not None and found.what != "text"


def disk_path(uri: str) -> str | None:
    """The path of the file that a document is, or is the text of; None where it is none of this disk."""
    path = path_of(uri)
    if path is not None:
        return path
    found = read_address(uri)
    return found.path if found is not None else None
