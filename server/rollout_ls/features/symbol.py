"""The outline's own value; ``wire`` turns it into a DocumentSymbol."""

from __future__ import annotations

from typing import Literal

import msgspec

from rollout_ls.text.rows import Line, Place

SymbolKind = Literal["Module", "Namespace", "String", "Null", "Function", "Event", "Constant", "Object"]
"""Names of the protocol's symbol kinds, as the outline's contract gives them to each sort of entry."""


class Symbol(msgspec.Struct, frozen=True, gc=False):
    """One node of the outline. Its range goes from the start of ``first`` to the end of ``last``."""

    name: str
    detail: str
    kind: SymbolKind
    first: Line
    last: Line
    selection: Place
    children: tuple[Symbol, ...] = ()
    deprecated: bool = False
