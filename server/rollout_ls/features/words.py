"""How entries, turns and sessions are named in one line, wherever that is: outline, hover, reports.

The only place that words them. All text passes the masks and is printable; never a decision about pairing or counting.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rollout_ls.formats.records import label_of, time_of
from rollout_ls.formats.statement import (
    Call,
    CallMirror,
    Compaction,
    Header,
    Message,
    Notice,
    Reasoning,
    Result,
    Unknown,
)
from rollout_ls.formats.times import milliseconds
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import CallEnd, Session
from rollout_ls.projection.turns import Turn
from rollout_ls.text.display import bytes_text, duration_text, label
from rollout_ls.text.secrets import REACH, mask_head

TURN_CHARACTERS = 60
ENTRY_CHARACTERS = 80
_PLAIN = re.compile(r"(?:call|exec|ws|ig|fc|msg)_[A-Za-z0-9]{1,50}|[a-z_]{1,40}")
"""Names that hold no secret, whatever follows."""
_LOOKED_AT = 400
"""Characters of a long text that are looked at for a name of one line."""
_PATCHED = re.compile(r"\*\*\* Begin Patch\r?\n\*\*\* ((?:Add|Delete|Update) File: [^\r\n]*)")


def words_of(ref: Ref) -> str:
    """The beginning of the exact text of a record."""
    return label_of(ref.line.data, ref.statement)[: _LOOKED_AT + REACH]


def shown_words(ref: Ref) -> str:
    """The words of a record as the label of an entry."""
    return _noted(ref, "shown", _shown)


def first_words(ref: Ref) -> str:
    """The first line of the words of a call as a label; of a patch the first file that it changes."""
    return _noted(ref, "first", _first)


def _shown(ref: Ref) -> str:
    return one_line(words_of(ref), ENTRY_CHARACTERS)


def _first(ref: Ref) -> str:
    return first_line(gist(words_of(ref)), ENTRY_CHARACTERS)


def gist(words: str) -> str:
    """What names a call best: of a patch the first file that it changes, else how it begins."""
    patched = _PATCHED.match(words) if words.startswith("***") else None
    return patched[1] if patched is not None else words


def _noted(ref: Ref, what: str, work: Callable[[Ref], str]) -> str:
    """What some work on a record gives, done once as long as its line stays as it is."""
    reading = ref.line.reading
    if reading.notes is None:
        reading.notes = {}
    start = ref.statement.start
    key = (what, start) if start else what
    found: str | None = reading.notes.get(key)
    if found is None:
        found = reading.notes[key] = work(ref)
    return found


def one_line(text: str, limit: int) -> str:
    """Text of a record as a label: masked, printable, on one line."""
    return label(mask_head(text, _LOOKED_AT), limit)


def _short(text: str) -> str:
    """An id or a tool's name as a label: most are plain words, which need no second look."""
    return text if _PLAIN.fullmatch(text) else one_line(text, 60)


def first_line(text: str, limit: int) -> str:
    """The first line of a text that is not blank, as a label."""
    return one_line(text.strip().partition("\n")[0], limit)


# -- turns and sessions
def turn_prompt(session: Session, turn: Turn) -> Entry | None:
    """The entry that gives a turn its name: the human's first words, else the first message of another agent."""
    entries = session.entries_of(turn)
    human = next((entry for entry in entries if entry.what == "user"), None)
    return human or next((entry for entry in entries if entry.what == "agent_message"), None)


def turn_name(session: Session, turn: Turn) -> str:
    """``Turn 3: the human's words``; ``Inherited turn: ...`` for a copied one."""
    head = "Inherited turn" if turn.number is None else f"Turn {turn.number}"
    entry = turn_prompt(session, turn)
    if entry is None:
        return head
    words = first_line(words_of(entry.ref), TURN_CHARACTERS)
    message = entry.ref.statement
    if entry.what == "agent_message" and isinstance(message, Message):
        return f"{head}: from {one_line(message.author, 60) or 'another agent'}: {words}".rstrip(": ")
    return f"{head}: {words}" if words else head


