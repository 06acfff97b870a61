"""All codes of findings in one table: severity, pass, title, what is grouped. The contract is ``docs/rules``.

A code never changes its meaning; a new meaning gets a new code. Nothing else may name a default severity.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rollout_ls.rules.finding import Severity


class Rule(msgspec.Struct, frozen=True):
    """One code. A finding may be milder or worse than ``severity`` where its rule page says so."""

    code: str
    severity: Severity
    when: Literal["eager", "idle"]
    title: str
    default_off: bool = False


FAMILIES: dict[str, tuple[Rule, ...]] = {
    "Bytes and lines": (
        Rule("bad-json", "error", "eager", "A line is no complete JSON value"),
        Rule("truncated-tail", "information", "eager", "The last record is unfinished"),
        Rule("no-final-newline", "hint", "eager", "The last record has no line end"),
        Rule("concatenated", "error", "eager", "Several records stand on one line"),
        Rule("not-object", "error", "eager", "A line is JSON, but no record"),
        Rule("duplicate-key", "warning", "idle", "A key stands twice in one object"),
        Rule("too-deep", "error", "idle", "A record is nested too deeply for its reader"),
        Rule("int-too-big", "error", "eager", "An integer is too big for its reader"),
        Rule("bad-utf8", "error", "idle", "Bytes that are no UTF-8"),
        Rule("nul-bytes", "error", "eager", "NUL bytes"),
        Rule("bom", "error", "idle", "The file begins with a byte order mark"),
        Rule("stray-cr", "warning", "eager", "A lone carriage return inside a record"),
        Rule("lone-surrogate", "error", "eager", "An escaped half of a surrogate pair"),
        Rule("huge-line", "information", "eager", "A very long line"),
        Rule("empty-file", "warning", "eager", "The file is empty"),
        Rule("compressed", "warning", "eager", "The file is compressed"),
    ),
    "Records": (
        Rule("shape", "error", "eager", "A known record that its reader cannot take"),
        Rule("unknown-type", "information", "eager", "A kind or word that this version does not know"),
        Rule("unknown-field", "hint", "eager", "A field that the kind does not have", default_off=True),
        Rule("nothing-recognised", "warning", "eager", "No line is a known record"),
        Rule("wrong-format", "warning", "eager", "The file is of another format"),
        Rule("legacy-format", "information", "eager", "A shape that today's reader no longer takes"),
        Rule("args-not-json", "warning", "eager", "The arguments of a call are not JSON"),
        Rule("replay-hazard", "information", "eager", "Something that a strict endpoint refuses on replay"),
    ),
    "The file as a whole": (
        Rule("missing-meta", "error", "eager", "The file does not begin with a session header"),
        Rule("foreign-meta", "warning", "eager", "The header of an unrelated thread"),
        Rule("inherited-meta", "information", "eager", "The copied header of a parent thread"),
        Rule("continuation", "information", "eager", "The file continues another one"),
        Rule("ordinal-missing", "error", "eager", "A paginated file has records without ordinal"),
        Rule("ordinal-duplicate", "error", "eager", "An ordinal is used twice"),
        Rule("ordinal-regression", "error", "eager", "Ordinals go back"),
        Rule("compaction-heavy", "information", "eager", "Compactions fill most of the file"),
        Rule("edited", "information", "idle", "The text is not what the disk holds"),
        Rule("limit", "information", "eager", "A limit of this tool was reached"),
    ),
    "Calls and turns": (
        Rule("orphan-call", "warning", "eager", "A call without result"),
        Rule("pending-call", "hint", "eager", "A call that waits for its result"),
        Rule("orphan-output", "warning", "eager", "A result without call"),
        Rule("duplicate-call-id", "warning", "eager", "A call id is used again too early"),
        Rule("turn-open", "information", "eager", "A turn without end"),
        Rule("turn-overlap", "warning", "eager", "Two turns overlap"),
        Rule("turn-id-mismatch", "information", "eager", "The end of a turn that never started here"),
        Rule("usage-odd", "information", "eager", "Token counts that contradict each other"),
    ),
    "Privacy": (
        Rule("secret", "hint", "idle", "Something that looks like a key or a token"),
    ),
}
"""Rules by what they are about, in the order of the documentation."""

RULES: dict[str, Rule] = {rule.code: rule for rules in FAMILIES.values() for rule in rules}
"""Rules by code, in the order of the documentation."""

DEFAULT_CODES: frozenset[str] = frozenset(rule.code for rule in RULES.values() if not rule.default_off)
"""What is found where nobody chose."""
