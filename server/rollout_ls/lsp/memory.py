"""Gives the memory of big messages back to the system, and tells how much the process holds.

glibc raises its limit for memory of its own mapping whenever a big block is freed, and keeps what lies below: after a
file of ten megabytes was opened, some forty stay with the process. A limit of ours makes each big block a mapping that
goes when it is freed. And each thread has memory of its own, which glibc lets grow a page at a time: reading a long
document in a thread costs a call of the system for every few lines. Python lets one thread work at a time anyway, so
one memory for all, growing by more, is quicker and smaller.

Linux with glibc only; elsewhere, and where anything is missing, nothing happens.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable

_M_TRIM_THRESHOLD = -1
_M_TOP_PAD = -2
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_USUAL_BYTES = 256 * 1024
"""Bigger blocks are mappings of their own."""
_LONG_RECORD_BYTES = 4 * 1024 * 1024
"""The same while a record of about a megabyte is edited: each edit copies it a few times, and a new mapping costs a
fault of the processor a page."""
_GROW_BYTES = 1024 * 1024
_TRIM_BYTES = 2 * 1024 * 1024


def return_big_blocks() -> None:
    """Fixes the limits of the C library's allocator, once, before the server has a second thread."""
    limit = _of_library("mallopt")
    limit(_M_MMAP_THRESHOLD, _USUAL_BYTES)
    limit(_M_TRIM_THRESHOLD, _TRIM_BYTES)
    limit(_M_TOP_PAD, _GROW_BYTES)
    limit(_M_ARENA_MAX, 1)


def expect_copies(size: int) -> None:
    """Blocks of so many bytes are about to come and go again and again."""
    longer = _USUAL_BYTES < size < _LONG_RECORD_BYTES
    _of_library("mallopt")(_M_MMAP_THRESHOLD, _LONG_RECORD_BYTES if longer else _USUAL_BYTES)


def return_free_pages() -> None:
    """Gives back what lies free between blocks that stay: some milliseconds, after much work on much text."""
    _of_library("malloc_trim")(0)


@functools.lru_cache
def _of_library(name: str) -> Callable[..., object]:
    """A function of glibc's allocator; where there is none, one that does nothing."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            found: Callable[..., object] = getattr(ctypes.CDLL(None), name)
            return found
    return lambda *_numbers: None


def resident_bytes() -> int | None:
    """Bytes of memory that the process holds now; None where the system does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError, AttributeError), open("/proc/self/statm", "rb") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


def peak_bytes() -> int | None:
    """The most bytes of memory that it ever held; None likewise."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
