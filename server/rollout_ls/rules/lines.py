"""Bytes and lines: what is wrong with a line before it is a record.

Says what ``jsonl`` found; looks at a neighbouring line only to tell that nothing was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from rollout_ls.jsonl.faults import Fault, FileFault
from rollout_ls.projection.session import Session
from rollout_ls.rules.finding import Finding, Related, Severity
from rollout_ls.rules.places import record_place, value_place
from rollout_ls.text.display import bytes_text, label
from rollout_ls.text.rows import Line, Place
from rollout_ls.text.secrets import mask

HUGE_LINE_BYTES = 600_000
LEFT_OUT = frozenset({"unread", "cropped"})
"""What a limit of this tool kept from being read is no fault of the file; one finding tells of all of it."""


def line_findings(session: Session, line: Line) -> Iterator[Finding]:
    """Findings of one line's bytes."""
    faults: tuple[Fault, ...] = line.reading.broken
    for fault in faults:
        if fault.what not in LEFT_OUT:
            yield _finding(session, line, fault)


def tail_finding(session: Session) -> Finding | None:
    """A complete last record without a line end, whatever stands in front of it. NUL bytes behind it are told so."""
    line = session.buffer.last_line
    if line is None or line.data.endswith(b"\n") or not line.reading.statements:
        return None
    end = line.reading.statements[-1].end
    if 0 <= end < len(line.data.rstrip(b" \t\r")):
        return None
    return Finding("no-final-newline", "hint", record_place(line), "The last record has no newline behind it.")


def _finding(session: Session, line: Line, fault: Fault) -> Finding:
    what = fault.what
    if what == "cut-off":
        return _cut_off(session, line, fault)
    if what == "torn":
        size = f"{fault.end - fault.start} bytes"
        message = f"Torn fragment ({size}) in front of a complete record; the record behind it was recovered."
        return Finding("bad-json", "error", Place(line, fault.start, fault.end), message)
    code, severity, message = _MESSAGES[what](fault) if what in _MESSAGES else ("bad-json", "error", fault.detail)
    if what == "nul" and _is_tail(session, line, fault):
        severity = "warning"
        message = f"{message} They end the file: the writer stopped before it had filled this part."
    if what == "bad-utf8":
        byte, offset = fault.start, session.buffer.byte_of(line) + fault.start
        if isinstance(fault, FileFault):
            byte, offset = fault.byte, fault.offset
        message = (
            f"Invalid UTF-8 at byte {byte} of the line (file offset {offset}): {fault.detail}. "
            "In a file without pages, Codex refuses the whole file for it."
        )
    if what == "bom" and line is not next(iter(session.buffer)):
        code, message = "bad-json", "A byte order mark stands in front of the record: two files were joined here."
    start, end = fault.start, fault.end
    place = record_place(line) if end - start >= len(line.data.rstrip()) > 1 else value_place(line, start, end)
    return Finding(code, severity, place, message)


def _cut_off(session: Session, line: Line, fault: Fault) -> Finding:
    where = f" {fault.detail}" if fault.detail else f" inside `{fault.path}`" if fault.path else ""
    if not line.data.endswith(b"\n"):
        message = f"Unfinished last record (it stops{where}): it is being written, or the writer stopped here."
        return Finding("truncated-tail", "information", record_place(line), message)
    message = f"The record is cut off{where}."
    following = session.buffer.after(line)
    while following is not None and following.reading.blank:
        following = session.buffer.after(following)
    if following is not None and following.data.startswith(line.data.rstrip(b"\r\n")):
        related = Related(record_place(following), "the same record, whole")
        message += " The next record repeats it completely, so nothing is lost."
        return Finding("bad-json", "error", record_place(line), message, (related,))
    return Finding("bad-json", "error", record_place(line), message)


def _is_tail(session: Session, line: Line, fault: Fault) -> bool:
    last = session.buffer.last_line
    return line is last and fault.end >= len(line.data.rstrip(b"\r\n"))


def _path(fault: Fault) -> str:
    return f" in `{fault.path}`" if fault.path else ""


def _more(fault: Fault) -> str:
    return f" (and {fault.count - 1} more on this line)" if fault.count > 1 else ""


def _nul(fault: Fault) -> tuple[str, Severity, str]:
    where = _path(fault) if fault.path else ""
    byte = fault.byte if isinstance(fault, FileFault) else fault.start
    message = f"Raw NUL byte{where} at byte {byte} of the line{_more(fault)}."
    if fault.detail == "only":
        message = f"The line holds nothing but NUL bytes ({fault.count})."
    elif fault.detail == "cut":
        message = f"NUL bytes ({fault.count}) stand where the rest of the record should be."
    elif fault.detail == "around":
        message = f"NUL bytes around the record ({fault.count}); the record was recovered."
    return "nul-bytes", "error", message


