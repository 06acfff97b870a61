"""What the disk holds of a document that is open in an editor: the facts that its text alone cannot tell.

An editor shows a file without its byte order mark and with U+FFFD where bytes are no UTF-8; so some faults are seen on
the disk only, and so is whether the text was edited. One ``look`` opens the file once, reads it only where it is
another than at the look before, and holds no more of it than where its lines begin. Everything here may take its time
and is for a worker thread. Regular files only, or links to such that are named like rollouts; never written, never
waited for, and what cannot be read is simply not known.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from rollout_ls.formats.detect import ZSTD_MAGIC
from rollout_ls.formats.records import read_line
from rollout_ls.jsonl.faults import Fault, FileFault
from rollout_ls.rules.engine import IdleParts, idle_faults
from rollout_ls.text.rows import line_of, split_lines
from rollout_ls.workspace.files import PIECE_BYTES, FileProblem, is_rollout_name, open_regular

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_FAULTY_LINES = 1_000
"""Lines with faults that only their bytes show, of which is known what is wrong; the first ones."""
_WINDOW_BYTES = 4 << 20

Stamp = tuple[int, int, int, int, int]
"""Device, inode, bytes, and the nanoseconds of the last change of content and of anything."""


class FaultyLine(msgspec.Struct, frozen=True):
    """A line with faults that only its bytes show.

    ``number`` counts lines from 0, ``text`` is the hash of what an editor shows of it, without its end; the places of
    ``faults`` are byte offsets in that text.
    """

    number: int
    text: int
    faults: tuple[Fault, ...]


class FileFacts(msgspec.Struct, frozen=True):
    """A file at one moment. ``starts`` are the byte offsets of its lines, and its end at last."""

    stamp: Stamp | None
    starts: array[int]
    faulty: tuple[FaultyLine, ...] = ()
    packed: bool = False


class ChangedLine(msgspec.Struct, frozen=True):
    """A line that an editor changed: its number from 0, its bytes, and whether it is the document's last one."""

    number: int
    data: bytes
    last: bool


class Look(msgspec.Struct, frozen=True):
    """What one look found. ``facts`` None: there is no such file, or it cannot be looked at."""

    facts: FileFacts | None = None
    edited: bool = False


NOTHING = Look()


def look(path: str, known: FileFacts | None, changed: Sequence[ChangedLine], max_bytes: int) -> Look:
    """Looks at the file of a document.

    ``known`` are the facts of the look before, ``changed`` the lines that the editor changed, by their number. A file
    of more than ``max_bytes`` is not looked at. Raises nothing.
    """
    try:
        descriptor, status = open_regular(_file_of(path), follow=False)
    except FileProblem:
        return NOTHING
    try:
        if status.st_size > max_bytes:
            return NOTHING
        stamp = _stamp(status)
        if known is None or known.stamp is None or known.stamp != stamp:
            known = _read(descriptor, stamp, max_bytes)
        return Look(known, _is_edited(descriptor, known, changed))
    except OSError:
        return NOTHING
    finally:
        os.close(descriptor)


def shown(data: bytes, *, first: bool) -> bytes:
    """What an editor shows of a line's bytes: its end left out, no byte order mark before the first one."""
    text = data.rstrip(b"\n")
    text = text[:-1] if text.endswith(b"\r") else text
    if first:
        text = text.removeprefix(BYTE_ORDER_MARK)
    return text if text.isascii() else text.decode("utf-8", "replace").encode()


def digest(text: bytes) -> int:
    """A number that two texts of this process share only if they are the same, for all that is likely."""
    return hash(text)


def _file_of(path: str) -> str:
    """The file that a document's path means: itself, or, where it is a link, what it leads to, as its editor shows it.

    That must be named like a rollout, so that no name is a way to another file. Raises FileProblem.
    """
    if not os.path.islink(path):
        return path
    real = os.path.realpath(path)
    if not is_rollout_name(os.path.basename(real)):
        raise FileProblem(path, "leads to a file that is not named like a rollout")
    return real


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


