"""The file as a whole: what it is at all, its headers, its ordinals, what fills it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import orjson

from rollout_ls.formats.detect import ZSTD_MAGIC, foreign_format, is_one_document
from rollout_ls.formats.statement import NO_ORDINAL, Header, Statement
from rollout_ls.projection.entry import Note
from rollout_ls.projection.session import Session
from rollout_ls.rules.finding import Finding, Related
from rollout_ls.rules.places import discriminator_place, named_place, record_place, value_place
from rollout_ls.text.display import bytes_text, label
from rollout_ls.text.rows import Line, Place, line_of

_LOOKED_AT = 20
_HEAVY_SHARE = 0.5
_HEAVY_BYTES = 1024 * 1024


def whole_file(session: Session, *, recognised: bool, packed: bool = False) -> Finding | None:
    """The one finding of a file that is no rollout at all; None for a rollout. ``recognised``: it has known records.

    ``packed``: its bytes are a packed rollout, whatever an editor makes of them.
    """
    buffer = session.buffer
    lines = list(islice((line for line in buffer if not line.reading.blank), _LOOKED_AT))
    if not lines:
        first = next(iter(buffer), line_of(b""))
        return Finding("empty-file", "warning", record_place(first), "The file is empty: nothing to resume.")
    if packed or lines[0].data.startswith(ZSTD_MAGIC):
        message = "A zstd-compressed rollout: decompress it to read it (the command line reads it as it is)."
        first_character = 1
        return Finding("compressed", "warning", Place(lines[0], 0, first_character), message)
    if recognised and not is_one_document([line.data for line in lines]):
        return None
    found = foreign_format([line.data for line in lines])
    if found is not None:
        line = lines[found.line]
        place = value_place(line, found.start, found.end) if found.end else record_place(line)
        return Finding("wrong-format", "warning", place, f"This looks like {found.name}.")
    return _nothing_recognised(lines, next(iter(buffer)), buffer.line_count)


def _nothing_recognised(lines: list[Line], first: Line, count: int) -> Finding | None:
    keys: list[str] = []
    objects = 0
    for line in lines:
        try:
            value = orjson.loads(line.data)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            objects += 1
            keys += [key for key in value if key not in keys]
    if not objects:
        return None
    seen = ", ".join(f"`{label(key, 40)}`" for key in keys[:8])
    message = f"None of the {count:,} lines is a record that this version knows; their keys are {seen}."
    return Finding("nothing-recognised", "warning", record_place(first), message)


def edited_finding(session: Session) -> Finding:
    """The editor's changes are not on the disk yet, and better stay off it."""
    message = (
        "This text is not what the disk holds. Saving it can break resuming: other files keep byte offsets into a "
        "rollout. Better change a copy."
    )
    return Finding("edited", "information", record_place(next(iter(session.buffer), line_of(b""))), message)


def has_more_entries(session: Session, most: int) -> bool:
    """Whether an outline of so many entries leaves some out, by the sums of blocks (an entry that a record of a later
    block took as its own is counted twice: there are few)."""
    return sum(fold.own_entries for fold in session.folds) > most


def file_findings(session: Session, compaction_bytes: int) -> Iterator[Finding]:
    """Findings on headers, ordinals and what fills the file."""
    yield from _missing_header(session)
    yield from _bare_file(session)
    yield from _continuation(session)
    for note in session.notes:
        finding = _note_finding(session, note)
        if finding is not None:
            yield finding
    yield from _compaction_heavy(session, compaction_bytes)


def _missing_header(session: Session) -> Iterator[Finding]:
    lines = (line for line in session.buffer if not line.reading.blank)
    first = next(lines, None)
    if first is None or first.reading.broken:
        return
    head = first.reading.statements[0] if first.reading.statements else None
    if isinstance(head, Header):
        return
    where = "the session header is not the first record" if session.header is not None else "there is no session header"
    message = f"No session begins here: {where}. Codex cannot resume this file."
    yield Finding("missing-meta", "error", record_place(next(iter(session.buffer))), message)


