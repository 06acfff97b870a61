"""How the process ends: with the right code, and soon, whatever it is doing.

The protocol wants code 0 after ``shutdown`` and 1 without. Whoever notices that the end has come says so here, from any
thread; if the loop does not get to it in time, the process ends without it.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable

from rollout_ls.lsp.logs import drain

GRACE_SECONDS = 0.7
"""How long work that goes on may hold up the end."""
_DRAIN_SECONDS = 0.1
_POLL_SECONDS = 0.4


class Leaving:
    """Knows whether the process is to end. ``on_leave`` is called once, from whichever thread said so first."""

    def __init__(self, on_leave: Callable[[bool], None]) -> None:
        self.shut_down = False
        """Whether a ``shutdown`` was accepted."""
        self._on_leave = on_leave
        self._lock = threading.Lock()
        self._begun = False

    @property
    def code(self) -> int:
        """The code to end with."""
        return 0 if self.shut_down else 1

    def begin(self, finish: bool = False) -> None:
        """The end has come. ``finish``: what was asked for already may still be answered."""
        with self._lock:
            if self._begun:
                return
            self._begun = True
        threading.Thread(target=self._end_late, name="rollout-ls end", daemon=True).start()
        self._on_leave(finish)

    def _end_late(self) -> None:
        time.sleep(GRACE_SECONDS)
        leave(self.code)


def leave(code: int) -> None:
    """Ends the process now: no thread is waited for, nothing is tidied up, but the log is written."""
    drain(_DRAIN_SECONDS)
    os._exit(code)


_GREATEST_ID = 2**31 - 1
"""LSP 3.17, "Base Types": integers are of 32 bits."""


def watch_parent(process_id: int, on_gone: Callable[[], None]) -> None:
    """Calls back, from a thread, once the process is gone (or never was). A number that no process can have is no word
    on it: where nobody is watched, the end of the input tells the same."""
    if os.name == "nt" or not 0 < process_id <= _GREATEST_ID:
        return  # on Windows a signal 0 would be one
    threading.Thread(target=_wait_for, args=(process_id, on_gone), name="rollout-ls parent", daemon=True).start()


def _wait_for(process_id: int, on_gone: Callable[[], None]) -> None:
    try:
        if hasattr(os, "pidfd_open"):
            descriptor = os.pidfd_open(process_id)
            select.select([descriptor], [], [])
            on_gone()
            return
    except ProcessLookupError:
        on_gone()
        return
    except (OSError, OverflowError, ValueError):
        pass  # an older kernel, or no right to look: ask from time to time
    while _lives(process_id):
        time.sleep(_POLL_SECONDS)
    on_gone()


def _lives(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