# -- reading
def _read(descriptor: int, stamp: Stamp, max_bytes: int) -> FileFacts:
    """Reads a file once. One that changed meanwhile gets no stamp, so that the next look reads it again."""
    starts = array("q", [0])
    faulty: list[FaultyLine] = []
    packed = False
    for begin, chunk in _chunks(descriptor, max_bytes):
        packed = packed or (begin == 0 and chunk.startswith(ZSTD_MAGIC))
        lines = split_lines(chunk)
        if len(faulty) < MAX_FAULTY_LINES and not packed and not _is_plain(chunk, begin):
            faulty += _faulty_lines(lines, len(starts) - 1, begin, MAX_FAULTY_LINES - len(faulty))
        for data in lines:
            begin += len(data)
            starts.append(begin)
    same = _stamp(os.fstat(descriptor)) == stamp and starts[-1] == stamp[2]
    return FileFacts(stamp if same else None, starts, tuple(faulty), packed)


def _chunks(descriptor: int, max_bytes: int) -> Iterator[tuple[int, bytes]]:
    """(byte offset, whole lines) of a file, in pieces; the last one may lack its end."""
    begin = at = 0
    rest: list[bytes] = []
    while at <= max_bytes and (piece := _read_at(descriptor, at, PIECE_BYTES)):
        at += len(piece)
        cut = piece.rfind(b"\n") + 1
        if not cut:
            rest.append(piece)
            continue
        chunk = b"".join([*rest, piece[:cut]])
        yield begin, chunk
        begin += len(chunk)
        rest = [piece[cut:]] if cut < len(piece) else []
    if rest:
        yield begin, b"".join(rest)


def _is_plain(chunk: bytes, begin: int) -> bool:
    """Whether an editor shows the bytes as they are."""
    if begin == 0 and chunk.startswith(BYTE_ORDER_MARK):
        return False
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True


def _faulty_lines(lines: Iterable[bytes], number: int, begin: int, most: int) -> Iterator[FaultyLine]:
    for at, data in enumerate(lines, number):
        if most <= 0:
            return
        text = shown(data, first=at == 0)
        if _without_end(data) != text:
            most -= 1
            yield FaultyLine(at, digest(text), _faults(data, begin, first=at == 0))
        begin += len(data)


def _faults(data: bytes, begin: int, *, first: bool) -> tuple[Fault, ...]:
    """What is wrong with a line's bytes, at the places where an editor shows them. ``begin``: where it begins."""
    line = line_of(data)
    line.reading = read_line(data, lone_returns=bool(line.cuts))
    broken: tuple[Fault, ...] = line.reading.broken
    idle = (fault for fault in idle_faults(line, IdleParts(secrets=False)) if fault.what == "bad-utf8")
    lead = len(BYTE_ORDER_MARK) if first and data.startswith(BYTE_ORDER_MARK) else 0

    def shift(offset: int) -> int:
        return len(data[lead : max(lead, offset)].decode("utf-8", "replace").encode())

    found = []
    for fault in (*broken, *idle):
        start, end = shift(fault.start), shift(fault.end)
        if fault.what == "bom":  # the mark itself is not shown: the first character stands for it
            end = 1
        found.append(
            FileFault(fault.what, start, end, fault.path, fault.detail, fault.count, fault.start, begin + fault.start)
        )
    return tuple(found)


# -- comparing
def _is_edited(descriptor: int, facts: FileFacts, changed: Sequence[ChangedLine]) -> bool:
    """Whether a changed line is not what the file has at its place. The beginning of a line that the document ends in
    is none: the file has grown."""
    lines = len(facts.starts) - 1
    if changed and changed[-1].number >= lines:
        return True
    window, offset = b"", 0
    for one in changed:
        start, end = facts.starts[one.number], facts.starts[one.number + 1]
        if not (offset <= start and end <= offset + len(window)):
            rest = facts.starts[changed[-1].number + 1] - start
            window, offset = _read_at(descriptor, start, min(rest, max(end - start, _WINDOW_BYTES))), start
        held = shown(window[start - offset : end - offset], first=one.number == 0)
        wanted = _without_end(one.data)
        if wanted != held and not (one.last and wanted == one.data and held.startswith(wanted)):
            return True
    return False


def _without_end(data: bytes) -> bytes:
    text = data.rstrip(b"\n")
    return text[:-1] if text.endswith(b"\r") else text


def _read_at(descriptor: int, offset: int, number: int) -> bytes:
    """Bytes of the file from an offset on: so many, or all up to its end."""
    pieces: list[bytes] = []
    while number > 0:
        os.lseek(descriptor, offset, os.SEEK_SET)
        piece = os.read(descriptor, number)
        if not piece:
            break
        pieces.append(piece)
        offset += len(piece)
        number -= len(piece)
    return b"".join(pieces)
