"""Zstandard files as a stream of bytes, with caps, and whether they end too early.

A packed file can claim any size: what comes out is bounded by a ratio. The library that unpacks is imported only when
a packed file is read, and it takes a cut file for a whole one, so the frames are walked once more here. Nothing is
ever unpacked to the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from rollout_ls.text.display import bytes_text

PIECE_BYTES = 1 << 20
FREE_BYTES = 64 << 20
"""Below this size no ratio is too high."""
LINE_BYTES = 200
"""What a line takes in memory beside its bytes: a few bytes of packed line ends must not become gigabytes of lines."""
MAX_WINDOW_BYTES = 128 << 20

MAX_BLOCKS = 1_000_000
"""Blocks that are looked at for an early end; a block unpacks to at most 128 KiB."""

_MAGIC = b"\x28\xb5\x2f\xfd"


class Damaged(Exception):
    """The file cannot be unpacked any further. As text: the reason, in few words."""


class TooMuch(Damaged):
    """Reading stops at a limit, whose name in the settings is ``limit``."""

    def __init__(self, limit: str, reason: str) -> None:
        super().__init__(reason)
        self.limit = limit


def plain(file: BinaryIO, piece_bytes: int = PIECE_BYTES) -> Iterator[bytes]:
    """The bytes of a file as they are, in pieces."""
    while piece := file.read(piece_bytes):
        yield piece


def unpacked(file: BinaryIO, max_ratio: int) -> Iterator[bytes]:
    """The unpacked bytes of a zstd file, in pieces. Raises ``Damaged`` where they end early, after all before it.

    ``max_ratio`` is how many bytes may be taken for each packed one, once ``FREE_BYTES`` are taken.
    """
    import zstandard

    size = _size(file)
    unpack = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
    reader = unpack.stream_reader(file, read_across_frames=True, closefd=False)
    done = taken = 0
    try:
        while piece := reader.read(PIECE_BYTES):
            yield piece
            done += len(piece)
            taken += len(piece) + LINE_BYTES * piece.count(b"\n")
            if taken > FREE_BYTES and taken > max_ratio * size:
                message = f"unpacked it takes over {max_ratio:,} times its size; only {bytes_text(done)} were read"
                raise TooMuch("zstRatio", message)
    except zstandard.ZstdError:
        raise Damaged("its packed data is damaged" if done else "is no zstd file, in spite of its name") from None
    if _ends_early(file, size):
        raise Damaged("its packed data ends early")


def _size(file: BinaryIO) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size


def _ends_early(file: BinaryIO, size: int) -> bool:
    """Whether the last frame of a file that unpacked without a fault is not whole (RFC 8878, section 3.1)."""
    at = blocks = 0
    while at < size:
        file.seek(at)
        head = file.read(18)
        if len(head) < 6:
            return True
        if head[:4] != _MAGIC:
            at += 8 + int.from_bytes(head[4:8], "little")
            continue
        describes = head[4]
        single = describes >> 5 & 1
        at += 5 + (1 - single) + (0, 1, 2, 4)[describes & 3] + (single, 2, 4, 8)[describes >> 6]
        last = False
        while not last:
            blocks += 1
            if blocks > MAX_BLOCKS:
                return False
            file.seek(at)
            block = int.from_bytes(file.read(3), "little")
            last = bool(block & 1)
            at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
            if at > size:
                return True
        at += 4 if describes & 4 else 0
    return at > size or size == 0