def turn_status(turn: Turn) -> str:
    """``completed``, ``aborted (interrupted)``, ``open``, ``no end record``, ``rolled back``."""
    return f"aborted ({turn.reason or 'interrupted'})" if turn.status == "aborted" else turn.status


def turn_duration(session: Session, turn: Turn) -> int | None:
    """Milliseconds from the first to the last record of a turn, by their timestamps."""
    first = _time(turn.start.start)
    end = turn.end or last_record(session, turn)
    last = _time(end) if end is not None else None
    return last - first if first is not None and last is not None and last >= first else None


def last_record(session: Session, turn: Turn) -> Ref | None:
    """The last record within a turn, whether it ends it or not."""
    line = turn.last
    while not line.reading.statements:
        before = session.buffer.before(line)
        if before is None or line is turn.first:
            return None
        line = before
    return Ref(line, line.reading.statements[-1])


def _time(ref: Ref) -> int | None:
    return milliseconds(time_of(ref.line.data, ref.statement))


def turn_detail(session: Session, turn: Turn) -> str:
    """Status, duration, calls, failures, tokens."""
    parts = [turn_status(turn)]
    duration = turn_duration(session, turn)
    if duration:
        parts.append(duration_text(duration))
    calls = [entry for entry in session.entries_of(turn) if entry.what in ("call", "nested_call")]
    if calls:
        parts.append(counted(len(calls), "call"))
        failed = sum(session.call_end(entry.ref).outcome == "failed" for entry in calls)
        if failed:
            parts.append(f"{failed} failed")
    total = session.usage.of_turn(turn).total
    if total:
        parts.append(f"{total:,} tokens")
    return ", ".join(parts)


