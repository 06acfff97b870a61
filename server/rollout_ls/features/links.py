"""Links: what a record names that can be opened: web addresses, other threads, files of the open workspace folders.

Says only what is written there, and never looks whether it is: a thread or a file is a symbolic target, looked up on
request by who moves messages. Never offers a path of another machine or of a device, nothing outside the folders that
are given, no address that holds a probable secret or a password, and nothing behind ``MAX_COLUMN``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_to_bytes

import msgspec

from rollout_ls.features.target import File, Thread, Web
from rollout_ls.formats.records import thread_keys
from rollout_ls.projection.session import Session
from rollout_ls.text.columns import offset_of
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import spans as secrets_in

MAX_LINKS = 2_000
MAX_COLUMN = 20_000
"""Columns of a row (UTF-16 units) behind which nothing is a link: editors draw no more than 10,000."""
MAX_BYTES = 64 << 20
"""Bytes of one document that are looked through."""
MAX_ADDRESS = 1_000
"""Bytes of an address or a path; what is longer is none."""

# Each search begins at a literal, which is found many times faster than a pattern.
_BODY = re.compile(rb"[^\x00-\x20\"'\\<>`|^{}\x7f-\xff]*")
_PATH_BODY = re.compile(rb"[^\x00-\x20\"'\\<>`|*?:;,()\[\]{}$&=\x7f]*")
_PATH_BEFORE = re.compile(rb"[\w./:-]")
_FOLDER_BEFORE = re.compile(rb'(?:cwd|dir|directory|root)\\*"\s*:\s*\[?\s*\\*"\Z')
"""What stands before a path that names a folder, which no editor can open."""
_THREAD = re.compile(rb'\s*:\s*\[?\s*"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"')
_KEY_ENDS = (b'_id"', b'Id"', b'_ids"')
_MAX_KEY = 40
_SCHEMES = (b"https", b"http", b"file")
_TRAILING = b".,;:!?)]}*_~"


class Link(msgspec.Struct, frozen=True):
    """A place that can be opened, and what it leads to."""

    place: Place
    target: Web | Thread | File


def links(session: Session, folders: Sequence[str]) -> tuple[Link, ...]:
    """The links of a document in order, at most ``MAX_LINKS``. ``folders`` are absolute paths (with ``/``)."""
    header = session.header
    own = header.thread_id.lower().encode() if header is not None else b""
    roots = tuple(root for folder in folders if (root := folder.rstrip("/")))
    search = _Search(frozenset(key.encode() for key in thread_keys()), roots, own)
    found: list[Link] = []
    left = MAX_BYTES
    for line in session.buffer:
        found += _links_of(line, search)
        left -= min(line.end, MAX_COLUMN)
        if len(found) >= MAX_LINKS or left < 0:
            break
    return tuple(found[:MAX_LINKS])


class _Search(msgspec.Struct, frozen=True):
    keys: frozenset[bytes]
    roots: tuple[str, ...]
    """The folders, without a ``/`` at their end."""
    own_thread: bytes


def _links_of(line: Line, search: _Search) -> list[Link]:
    if not line.reading.statements:
        return []
    data = line.data if line.end <= MAX_COLUMN else line.data[: offset_of(line.data, MAX_COLUMN, "utf-16")]
    found = [*_addresses(line, data, search), *_paths(line, data, search), *_threads(line, data, search)]
    if len(found) < 2:
        return found
    return _apart(sorted(found, key=lambda link: (link.place.start, -link.place.end)))


def _all_of(data: bytes, literal: bytes) -> Iterator[int]:
    """Where a literal stands."""
    at = data.find(literal)
    while at >= 0:
        yield at
        at = data.find(literal, at + len(literal))


def _apart(found: list[Link]) -> list[Link]:
    """Links that do not overlap; of two the one that begins first."""
    kept: list[Link] = []
    for link in found:
        if not kept or link.place.start >= kept[-1].place.end:
            kept.append(link)
    return kept


def _addresses(line: Line, data: bytes, search: _Search) -> Iterator[Link]:
    for at in _all_of(data, b"://"):
        scheme = next((one for one in _SCHEMES if data[max(0, at - len(one)) : at].lower() == one), b"")
        start = at - len(scheme)
        raw = _trimmed(data[start : at + 3] + _BODY.match(data, at + 3, at + 3 + MAX_ADDRESS)[0])  # type: ignore[index]
        target: Web | File | None = None
        if scheme == b"file":
            target = _file(unquote_to_bytes(raw[7:].removeprefix(b"localhost")), search)
        elif scheme:
            target = _web(raw)
        if target is not None:
            yield Link(Place(line, start, start + len(raw)), target)


def _web(raw: bytes) -> Web | None:
    host = raw.partition(b"://")[2].partition(b"/")[0]
    if not host or b"@" in host:
        return None
    address = raw.decode("ascii")
    return Web(address) if len(raw) < MAX_ADDRESS and not secrets_in(address) else None


def _file(raw: bytes, search: _Search) -> File | None:
    """A path below one of the folders, by its words; one with ``..`` or ``//`` in it is none."""
    try:
        path = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\0" in path or "//" in path or ".." in path.split("/") or len(raw) >= MAX_ADDRESS:
        return None
    return File(path) if any(path.startswith(f"{root}/") for root in search.roots) else None


def _paths(line: Line, data: bytes, search: _Search) -> Iterator[Link]:
    for root in search.roots:
        head = root.encode("utf-8", "surrogateescape") + b"/"
        for at in _all_of(data, head):
            if at and (_PATH_BEFORE.match(data, at - 1, at) or _FOLDER_BEFORE.search(data, max(0, at - 40), at)):
                continue
            raw = _trimmed(_PATH_BODY.match(data, at, at + MAX_ADDRESS)[0])  # type: ignore[index]
            target = _file(raw, search)
            if target is not None:
                yield Link(Place(line, at, at + len(raw)), target)


def _threads(line: Line, data: bytes, search: _Search) -> Iterator[Link]:
    for end in _KEY_ENDS:
        for at in _all_of(data, end):
            stop = at + len(end) - 1
            key = data[data.rfind(b'"', max(0, at - _MAX_KEY), at) + 1 : stop]
            if key not in search.keys:
                continue
            match = _THREAD.match(data, stop + 1)
            if match is not None and match[1].lower() != search.own_thread:
                yield Link(Place(line, match.start(1), match.end(1)), Thread(match[1].decode("ascii").lower()))


def _trimmed(raw: bytes) -> bytes:
    """Without the punctuation of the sentence around it; a closing bracket stays where one is opened."""
    while raw and raw[-1] in _TRAILING:
        if raw[-1:] == b")" and raw.count(b"(") >= raw.count(b")"):
            break
        raw = raw[:-1]
    return raw