def _bare_file(session: Session) -> Iterator[Finding]:
    ref = session.header_ref
    if ref is None or session.header is None or not session.header.bare:
        return
    place = named_place(ref.line, ref.statement, "head of a bare file", part="key")
    message = "A rollout from before envelopes (until September 2025); today's reader cannot open it."
    yield Finding("legacy-format", "information", place, message)


def _continuation(session: Session) -> Iterator[Finding]:
    ref, header = session.header_ref, session.header
    if ref is None or header is None or not header.continues:
        return
    place = named_place(ref.line, header, "continued thread", part="key")
    message = (
        f"This file continues {label(header.continues, 80)}: earlier turns stand there, and without that file "
        "it cannot be read."
    )
    yield Finding("continuation", "information", place, message)


def _note_finding(session: Session, note: Note) -> Finding | None:
    ref = note.ref
    if note.what == "foreign-header":
        related = _related(note, "the header of this file")
        message = "The header of another thread; the first header names no parent and no fork source."
        return Finding("foreign-meta", "warning", named_place(ref.line, ref.statement, "header id"), message, related)
    if note.what == "inherited-header":
        follow = "inherited turns follow" if session.inherited_span is not None else "no inherited turns follow"
        message = f"The copied header of the parent thread ({follow}); this file is the thread of its first header."
        return Finding("inherited-meta", "information", named_place(ref.line, ref.statement, "header id"), message)
    if note.what == "ordinal-missing":
        return _ordinal_missing(session, note)
    if note.what == "ordinal-duplicate":
        return _ordinal_duplicate(session, note)
    if note.what == "ordinal-regression":
        number, highest = note.numbers
        message = f"The ordinal goes back to {number}; {highest} was used already."
        place = named_place(ref.line, ref.statement, "ordinal", part="member")
        return Finding("ordinal-regression", "error", place, message)
    return None


def _related(note: Note, message: str) -> tuple[Related, ...]:
    return (Related(record_place(note.other.line), message),) if note.other is not None else ()


def _ordinal_missing(session: Session, note: Note) -> Finding:
    place = named_place(note.ref.line, note.ref.statement, "outer type key", part="key")
    last = _last_record(session)
    message = "A record without ordinal in a paginated file: Codex skips it."
    if last is not None and last[1].ordinal == NO_ORDINAL:
        related = (Related(record_place(last[0]), "the last record has no ordinal"),)
        message = "Records without ordinal in a paginated file; the last record is one: the session cannot be resumed."
        return Finding("ordinal-missing", "error", place, message, related)
    return Finding("ordinal-missing", "error", place, message)


def _last_record(session: Session) -> tuple[Line, Statement] | None:
    line = session.buffer.last_line
    while line is not None and not line.reading.statements:
        line = session.buffer.before(line)
    return (line, line.reading.statements[-1]) if line is not None else None


def _ordinal_duplicate(session: Session, note: Note) -> Finding:
    first = note.other
    lost = first is not None and _is_lost(first.line)
    related: tuple[Related, ...] = ()
    if first is not None:
        place = named_place(first.line, first.statement, "ordinal", part="member")
        related = (Related(place, "first used here"),)
    message = f"The ordinal {note.numbers[0]} is used already"
    message += ", by a record that today's reader does not decode." if lost else "."
    place = named_place(note.ref.line, note.ref.statement, "ordinal", part="member")
    return Finding("ordinal-duplicate", "warning" if lost else "error", place, message, related)


def _is_lost(line: Line) -> bool:
    """Whether the upstream reader drops the record of a line."""
    remarks = ("bad-arguments", "raw-reasoning", "foreign-seal", "odd-usage")
    harmless = ("empty-id", "kept", "harmless", "host-path", *remarks)
    return bool(line.reading.broken) or any(fault.what not in harmless for fault in line.reading.misshapen)


def _compaction_heavy(session: Session, size: int) -> Iterator[Finding]:
    total = session.buffer.byte_count
    if size <= _HEAVY_BYTES or size <= total * _HEAVY_SHARE:
        return
    refs = [ref for fold in session.folds for ref in fold.compactions]
    share = 100 * size // total
    message = f"{len(refs)} compaction records hold {share} % of this file's bytes ({bytes_text(size)})."
    yield Finding("compaction-heavy", "information", discriminator_place(refs[0].line, refs[0].statement), message)
