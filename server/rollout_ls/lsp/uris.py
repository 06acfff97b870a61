"""URIs of files as paths, paths as URIs, and when two URIs mean the same document.

Editors write one file in several ways (``c%3A`` and ``C:``, ``%20`` and a blank). A document is answered under the URI
that its client used; only for finding it are URIs compared by what they mean. Never touches the disk.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

_DRIVE = re.compile(r"/?([A-Za-z]):(?=/|$)")
_SAFE = "/:@!$&'()*+,;=~"


def path_of(uri: str) -> str | None:
    """The path of a ``file`` URI of this host; None for every other (UNC hosts, other schemes, half URIs)."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file" or parts.netloc.lower() not in ("", "localhost"):
        return None
    path = os.fsdecode(unquote_to_bytes(parts.path))
    if not path.startswith("/") or "\0" in path:
        return None
    if os.name == "nt" and _DRIVE.match(path):
        return path[1:].replace("/", "\\")
    return path


def uri_of(path: str) -> str:
    """The URI of an absolute path."""
    text = path.replace("\\", "/") if os.name == "nt" else path
    lead = "file://" if text.startswith("/") else "file:///"
    return lead + quote(os.fsencode(text), safe=_SAFE)


def meaning_of(uri: str) -> str:
    """A text that is the same for all spellings of one URI."""
    scheme, colon, rest = uri.partition(":")
    if not colon:
        return uri
    path = unquote_to_bytes(rest.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")
    if scheme.lower() == "file":
        path = "/" + path.lstrip("/").removeprefix("localhost/")
        path = _DRIVE.sub(lambda match: f"/{match[1].lower()}:", path, count=1)
    elif path.startswith("///"):  # an empty authority, which some leave out
        path = path[2:]
    return f"{scheme.lower()}:{path}"
