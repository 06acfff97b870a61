"""The time zone of the machine, for times of day that a person reads. Asks the operating system, never a clock."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_NOTHING = timedelta(0)


class LocalZone(tzinfo):
    """The machine's own zone, with the offset that held at the time in question (summer time, changes of law)."""

    def fromutc(self, moment: datetime) -> datetime:
        """A moment of UTC in this zone."""
        return moment + _offset(moment.replace(tzinfo=timezone.utc))

    def utcoffset(self, moment: datetime | None) -> timedelta:
        """The offset at a moment of this zone; in the hour that comes twice, one of the two."""
        if moment is None:
            return _NOTHING
        guess = _offset(moment.replace(tzinfo=timezone.utc))
        return _offset(moment.replace(tzinfo=timezone.utc) - guess)

    def dst(self, _moment: datetime | None) -> timedelta | None:
        """Not told."""
        return None

    def tzname(self, _moment: datetime | None) -> str:
        """A word for it."""
        return "local"


def _offset(moment: datetime) -> timedelta:
    try:
        return timedelta(seconds=time.localtime((moment - _EPOCH).total_seconds()).tm_gmtoff or 0)
    except (OverflowError, OSError, ValueError):  # a year that the system does not know
        return _NOTHING


LOCAL = LocalZone()
