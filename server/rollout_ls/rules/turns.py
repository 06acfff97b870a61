"""Calls and turns: what did not find its partner. Says what the projection decided; pairs nothing itself."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_ls.projection.session import Session
from rollout_ls.rules.finding import Finding, Related
from rollout_ls.rules.places import discriminator_place, named_place, record_place
from rollout_ls.text.display import label


def turn_findings(session: Session) -> Iterator[Finding]:
    """Findings on calls, results and turns."""
    yield from _calls(session)
    yield from _turns(session)


def _id(statement: object) -> str:
    return label(getattr(statement, "call_id", ""), 80)


def _calls(session: Session) -> Iterator[Finding]:
    ends = session.loose_ends
    for loose in ends.orphan_calls:
        place = named_place(loose.ref.line, loose.ref.statement, "call id")
        call_id = _id(loose.ref.statement)
        if loose.aborted:
            related = (Related(record_place(loose.end.line), "the turn is cut short here"),)
            message = f"No result for {call_id}: the turn was interrupted."
            yield Finding("orphan-call", "information", place, message, related)
            continue
        related = (Related(record_place(loose.end.line), "the turn is over here"),)
        message = f"No result for {call_id} although its turn is over."
        yield Finding("orphan-call", "warning", place, message, related)
    for ref in ends.pending_calls:
        message = f"{_id(ref.statement)} has no result yet; its turn is still open."
        yield Finding("pending-call", "hint", named_place(ref.line, ref.statement, "call id"), message)
    for ref in ends.orphan_results:
        message = f"No call with the id {_id(ref.statement)} in this file."
        yield Finding("orphan-output", "warning", named_place(ref.line, ref.statement, "call id"), message)


def _turns(session: Session) -> Iterator[Finding]:
    for note in session.notes:
        ref, other = note.ref, note.other
        if note.what == "duplicate-call" and other is not None:
            related = (Related(named_place(other.line, other.statement, "call id"), "still without result"),)
            message = f"{_id(ref.statement)} is used again while the first call of that id has no result."
            place = named_place(ref.line, ref.statement, "call id")
            yield Finding("duplicate-call-id", "warning", place, message, related)
        elif note.what == "turn-mismatch" and other is not None:
            related = (Related(record_place(other.line), "the turn that it ends"),)
            message = "The end of a turn that never started here; it ends the open one."
            place = named_place(ref.line, ref.statement, "turn id")
            yield Finding("turn-id-mismatch", "information", place, message, related)
    overlapping = {old.start.statement for _, old in session.overlaps}
    for new, old in session.overlaps:
        related = (Related(record_place(old.start.line), "the other turn begins here"),)
        message = "This turn begins while another is open, and both go on: two writers, or two sessions in one file."
        place = named_place(new.start.line, new.start.statement, "turn id")
        yield Finding("turn-overlap", "warning", place, message, related)
    for turn, following in session.unfinished:
        if following is None or turn.start.statement in overlapping:
            continue
        related = (Related(record_place(following.line), "the next turn begins here"),)
        message = "The turn has no end record, although another one begins later."
        place = discriminator_place(turn.start.line, turn.start.statement)
        yield Finding("turn-open", "information", place, message, related)
