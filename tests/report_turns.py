"""Prints, for session files, what the session says next to what the raw records say when they are counted naively.

Run by hand (pytest does not collect it):

    python tests/report_turns.py FILE_OR_FOLDER...

One row a file: the rule by which its turns begin, turns by that rule, turns of the session, calls and results without
partner, messages that stand twice in the session, messages that are lost, and how often the human spoke, both ways.
The counting here is a second opinion: it reads decoded JSON and shares no code with the package. Exit status 1 where
the two disagree.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from rollout_ls.formats.records import content_of
from rollout_ls.formats.statement import Message
from rollout_ls.projection.session import Session
from rollout_ls.workspace.document import Document

INJECTED = (
    "# AGENTS.md",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<environment_context>",
    "<skill",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<permissions",
)


class Row(NamedTuple):
    """What is known of one file, both ways."""

    name: str
    rule: str
    by_rule: int
    by_session: int
    orphan_calls: int
    interrupted: int
    orphan_results: int
    twice: int
    lost: int
    asked_by_rule: int
    asked: int

    @property
    def agrees(self) -> bool:
        counts = self.by_rule == self.by_session and self.asked_by_rule == self.asked
        return counts and not (self.twice or self.lost or self.orphan_calls or self.orphan_results)


def records_of(text: bytes) -> Iterator[dict[str, Any]]:
    """Every record that can be decoded; whatever else is passed over."""
    for line in text.split(b"\n"):
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict):
            yield record


def said(record: dict[str, Any]) -> tuple[str, str, str] | None:
    """(side, stream, text) of a message; None for every other record."""
    payload = record.get("payload", record)
    if not isinstance(payload, dict):
        return None
    kind, outer = payload.get("type"), record.get("type")
    if outer == "event_msg" and kind in ("user_message", "agent_message"):
        return ("human" if kind == "user_message" else "model"), "event", str(payload.get("message") or "")
    if outer == "event_msg" and kind == "item_completed":
        item = payload.get("item") or {}
        if item.get("type") in ("UserMessage", "AgentMessage"):
            return ("human" if item["type"] == "UserMessage" else "model"), "display", text_of(item)
        return None
    if kind == "message" and payload.get("role") in ("user", "assistant"):
        return ("human" if payload["role"] == "user" else "model"), "item", text_of(payload)
    return None


def text_of(item: dict[str, Any]) -> str:
    parts = item.get("content")
    texts = [str(part.get("text") or "") for part in parts or () if isinstance(part, dict)]
    return "".join(text for text in texts if not (text == "</image>" or re.fullmatch(r"<image( name=.*)?>", text)))


def rule_and_turns(records: list[dict[str, Any]]) -> tuple[str, int]:
    """The rule of the file's era, and how many turns it gives."""
    starts = sum(
        record.get("type") == "event_msg"
        and isinstance(record.get("payload"), dict)
        and record["payload"].get("type") in ("task_started", "turn_started")
        for record in records
    )
    if starts:
        return "start records", starts
    humans = sum(
        one.get("type") == "user_message" and one.get("kind") in (None, "plain")
        for record, one in ((record, record.get("payload")) for record in records)
        if record.get("type") == "event_msg" and isinstance(one, dict)
    )
    if humans:
        return "human events", humans
    items = 0
    for record in records:
        message = said(record)
        if message is not None and message[0] == "human" and message[1] == "item":
            items += not message[2].lstrip().startswith(INJECTED)
    return "human items", items


def asked(records: list[dict[str, Any]]) -> int:
    """How often the human spoke: events (or completed items) where there are any, else texts that nothing marks."""
    by_stream: Counter[str] = Counter()
    for record in records:
        message = said(record)
        if message is None or message[0] != "human":
            continue
        kind = record["payload"].get("kind") if message[1] == "event" else None
        if kind in (None, "plain") and (message[1] != "item" or not message[2].lstrip().startswith(INJECTED)):
            by_stream[message[1]] += 1
    return max(by_stream["event"], by_stream["display"]) or by_stream["item"]


def shown_messages(session: Session) -> Counter[tuple[str, str]]:
    """How often each text stands in the session, by side."""
    shown: Counter[tuple[str, str]] = Counter()
    for entry in session.entries():
        message = entry.ref.statement
        if isinstance(message, Message) and message.actor in ("human", "model"):
            shown[message.actor, content_of(entry.ref.line.data, message).label] += 1
    return shown


def told_messages(records: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    """How often each text was said: by the stream that tells it most often."""
    by_stream: Counter[tuple[str, str, str]] = Counter()
    for record in records:
        message = said(record)
        if message is not None:
            by_stream[message] += 1
    told: Counter[tuple[str, str]] = Counter()
    for (side, _, text), count in by_stream.items():
        told[side, text] = max(told[side, text], count)
    return told


def look_at(path: Path) -> Row:
    text = path.read_bytes()
    records = list(records_of(text))
    document = Document(path.as_uri(), 1, [text])
    session = document.session()
    rule, by_rule = rule_and_turns(records)
    told, shown = told_messages(records), shown_messages(session)
    ends = session.loose_ends
    return Row(
        path.name,
        rule,
        by_rule,
        len(session.turns),
        sum(not loose.aborted for loose in ends.orphan_calls),
        sum(loose.aborted for loose in ends.orphan_calls),
        len(ends.orphan_results),
        sum(max(0, count - told[key]) for key, count in shown.items()),
        sum(max(0, count - shown[key]) for key, count in told.items()),
        asked(records),
        sum(entry.what == "user" for entry in session.entries()),
    )


def main(arguments: list[str]) -> int:
    paths: list[Path] = []
    for argument in arguments:
        path = Path(argument)
        paths += sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    heads = ("rule", "by rule", "session", "orphan calls", "cut short", "orphan results", "twice", "lost")
    rows = [look_at(path) for path in paths]
    out = sys.stdout
    form = "{:13} {:>8} {:>8} {:>12} {:>9} {:>14} {:>6} {:>5} {:>6} {:>6}  {}\n"
    out.write(form.format(*heads, "asked", "shown", "file"))
    for row in rows:
        mark = "" if row.agrees else "  <- differs"
        out.write(form.format(*row[1:], row.name + mark))
    differing = sum(not row.agrees for row in rows)
    sums = [sum(column) for column in zip(*(row[2:] for row in rows), strict=True)] if rows else []
    out.write(f"{len(rows)} files, {differing} differ; sums {sums}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
