"""``rollout-ls show --view``: a session as one of the views, for programs or to be read.

Writes the values of ``wire.views`` and adds nothing to them. What is malformed in a ``codex-v3`` view is told with its
line and field, never with what stands there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rollout_ls.cli.loading import load
from rollout_ls.cli.terminal import Segment, say, write_bytes, write_line
from rollout_ls.projection.views.blocks import block_view
from rollout_ls.projection.views.codex_v3 import read_view
from rollout_ls.text.display import cut, label
from rollout_ls.wire.lsp import encode
from rollout_ls.wire.views import show_blocks, show_codex_v3
from rollout_ls.workspace.document import Document

DONE, MALFORMED, TROUBLE = 0, 1, 2
MAX_TEXT_CHARACTERS = 2000
"""What is shown of one text; the JSON has it whole."""
MAX_LABEL_CHARACTERS = 300

Values = Mapping[str, Any]


def run(path: str, *, view: str, output_format: str) -> int:
    """Writes one view of a session. The exit status: 1 where the view is refused as malformed."""
    document, problem = load(path)
    shown = _shown(document, view)
    if output_format == "json":
        write_bytes(encode(shown) + b"\n")
    else:
        for segments in _rows(shown):
            write_line(segments)
    if problem is not None:
        say(str(problem))
        return TROUBLE
    return MALFORMED if "malformed" in shown else DONE


def _shown(document: Document, view: str) -> dict[str, Any]:
    if view == "blocks":
        return show_blocks(block_view(document.session()), document.buffer)
    return show_codex_v3(read_view(document.buffer), document.buffer)


def _rows(shown: Values) -> Iterator[list[Segment]]:
    if "malformed" in shown:
        line, field = shown["malformed"]["line"], shown["malformed"]["field"]
        where = f"line {line}: {field}" if line is not None else field
        yield [("malformed ", "red"), (_one_line(where), "")]
    elif shown["view"] == "blocks":
        yield from _blocks(shown)
    else:
        yield from _entries(shown)


# -- codex-v3
def _entries(shown: Values) -> Iterator[list[Segment]]:
    yield [(f"Thread {_one_line(shown['thread_id'])}", "bold")]
    lineage = shown["lineage"]
    if lineage is not None:
        yield [(_one_line(f"  {lineage['relation']} {lineage['thread_id']} ({lineage['evidence']})"), "")]
    yield [(f"  lineage coverage {shown['coverage']}", "dim")]
    for index, entry in enumerate(shown["entries"]):
        about = [entry["actor"], entry["timestamp"], entry["tool"], entry["call_id"], entry["turn_id"]]
        if entry["related"] is not None:
            about.append(f"-> entry {entry['related']}")
        yield _head(entry, f"{index}  {entry['kind']}", about)
        for segment in entry["segments"]:
            if "text" in segment:
                yield from _text(segment["text"])
            else:
                yield [(f"         [{segment['omitted']}: {segment['source']}]", "dim")]


# -- blocks
def _blocks(shown: Values) -> Iterator[list[Segment]]:
    meta = shown["meta"]
    yield [(f"Session {_one_line(meta['id'] or 'without id')}", "bold")]
    for key, value in meta.items():
        if value and key != "id":
            yield [(f"  {key}: ", "dim"), (_one_line(value), "")]
    for message in shown["entries"]:
        usage = message["usage"]
        about = [message["timestamp"], message["model"], f"{usage['total']:,} tokens" if usage else None]
        yield _head(message, message["role"], about)
        for one in message["blocks"]:
            yield from _block(one)


def _block(one: Values) -> Iterator[list[Segment]]:
    sort = one["type"]
    if sort == "ToolUse":
        tool = one["tool"]
        yield [(_one_line(f"         {tool.get('name') or tool['type']} {one['id']}"), "cyan")]
        yield from _text(_given(tool))
    elif sort == "ToolResult":
        yield [(_one_line(f"         result of {one['tool_use_id']}"), "yellow" if one["is_error"] else "cyan")]
        for inner in one["content"]:
            yield from _block(inner)
    elif sort == "Image":
        yield [(_one_line(f"         [{one['media']}, {one['size']:,}]"), "dim")]
    else:
        yield from _text(one["text"], "dim" if sort == "Thinking" else "")


_GIVEN = ("command", "query", "patch", "file_path")


def _given(tool: Values) -> str:
    """What a tool is given, as far as a line or two show it."""
    found = next((tool[key] for key in _GIVEN if tool.get(key)), None)
    if found is None:
        given = tool.get("input")
        found = given if isinstance(given, str) else encode(given).decode() if given not in (None, {}) else ""
    return str(found)


# -- small steps
def _head(shown: Values, name: str, about: Sequence[str | None]) -> list[Segment]:
    said = ", ".join(_one_line(part) for part in about if part)
    return [(f"{shown['line']:>5}  ", "dim"), (name, "bold"), (f"  {said}" if said else "", "dim")]


def _text(text: str, style: str = "") -> Iterator[list[Segment]]:
    if not text:
        return
    shown, was_cut = cut(text, MAX_TEXT_CHARACTERS)
    for row in shown.rstrip("\n").split("\n"):
        yield [(f"         {row}", style)]
    if was_cut:
        yield [(f"         {len(shown) - 1:,} of {len(text):,} characters shown", "dim")]


def _one_line(text: str) -> str:
    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent + label(text, MAX_LABEL_CHARACTERS)
