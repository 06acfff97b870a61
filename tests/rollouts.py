"""Small rollouts for tests of the session, built record by record, and a view of the session by line numbers.

Lines count from 1, as a person counts them. Builds legal records (``fixtures.records``) unless a test adds its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).parent.parent))

from fixtures import records
from fixtures.records import Json, Usage

from rollout_ls.features.hover import hover
from rollout_ls.features.navigation import definition, partner_of, references
from rollout_ls.features.outline import outline
from rollout_ls.features.symbol import Symbol
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.surroundings import Surroundings
from rollout_ls.projection.turns import Turn
from rollout_ls.text.rows import Line
from rollout_ls.workspace.document import Document

BORN = records.milliseconds("2026-07-20T10:00:00")
THREAD = records.uuid7(BORN, "thread")
PARENT = records.uuid7(BORN - 86_400_000, "parent")
CWD = "/home/ada/loom"


def turn_id(number: int, *, before: int = 0) -> str:
    """The id of a turn that begins some minutes after the thread; ``before``: so many days earlier."""
    return records.uuid7(BORN + number * 60_000 - before * 86_400_000, f"turn {number}")


class Rollout:
    """A rollout in the making. Each method that adds a record answers its line."""

    def __init__(self, thread: str | None = THREAD, *, paginated: bool = False, **meta: Any) -> None:
        self.lines: list[bytes] = []
        self.at = BORN
        self.ordinal = 0 if paginated else None
        if paginated:
            meta.setdefault("history_mode", "paginated")
        if thread is not None:
            self.header(thread, **meta)

    def add(self, kind: str, payload: Json, *, later: int = 1000, **beside: Any) -> int:
        self.at += later
        record = records.envelope(self.at, kind, payload, self.ordinal)
        if self.ordinal is not None:
            self.ordinal += 1
        return self.raw(records.encode({**record, **beside}))

    def raw(self, line: bytes) -> int:
        self.lines.append(line)
        return len(self.lines)

    # -- headers and turns
    def header(self, thread: str, *, created: int = BORN, version: str = "0.142.0", later: int = 0, **meta: Any) -> int:
        payload = records.session_meta(thread, created, cwd=CWD, version=version, **meta)
        return self.add("session_meta", payload, later=later)

    def event(self, kind: str, *, later: int = 1000, **payload: Any) -> int:
        return self.add("event_msg", {"type": kind, **payload}, later=later)

    def start(self, turn: str, *, later: int = 1000, **more: Any) -> int:
        return self.event("task_started", turn_id=turn, model_context_window=258_400, later=later, **more)

    def end(self, turn: str, last: str | None = None, *, later: int = 1000) -> int:
        return self.event("task_complete", turn_id=turn, last_agent_message=last, later=later)

    def abort(self, turn: str | None, reason: str = "interrupted") -> int:
        return self.event("turn_aborted", reason=reason, **({"turn_id": turn} if turn else {}))

    def context(self, turn: str | None = None, model: str = "gpt-5.5") -> int:
        return self.add("turn_context", records.turn_context(cwd=CWD, model=model, turn=turn))

    # -- what is said
    def item(self, payload: Json, *, later: int = 1000, **beside: Any) -> int:
        return self.add("response_item", payload, later=later, **beside)

    def user_item(self, text: str, *, later: int = 1000, **more: Any) -> int:
        return self.item({**records.message("user", [text]), **more}, later=later)

    def user_event(self, text: str, *, later: int = 1000) -> int:
        return self.add("event_msg", records.user_message(text), later=later)

    def user(self, text: str, *, later: int = 1000) -> int:
        """Item and event, as builds up to paginated threads write them; answers the item's line."""
        line = self.user_item(text, later=later)
        self.user_event(text, later=0)
        return line

    def said_item(self, text: str, phase: str | None = None, *, later: int = 1000, **more: Any) -> int:
        return self.item({**records.message("assistant", [text], phase), **more}, later=later)

    def said_event(self, text: str, phase: str | None = None, *, later: int = 1000) -> int:
        return self.add("event_msg", records.agent_message(text, phase), later=later)

    def said(self, text: str, phase: str | None = None, *, later: int = 1000) -> int:
        """Event and item; answers the item's line."""
        self.said_event(text, phase, later=later)
        return self.said_item(text, phase, later=0)

    def shown(self, turn: str, kind: str, item: str, **more: Any) -> int:
        """A completed item of a paginated thread."""
        payload = records.item_completed(THREAD, turn, {"type": kind, "id": item, **more}, self.at, self.at)
        return self.add("event_msg", payload)

    def thought(self, parts: list[str], sealed: str | None = "gAAAAABx", **more: Any) -> int:
        return self.item({**records.reasoning(parts, sealed), **more})

    # -- calls
    def call(self, call: str, name: str = "exec_command", **values: Any) -> int:
        return self.item(records.function_call(call, name, records.arguments(**values)))

    def output(self, call: str, text: str = "ok") -> int:
        return self.item(records.function_call_output(call, text))

    def exits(self, call: str, code: int = 0, text: str = "done\n") -> int:
        return self.output(call, records.exec_text(text, code, 0.5, "c1"))

    def runs_on(self, call: str, session: int) -> int:
        head = "Chunk ID: c1\nWall time: 1.0 seconds\n"
        return self.output(call, f"{head}Process running with session ID {session}\nOutput:\n")

    def script(self, call: str, source: str = "await tools.exec_command({})") -> int:
        return self.item(records.custom_tool_call(call, "exec", source))

    def exec_end(self, call: str, turn: str, code: int = 0) -> int:
        return self.event(
            "exec_command_end",
            call_id=call,
            turn_id=turn,
            command=["bash", "-lc", "make"],
            cwd="file:///home/ada/loom",
            parsed_cmd=[],
            source="agent",
            stdout="",
            stderr="",
            aggregated_output="",
            exit_code=code,
            duration={"secs": 1, "nanos": 500_000_000},
            formatted_output="",
            status="completed" if code == 0 else "failed",
        )

    # -- tokens
    def count(self, total: Usage, last: Usage | None, *, later: int = 1000) -> int:
        payload = records.token_count(total, last or Usage(), used_percent=1.0, resets_at=1_800_000_000)
        if last is None:
            del payload["info"]["last_token_usage"]
            payload["info"]["last_token_usage"] = records.tokens(Usage())
        return self.add("event_msg", payload, later=later)

    def usage_record(self, turn: str, response: str, usage: Usage, total: Usage | None = None) -> int:
        return self.add(
            "token_usage_record",
            {
                "thread_id": THREAD,
                "turn_id": turn,
                "session_id": THREAD,
                "root_turn_id": turn,
                "response_id": response,
                "usage": records.tokens(usage),
                "turn_token_usage": records.tokens(total or usage),
                "thread_token_usage": records.tokens(total or usage),
            },
        )

    def compacted(self, history: list[Json] | None, message: str = "", **more: Any) -> int:
        kept = {} if history is None else {"replacement_history": history}
        return self.add("compacted", {"message": message, **kept, **more})

    def text(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)

    def told(self) -> Told:
        return Told(self.text())