def counted(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def session_name(session: Session) -> str:
    """``Session <id>``."""
    header = session.header
    return f"Session {one_line(header.thread_id, 80) if header and header.thread_id else '(no id)'}"


def session_detail(session: Session) -> str:
    """What sort of session it is, then version, directory and model."""
    header = session.header
    if header is None:
        return "no session header"
    model = header.model or next((one.model for _, one, _ in session.models if one.model), "")
    facts = [one for one in (lineage(header), header.version, header.directory, model) if one]
    return ", ".join(one_line(fact, 160) for fact in facts)


def lineage(header: Header) -> str:
    """Where a session comes from, in words; empty for a session of its own."""
    if header.session_kind == "guardian":
        return "internal review (guardian)"
    if header.session_kind == "subagent":
        who = header.agent_name or header.agent_path
        role = f" ({header.agent_role})" if header.agent_role else ""
        path = f" at {header.agent_path}" if header.agent_name and header.agent_path else ""
        depth = f", depth {header.depth}" if header.depth >= 0 else ""
        return f"sub-agent {who}{role}{path} of {header.parent_id or 'an unknown thread'}{depth}".replace("  ", " ")
    if header.continues:
        return f"continues {header.continues}"
    if header.forked_from:
        return f"fork of {header.forked_from}"
    if header.session_kind in ("review", "compact"):
        return f"internal {header.session_kind}"
    return f"child of {header.parent_id}" if header.parent_id else ""


# -- entries
def entry_name(session: Session, entry: Entry, *, steer: bool = False) -> str:
    """The name of an entry as the outline's contract words it."""
    name = _entry_name(session, entry, steer)
    return f"{name} (recovered)" if entry.ref.statement.recovered else name


def _entry_name(session: Session, entry: Entry, steer: bool) -> str:
    statement = entry.ref.statement
    if entry.what == "user":
        return _said("user (steer)" if steer else "user", entry.ref)
    if entry.what == "assistant" and isinstance(statement, Message):
        phase = phase_of(session, entry)
        return _said("assistant (commentary)" if phase == "commentary" else "assistant", entry.ref)
    if entry.what == "agent_message" and isinstance(statement, Message):
        head = f"agent message from {one_line(statement.author, 60) or 'another agent'}"
        return f"{head} (encrypted)" if statement.encrypted else _said(head, entry.ref)
    if entry.what == "context" and isinstance(statement, Message):
        return f"context ({one_line(statement.context, 60) or 'user role'})"
    if entry.what == "reasoning" and isinstance(statement, Reasoning):
        return _reasoning_name(statement, entry.ref)
    if isinstance(statement, Call | CallMirror):
        return call_name(session, entry.ref)
    if isinstance(statement, Compaction):
        return _compaction_name(entry.ref, statement)
    if isinstance(statement, Notice):
        return f"notice: {one_line(statement.label, ENTRY_CHARACTERS)}"
    if isinstance(statement, Unknown):
        return f"{one_line(statement.label, 60)} (unknown)"
    if isinstance(statement, Result):
        return f"result {one_line(statement.call_id, 60)}".rstrip()
    return one_line(statement.kind, 80)


def phase_of(session: Session, entry: Entry) -> str:
    """The phase that any record of a message tells."""
    return session.phase_of(entry)


def _said(head: str, ref: Ref) -> str:
    words = shown_words(ref)
    return f"{head}: {words}" if words else head


def _reasoning_name(reasoning: Reasoning, ref: Ref) -> str:
    if reasoning.raw:
        return "reasoning (raw text)"
    words = shown_words(ref) if reasoning.words else ""
    if words:
        return f"reasoning: {words}"
    return "reasoning (encrypted)" if reasoning.sealed else "reasoning"


def _compaction_name(ref: Ref, compaction: Compaction) -> str:
    if compaction.marker:
        return "compaction"
    return f"compaction ({counted(compaction.items, 'item')}, {bytes_text(ref.line.size)})"


def call_name(session: Session, ref: Ref) -> str:
    """``<tool> <call id> -> exit 0``, or what stands for a call of that sort."""
    statement = ref.statement
    if isinstance(statement, CallMirror) and statement.nested:
        command = shown_words(ref) or statement.tool
        return f"{command}{nested_outcome_text(session.call_end(ref))}"
    tool = _short(statement.tool) if isinstance(statement, Call | CallMirror) else "call"
    if tool == "web_search":
        return f"web_search: {shown_words(ref) or _mirror_words(session, ref)}".rstrip(": ")
    call_id = _short(getattr(statement, "call_id", ""))
    bad = " (bad arguments)" if isinstance(statement, Call) and statement.bad_arguments else ""
    outcome = outcome_text(session.call_end(ref))
    if bad and not outcome.startswith(" ->"):
        return f"{tool} {call_id}".rstrip() + bad
    return f"{tool} {call_id}".rstrip() + bad + outcome


def _mirror_words(session: Session, ref: Ref) -> str:
    return next((words for one in session.links_of(ref, "mirror") if (words := shown_words(one))), "")


def outcome_words(end: CallEnd) -> str:
    """``exit 0``, ``failed (exit 2)``, ``no result`` ...; empty where nothing is told."""
    if end.outcome == "ok":
        return "ok" if end.exit_code is None else f"exit {end.exit_code}"
    if end.outcome == "failed":
        return "failed" if end.exit_code is None else f"failed (exit {end.exit_code})"
    return "" if end.outcome == "unknown" else end.outcome


def outcome_text(end: CallEnd) -> str:
    """How a name ends: `` -> exit 0``, `` -> failed (exit 2)``, `` (no result)`` ..."""
    words = outcome_words(end)
    if not words:
        return ""
    return f" -> {words}" if end.outcome in ("ok", "failed") else f" ({words})"


def nested_outcome_text(end: CallEnd) -> str:
    """As ``outcome_text``, with the bare exit code of a command inside a script."""
    return f" -> exit {end.exit_code}" if end.exit_code is not None else outcome_text(end)