_MESSAGES: dict[str, Callable[[Fault], tuple[str, Severity, str]]] = {
    "broken": lambda f: ("bad-json", "error", f"The JSON breaks{_path(f)}{f': {f.detail}' if f.detail else ''}."),
    "concatenated": lambda f: (
        "concatenated",
        "error",
        "Two records stand on one line: a newline is missing between them. Both were recovered"
        + (f" ({f.detail})." if f.detail else "."),
    ),
    "not-object": lambda f: (
        "not-object",
        "error",
        f"The line is {'null' if f.detail == 'null' else _article(f.detail)}, not a record.",
    ),
    "nul": _nul,
    "bad-utf8": lambda f: ("bad-utf8", "error", f"Invalid UTF-8: {f.detail}."),
    "lone-surrogate": lambda f: (
        "lone-surrogate",
        "error",
        f"Lone surrogate {f.detail}{_path(f)}{_more(f)}: Codex drops the record.",
    ),
    "stray-cr": lambda f: (
        "stray-cr",
        "warning",
        f"A lone carriage return follows{_more(f)}: editors disagree on the line numbers behind it.",
    ),
    "bom": lambda f: ("bom", "error", "The file begins with a byte order mark: Codex cannot read the header."),
    "duplicate-key": lambda f: (
        "duplicate-key",
        "warning",
        f"The key `{f.path.rsplit('.', 1)[-1]}` stands twice in one object: the last value counts, "
        "the earlier is lost.",
    ),
    "too-deep": lambda f: (
        "too-deep",
        "error",
        "128 levels of nesting or more: Codex gives up on the record.",
    ),
    "int-too-big": lambda f: (
        "int-too-big",
        "error" if f.detail.startswith("65") else "information",
        "An integer that no 64-bit reader can hold"
        + (": Codex drops the record." if f.detail.startswith("65") else "."),
    ),
}


def _article(word: str) -> str:
    return f"an {word}" if word[:1] in "aeio" else f"a {word}"


def huge_line(line: Line) -> Finding | None:
    """A line that slows editors down; compaction records are told by a finding of their own."""
    size = line.end
    if size <= HUGE_LINE_BYTES:
        return None
    if any(statement.kind == "compacted" for statement in line.reading.statements):
        return None
    notes = line.reading.notes
    if notes is None:
        notes = line.reading.notes = {}
    if "filling" not in notes:  # kept with the line, which may be looked at after each edit of the file
        notes["filling"] = _filling(line.data)
    message = f"The line is {size:,} bytes ({bytes_text(size)}){notes['filling']}."
    return Finding("huge-line", "information", record_place(line), message)


def _filling(data: bytes) -> str:
    """What fills a long record, by the way to its largest part; empty where it is many small ones, or no JSON."""
    path, part = _largest(data)
    if not path:
        return ""
    share = 100 * len(part) // len(data)
    where = f": {share} % of it is `{mask(label(path, _MAX_PATH))}`"
    if part[:1] != b'"':
        return f"{where} with many entries"
    if part.startswith(b'"data:'):
        kind = part[6:60].partition(b";")[0].partition(b",")[0].decode("ascii", "replace")
        return f"{where}, {label(kind, 40) or 'data'} as base64"
    if path.endswith("encrypted_content"):
        return f"{where}, encrypted"
    return f"{where}, a text"


_MAX_PATH = 80
_MOST_OF_IT = 0.5
"""How much of a record a part must hold to be what fills it."""


def _largest(data: bytes) -> tuple[str, bytes]:
    """(the path of the innermost value that holds most of a record, its JSON); ("", ...) where no value does."""
    path, part = _in_payload(data) or ("", data.strip())
    while part[:1] in (b"{", b"["):
        try:
            children = _children(part)
        except (msgspec.DecodeError, RecursionError):
            break
        if not children:
            break
        step, child = max(children, key=lambda one: len(one[1]))
        if len(child) < len(data) * _MOST_OF_IT:
            break
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
        part = bytes(child)
    return path, part


class _Envelope(msgspec.Struct):
    payload: dict[str, msgspec.Raw]


def _in_payload(data: bytes) -> tuple[str, bytes] | None:
    """The same for the first two levels, by one decode instead of two; None where it is not one part of the payload."""
    try:
        children = _envelope.decode(data).payload
    except (msgspec.DecodeError, RecursionError):
        return None
    key, child = max(children.items(), key=lambda one: len(one[1]), default=("", b""))
    return (f"payload.{key}", bytes(child)) if len(child) >= len(data) * _MOST_OF_IT else None


def _children(part: bytes) -> list[tuple[str | int, msgspec.Raw]]:
    if part[:1] == b"[":
        return list(enumerate(_array.decode(part)))
    return list(_object.decode(part).items())


_envelope = msgspec.json.Decoder(_Envelope)
_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_array = msgspec.json.Decoder(list[msgspec.Raw])


def idle_finding(session: Session, line: Line, fault: Fault) -> Finding:
    """A finding of the idle pass over one line."""
    return _finding(session, line, fault)
