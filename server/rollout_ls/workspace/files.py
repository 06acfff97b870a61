"""Which files a path means, and their bytes in pieces.

The command line and the index see the disk through this module only. It opens regular files only (a named pipe or a
device would never end), follows no symlinked folder, writes nothing, and holds no file as a whole. A rollout that is
packed (``.jsonl.zst``) is unpacked on the way; a plain one wins over its packed twin.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence

import msgspec

from rollout_ls.projection.surroundings import Limits, Reached
from rollout_ls.text.display import bytes_text, label
from rollout_ls.workspace import packed

PIECE_BYTES = 1 << 20
DEFAULT_LIMITS = Limits()
MAX_LINES = 10_000_000
"""Lines of one file, give or take those of a piece; each takes memory, an empty one too."""

_ROLLOUT_NAME = re.compile(r"rollout-.*\.jsonl(?:\.zst)?", re.DOTALL)
_PACKED = ".zst"
_NO_FILE = "no such file or folder"


class FileProblem(Exception):
    """A path that cannot be read. As text: the path, made printable, and the reason, on one line."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{label(path, 4096) or '(no name)'}: {reason}")
        self.path = path
        self.reason = reason


class Found(msgspec.Struct, frozen=True):
    """The rollouts behind some paths, sorted and each once, and what could not be looked at."""

    paths: tuple[str, ...]
    problems: tuple[FileProblem, ...]


def is_rollout_name(name: str) -> bool:
    """Whether a file of this name, without folders, is taken for a rollout."""
    return _ROLLOUT_NAME.fullmatch(name) is not None


def find_rollouts(paths: Sequence[str]) -> Found:
    """The files that paths mean: a file is itself, whatever its name; a folder is the rollouts below it."""
    found: set[str] = set()
    problems: list[FileProblem] = []
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            problems.append(FileProblem(path, reason_of(error)))
            continue
        if not stat.S_ISDIR(mode):
            found.add(path)
            continue
        known = len(problems)
        below = _below(path, problems)
        if not below and len(problems) == known:
            problems.append(FileProblem(path, _no_rollout(path)))
        found |= below
    return Found(paths=tuple(sorted(found)), problems=tuple(problems))


class Reader:
    """The bytes of an open file by (offset, number); fewer where the file has become shorter. Closes itself.

    Keeps those that were fetched last until ``forget``: of a long line with many faults they are asked for again and
    again. Raises ``FileProblem`` where the disk fails.
    """

    def __init__(self, descriptor: int, path: str) -> None:
        self._descriptor = descriptor
        self._path = path
        self._last: tuple[int, int, bytes] = (-1, -1, b"")

    def __call__(self, offset: int, number: int) -> bytes:
        if self._last[:2] != (offset, number):
            self.forget()  # two long lines are not held at once
            self._last = (offset, number, self._fetched(offset, number))
        return self._last[2]

    def forget(self) -> None:
        """Holds nothing of the file any more."""
        self._last = (-1, -1, b"")

    def _fetched(self, offset: int, number: int) -> bytes:
        try:
            if hasattr(os, "pread"):
                return os.pread(self._descriptor, number, offset)
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            return os.read(self._descriptor, number)
        except OSError as error:
            raise FileProblem(self._path, reason_of(error)) from None

    def __del__(self) -> None:
        os.close(self._descriptor)


class Pieces:
    """The bytes of one file, in pieces of at most 1 MiB; unpacked where the file's name ends in ``.zst``.

    Opening raises ``FileProblem``. What goes wrong later ends the pieces and stands in ``problem``, so that what was
    read until then is not lost; where it was a limit, it stands in ``reached`` too.
    """

    def __init__(self, path: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        self.path = path
        self.problem: FileProblem | None = None
        self.reached: Reached | None = None
        self._limits = limits
        self._file, status = open_regular(path)
        self.size = status.st_size
        """Bytes on the disk, packed or not."""

    def reader(self) -> Reader | None:
        """Fetches bytes of the same open file again by their place, before and after the pieces; None where the file is
        packed. To be asked for before the pieces are."""
        return None if self.path.endswith(_PACKED) else Reader(os.dup(self._file), self.path)

    def __iter__(self) -> Iterator[bytes]:
        is_packed = self.path.endswith(_PACKED)
        name = "zstBytes" if is_packed else "fileBytes"
        lines = MAX_LINES
        most = left = self._limits.zst_bytes if is_packed else self._limits.file_bytes
        try:
            with os.fdopen(self._file, "rb", buffering=0) as file:
                if is_packed and not self.size:  # an empty file holds nothing, whatever its name says
                    return
                ratio = self._limits.zst_ratio
                for piece in packed.unpacked(file, ratio) if is_packed else packed.plain(file, PIECE_BYTES):
                    if len(piece) > left:
                        yield _whole_lines(piece[:left])
                        raise packed.TooMuch(name, f"only its first {bytes_text(most)} were read")
                    yield piece
                    left -= len(piece)
                    lines -= piece.count(b"\n")
                    if lines <= 0:
                        raise packed.TooMuch(name, f"only its first {MAX_LINES - lines:,} lines were read")
        except packed.TooMuch as end:
            self.problem = FileProblem(self.path, str(end))
            self.reached = Reached(end.limit, f"The file is not read to its end: {end}.")
        except packed.Damaged as damage:
            self.problem = FileProblem(self.path, str(damage))
        except OSError as error:
            self.problem = FileProblem(self.path, reason_of(error))


def open_regular(path: str, *, follow: bool = True) -> tuple[int, os.stat_result]:
    """(descriptor, status) of a regular file, opened once. Raises ``FileProblem`` for everything else.

    ``follow`` false: also for a link.
    """
    descriptor = _opened(path, follow)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            folder = stat.S_ISDIR(status.st_mode)
            raise FileProblem(path, "is a folder, not a rollout" if folder else "is no regular file")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status


def _whole_lines(piece: bytes) -> bytes:
    """The piece up to its last line end, so that a limit leaves no record in pieces; all of it where it has none."""
    return piece[: piece.rfind(b"\n") + 1] or piece


def _opened(path: str, follow: bool) -> int:
    """A descriptor of the file, without waiting for a pipe's writer and without taking a terminal."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", *(() if follow else ("O_NOFOLLOW",))):
        flags |= getattr(os, name, 0)
    try:
        return os.open(path, flags)
    except (OSError, ValueError) as error:
        raise FileProblem(path, reason_of(error)) from None


def _below(folder: str, problems: list[FileProblem]) -> set[str]:
    """The rollouts below a folder."""
    found: set[str] = set()

    def report(error: OSError) -> None:
        problems.append(FileProblem(os.fsdecode(error.filename or folder), reason_of(error)))

    for where, folders, names in os.walk(folder, onerror=report):
        plain = set(names)
        for name in folders:
            if is_rollout_name(name):
                problems.append(FileProblem(os.path.join(where, name), "is a folder, not a rollout"))
        for name in names:
            if not is_rollout_name(name) or name.removesuffix(_PACKED) in plain - {name}:
                continue
            found.add(os.path.join(where, name))
    return found


def _no_rollout(path: str) -> str:
    if is_rollout_name(os.path.basename(path.rstrip(os.sep))):
        return "is a folder, not a rollout"
    return "no rollout (rollout-*.jsonl, rollout-*.jsonl.zst) below this folder"


def reason_of(error: OSError | ValueError) -> str:
    """Why a path could not be read, in few words."""
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return _NO_FILE
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return "cannot be read"
