"""Times of records as numbers. Reads RFC 3339 as the formats write it; never asks a clock, never raises."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)?\Z", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_EPOCH_DAY = _EPOCH.toordinal()


def milliseconds(text: str) -> int | None:
    """Milliseconds since 1970 (UTC) of a timestamp; None where the text is none."""
    found = _TIME.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    hours, minutes = int(hour), int(minute)
    if hours > 23 or minutes > 59:
        return None
    seconds = ((days * 24 + hours) * 60 + minutes) * 60 + min(int(second), 59)
    return seconds * 1000 + int((fraction or "").ljust(3, "0")[:3]) - _offset(zone)


def _offset(zone: str | None) -> int:
    if not zone or zone in "Zz":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return (minutes if zone[0] == "+" else -minutes) * 60_000


def time_of_day(text: str, utc_offset_minutes: int | None, zone_of_reader: tzinfo | None = None) -> str:
    """A timestamp for people: ``2026-01-02 03:04:05`` in the reader's zone, or with ``UTC`` where that is not known;
    nothing for what is no time of the calendar.

    A zone whose offset changes over the year wins over a fixed offset.
    """
    moment = milliseconds(text)
    if moment is None:
        return ""
    if zone_of_reader is not None:
        try:
            return f"{(_EPOCH + timedelta(milliseconds=moment)).astimezone(zone_of_reader):%Y-%m-%d %H:%M:%S}"
        except (OverflowError, ValueError, OSError):
            pass
    try:
        shown = _EPOCH + timedelta(milliseconds=moment, minutes=utc_offset_minutes or 0)
    except OverflowError:  # the offset leads out of the calendar
        return ""
    zone = " UTC" if utc_offset_minutes is None else ""
    return f"{shown:%Y-%m-%d %H:%M:%S}{zone}"