class Told:
    """What the session says of a rollout, by line numbers."""

    def __init__(self, text: bytes, document: Document | None = None) -> None:
        self.document = document or Document("file:///rollout-2026-07-20T10-00-00-" + THREAD + ".jsonl", 1, [text])
        self.session: Session = self.document.session()

    def line(self, number: int) -> Line:
        found = self.session.buffer.at_row(number - 1)
        assert found is not None
        return found[0]

    def ref(self, number: int, record: int = 0) -> Ref:
        line = self.line(number)
        return Ref(line, line.reading.statements[record])

    def number(self, ref: Ref) -> int:
        return self.session.buffer.row_of(ref.line) + 1

    def owner(self, number: int) -> int:
        return self.number(self.session.owner_of(self.ref(number)))

    def mirrors(self, number: int) -> list[int]:
        return [self.number(ref) for ref in self.session.links_of(self.ref(number), "mirror")]

    def result(self, number: int) -> int | None:
        found = self.session.result_of(self.ref(number))
        return self.number(found) if found is not None else None

    def partner(self, number: int) -> int | None:
        """Where definition leads from anywhere in a record."""
        found = partner_of(self.session, self.ref(number))
        return self.number(found) if found is not None else None

    def family(self, number: int, text: str = "") -> list[int]:
        """Lines of all references, from a text of the line (its start when none is named)."""
        line = self.line(number)
        places = references(self.session, line, line.data.index(text.encode()) + 1 if text else 0)
        return [self.session.buffer.row_of(place.line) + 1 for place in places]

    def targets(self, number: int, text: str) -> list[Any]:
        """What definition answers with the cursor in a text of the line."""
        line = self.line(number)
        return [jump.target for jump in definition(self.session, line, line.data.index(text.encode()) + 3)]

    def outcome(self, number: int) -> tuple[str, int | None]:
        end = self.session.call_end(self.ref(number))
        return end.outcome, end.exit_code

    def turns(self) -> list[tuple[int | None, int, int, str]]:
        row_of = self.session.buffer.row_of
        turns = self.session.turns
        return [(turn.number, row_of(turn.first) + 1, row_of(turn.last) + 1, turn.status) for turn in turns]

    def turn(self, number: int) -> Turn:
        return next(turn for turn in self.session.turns if turn.number == number)

    def entries(self, turn: int | None = None) -> list[tuple[int, str]]:
        found: list[Entry] = self.session.entries_of(self.turn(turn) if turn is not None else None)
        return [(self.number(entry.ref), entry.what) for entry in found]

    def whats(self) -> list[tuple[int, str]]:
        return sorted((self.number(entry.ref), entry.what) for entry in self.session.entries())

    def names(self) -> list[str]:
        """The outline: names, indented by two spaces a level."""
        return list(self._names(outline(self.session), ""))

    def _names(self, symbols: tuple[Symbol, ...], indent: str) -> Any:
        for symbol in symbols:
            yield indent + symbol.name
            yield from self._names(symbol.children, indent + "  ")

    def hover(self, number: int) -> str:
        found = hover(self.session, self.line(number), 1, Surroundings(), markdown=False)
        return found.text if found is not None else ""

    def codes(self) -> list[tuple[int, str]]:
        """All findings as (line, code)."""
        row_of = self.session.buffer.row_of
        return [(row_of(one.place.line) + 1, one.code) for one in self.document.finish()]

    def record(self, number: int) -> Json:
        found: Json = orjson.loads(self.line(number).data)
        return found
