"""Which release of Codex a change came out in, as far as the dates of some changes tell.

Exists so that a hover can say that something is newer than the build a file was made by. Never claims more than it
knows: a date gives the earliest release that can hold the change.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import msgspec

_FILE = Path(__file__).parent / "catalogue" / "releases.json"
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.\d{1,4})?(?:[-+.].*)?\Z", re.ASCII | re.DOTALL)


class _Releases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    first_releases: tuple[tuple[str, str], ...]


@functools.lru_cache(maxsize=1)
def _releases() -> tuple[tuple[str, str], ...]:
    return msgspec.json.decode(_FILE.read_bytes(), type=_Releases).first_releases


def earliest_release(date: str) -> str:
    """The first release that can hold a change of a day (``2026-02-11``, or ``2026-02``); empty where nothing is known.

    A change of a later day came out in a later release or in the same one.
    """
    found = ""
    for day, version in _releases():
        if day <= date:
            found = version
    return found


def is_newer(since: str, since_version: str, version: str) -> bool:
    """Whether something that exists since a date, or since a release, cannot come from a build of ``version``.

    False where one of them tells nothing: builds without a number (``0.0.0``) are of any day.
    """
    first, built = _number(since_version or earliest_release(since)), _number(version)
    return first is not None and built is not None and built != (0, 0) and built < first


def _number(version: str) -> tuple[int, int] | None:
    found = _VERSION.match(version)
    return (int(found[1]), int(found[2])) if found is not None else None
