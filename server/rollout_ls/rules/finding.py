"""What a finding is. Values only; which codes there are stands in ``registry``."""

from __future__ import annotations

from typing import Literal

import msgspec

from rollout_ls.text.rows import Place

Severity = Literal["error", "warning", "information", "hint"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information", "hint")
"""From the worst to the mildest."""


class Related(msgspec.Struct, frozen=True, gc=False):
    """Another place that belongs to a finding."""

    place: Place
    message: str


class Finding(msgspec.Struct, frozen=True, gc=False):
    """One thing to say of a document, at the smallest place that is to blame."""

    code: str
    severity: Severity
    place: Place
    message: str
    related: tuple[Related, ...] = ()
