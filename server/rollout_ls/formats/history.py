"""An item of the model's history as two records may share it: what makes it the same, and how big it is."""

from __future__ import annotations

from typing import Any

import msgspec


class HistoryItem(msgspec.Struct, frozen=True):
    """``key`` is equal for the same item in another record, None where nothing tells. ``size`` is in bytes of JSON.
    ``human`` tells words of the person at the keyboard."""

    key: Any
    size: int
    human: bool
