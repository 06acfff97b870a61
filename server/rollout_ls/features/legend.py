"""The words of the semantic tokens, in the order in which they are announced. Documented in docs/tokens.md.

Fixed: clients colour by these names. Imports nothing, since the announcement is made before anything is read.
"""

from __future__ import annotations

from typing import Literal

TokenSort = Literal[
    "namespace",
    "keyword",
    "string",
    "type",
    "interface",
    "comment",
    "macro",
    "function",
    "method",
    "number",
    "event",
    "regexp",
    "variable",
]
"""The protocol's own words, so that every theme has colours for them."""
Mark = Literal["failed", "mirror", "rolledBack", "inherited"]
"""Words of our own; a client that does not know them shows the token without."""

SORTS: tuple[TokenSort, ...] = (
    "namespace",  # the session's header and title
    "keyword",  # starts, settings and ends of turns, rollbacks
    "string",  # what the human says
    "type",  # what the model says
    "interface",  # what another agent says
    "comment",  # injected context, and kinds without a colour of their own; all of a dimmed record
    "macro",  # reasoning
    "function",  # calls
    "method",  # results, and what else is told of calls
    "number",  # token counts
    "event",  # compactions and notices
    "regexp",  # kinds that are not known
    "variable",  # ids of calls and turns
)
MARKS: tuple[Mark, ...] = ("failed", "mirror", "rolledBack", "inherited")
