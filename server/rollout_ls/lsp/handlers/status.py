"""rollout/status, and the command rollout.status: how the server is. Sizes, counts and times, nothing of a text.

The URIs are those that the client gave; nobody else is told.
"""

from __future__ import annotations

import time
import zlib
from typing import TYPE_CHECKING, Any

from rollout_ls import __version__
from rollout_ls.lsp.measures import BOUNDS_MS
from rollout_ls.lsp.memory import peak_bytes, resident_bytes
from rollout_ls.lsp.params import AskStatus

if TYPE_CHECKING:
    from rollout_ls.lsp.documents import Opened
    from rollout_ls.lsp.server import RolloutServer


def status(ls: RolloutServer, params: AskStatus | None) -> dict[str, Any]:
    """Documents, memory, latencies, and which limits were reached."""
    checksums = params is not None and params.checksums
    return {
        "version": __version__,
        "uptimeSeconds": round(time.monotonic() - ls.began, 1),
        "memory": {"residentBytes": resident_bytes(), "peakBytes": peak_bytes()},
        "documents": [_document(opened, checksums) for opened in ls.documents],
        "requests": {"open": len(ls.requests), "waitingBytes": ls.outbox.queued_bytes, "cut": ls.outbox.cut},
        "latency": {"boundsMs": BOUNDS_MS, "methods": ls.latencies.table()},
        "loop": {"slowTurns": ls.turns.count, "slowestMs": round(ls.turns.most_seconds * 1000, 1)},
        "trace": ls.trace.level,
        "logLevel": ls.configuration.settings.log.level,
    }


def run(ls: RolloutServer, *_arguments: object) -> dict[str, Any]:
    """The same, as a command; arguments are not looked at."""
    return status(ls, None)


def _document(opened: Opened, checksums: bool) -> dict[str, Any]:
    buffer, document = opened.document.buffer, opened.document
    told: dict[str, Any] = {
        "uri": opened.uri,
        "version": document.version,
        "state": state_of(opened),
        "bytes": buffer.byte_count,
        "rows": buffer.row_count,
        "edits": opened.edits,
        "limits": list(dict.fromkeys(one.limit for one in document.reached)),
    }
    if checksums and not opened.busy:
        crc = 0
        for line in buffer:
            crc = zlib.crc32(line.data, crc)
        told["crc32"] = crc
    return told


def state_of(opened: Opened) -> str:
    """How far a document is, in a word or two."""
    if opened.lost:
        return "out of step"
    if opened.failure is not None:
        return "failed"
    if opened.stopped:
        return "stopped"
    if opened.busy or not opened.document.eager_ready:
        return "being read"
    return "read" if opened.document.idle_ready else "being looked through"
