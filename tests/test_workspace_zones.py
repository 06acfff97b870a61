"""Times of day in the machine's own zone, as it was at that time of the year."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone, tzinfo

import pytest

from rollout_ls.formats.times import time_of_day
from rollout_ls.workspace.settings import read_settings, surroundings_of
from rollout_ls.workspace.zones import LOCAL

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be chosen here")


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_summer_and_winter() -> None:
    assert time_of_day("2026-01-02T03:04:05.678Z", None, LOCAL) == "2026-01-02 04:04:05"
    assert time_of_day("2026-07-02T23:04:05Z", None, LOCAL) == "2026-07-03 01:04:05"
    assert time_of_day("0001-01-01T00:00:00Z", None, LOCAL)
    assert time_of_day("9999-12-31T23:59:59Z", None, LOCAL)


@pytest.mark.usefixtures("berlin")
def test_offsets_of_local_times() -> None:
    assert LOCAL.utcoffset(datetime(2026, 1, 2, 4)) == timedelta(hours=1)
    assert LOCAL.utcoffset(datetime(2026, 7, 2, 4)) == timedelta(hours=2)
    moment = datetime(2026, 7, 2, 4, tzinfo=timezone.utc)
    assert moment.astimezone(LOCAL).astimezone(timezone.utc) == moment


def test_the_setting_chooses() -> None:
    assert surroundings_of(read_settings().settings).zone is LOCAL
    assert surroundings_of(read_settings({"hover.timeZone": "utc"}).settings).zone is None


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0000-01-01T00:00:00Z", "9999-99-99T99:99:99Z"]
)
@pytest.mark.parametrize("zone", [None, LOCAL])
def test_a_time_outside_of_the_calendar_is_not_shown(text: str, zone: tzinfo | None) -> None:
    assert time_of_day(text, None, zone) == ""
