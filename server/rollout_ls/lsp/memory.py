"""Gives the memory of big messages back to the system, and tells how much the process holds.

glibc raises its limit for memory of its own mapping whenever a big block is freed, and keeps what lies below: after a
file of ten megabytes was opened, some forty stay with the process. A fixed limit makes each big block a mapping that
goes when it is freed. Linux with glibc only; elsewhere, and where anything is missing, nothing happens.
"""

from __future__ import annotations

import contextlib
import os
import sys

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_THRESHOLD_BYTES = 256 * 1024


def return_big_blocks() -> None:
    """Fixes the limits of the C library's allocator, once, at the start of the server."""
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        limit = ctypes.CDLL(None).mallopt
        limit(_M_MMAP_THRESHOLD, _THRESHOLD_BYTES)
        limit(_M_TRIM_THRESHOLD, _THRESHOLD_BYTES)
    except (ImportError, OSError, AttributeError):
        return


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
