"""``rollout-ls show``: what happened in a session, whole: turns, entries, results, tokens.

Writes the values of ``wire.show``, as JSON or to be read; adds nothing to them and leaves nothing out of the JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rollout_ls.cli.loading import load
from rollout_ls.cli.terminal import Segment, say, write_bytes, write_line
from rollout_ls.text.display import block, cut, duration_text, label
from rollout_ls.text.secrets import mask
from rollout_ls.wire.lsp import encode
from rollout_ls.wire.show import show_session

DONE, TROUBLE = 0, 2
MAX_TEXT_CHARACTERS = 2000
"""What is shown of one entry's text; the JSON has it whole."""
MAX_LABEL_CHARACTERS = 300

UNKNOWN = "unknown"
"""The outcome of a call whose result does not tell how it went."""
USAGES = (("own", "Tokens"), ("inherited", "Tokens inherited"), ("rolled_back", "Tokens rolled back"))

Values = Mapping[str, Any]


def run(path: str, *, output_format: str) -> int:
    """Writes what happened in one session. The exit status."""
    document, problem = load(path)
    shown = show_session(document.session(), document.buffer)
    if output_format == "json":
        write_bytes(encode(shown) + b"\n")
    else:
        for segments in _rows(shown):
            write_line(segments)
    if problem is not None:
        say(str(problem))
        return TROUBLE
    return DONE


def _rows(shown: Values) -> Iterator[list[Segment]]:
    yield from _session(shown["session"])
    for turn in shown["turns"]:
        yield []
        yield from _turn(turn)
    if shown.get("outside"):
        yield []
        yield [("Outside of turns", "bold")]
        yield from _entries(shown["outside"], "  ")
    yield []
    yield from _sums(shown)
    for skipped in shown["skipped"]:
        yield [(f"line {skipped['line']} skipped: {_one_line(skipped['why'])}", "yellow")]


def _session(session: Values) -> Iterator[list[Segment]]:
    yield [(f"Session {_one_line(session['id'] or 'without id')}", "bold")]
    for key in ("title", "kind", "parent", "forked_from", "continues"):
        if session.get(key):
            yield [(f"  {key.replace('_', ' ')}: ", "dim"), (_one_line(str(session[key])), "")]


def _turn(turn: Values) -> Iterator[list[Segment]]:
    number = turn.get("number")
    title = f"Turn {number}" if number is not None else "Inherited turn"
    status = turn.get("status") or "status unknown"
    reason = f" ({turn['reason']})" if turn.get("reason") else ""
    yield [
        (title, "bold"),
        (f"  {_one_line(status + reason)}", "green" if status == "completed" else "yellow"),
        (_about(turn), "dim"),
    ]
    yield from _entries(turn["entries"], "  ")


def _about(turn: Values) -> str:
    parts = []
    if turn.get("lines"):
        first, last = turn["lines"]
        parts.append(f"line {first}" if first == last else f"lines {first} to {last}")
    if turn.get("model"):
        parts.append(_one_line(str(turn["model"])))
    if turn.get("author"):
        parts.append(f"from {_one_line(str(turn['author']))}")
    if turn.get("usage") and turn["usage"].get("total"):
        parts.append(_usage(turn["usage"]))
    return "".join(f", {part}" for part in parts)


def _entries(entries: Sequence[Values], indent: str) -> Iterator[list[Segment]]:
    for entry in entries:
        yield [
            (f"{indent}{entry['line']:>5}  ", "dim"),
            (_head(entry), "cyan"),
            (_outcome(entry), "" if entry.get("outcome") in ("ok", UNKNOWN) else "yellow"),
        ]
        yield from _text(entry.get("text"), indent + " " * 9)
        yield from _entries(entry.get("children") or (), indent + "  ")


def _head(entry: Values) -> str:
    """Who did what: the tool of a call, else the sort of the entry."""
    name = str(entry.get("tool") or entry["what"]).replace("_", " " if not entry.get("tool") else "_")
    return _one_line(f"{name} {entry.get('call_id') or ''}").strip()


def _outcome(entry: Values) -> str:
    if not entry.get("outcome"):
        return ""
    code, milliseconds = entry.get("exit_code"), entry.get("duration_ms")
    outcome = "" if entry["outcome"] == UNKNOWN else _one_line(str(entry["outcome"]))
    parts = [
        f"{outcome} (exit {code})" if code is not None else outcome,
        duration_text(milliseconds) if milliseconds is not None else "",
        f"result on line {entry['result_line']}" if entry.get("result_line") else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f" -> {said}" if said else ""


def _text(text: str | None, indent: str) -> Iterator[list[Segment]]:
    if not text:
        return
    shown, was_cut = cut(block(mask(text)), MAX_TEXT_CHARACTERS)
    for row in shown.rstrip("\n").split("\n"):
        yield [(f"{indent}{row}", "")]
    if was_cut:
        yield [(f"{indent}{len(shown) - 1:,} of {len(text):,} characters shown", "dim")]


def _sums(shown: Values) -> Iterator[list[Segment]]:
    usage, counts = shown["usage"], shown["counts"]
    messages = counts["messages"]
    names = {"user": "user", "assistant": "assistant", "inter_agent": "agent"}
    said = ", ".join(f"{messages[key]} {name}" for key, name in names.items() if messages.get(key))
    yield [("Messages: ", "bold"), (said or "none", "")]
    for key, name in USAGES:
        if usage.get(key) and usage[key].get("total"):
            yield [(f"{name}: ", "bold"), (_usage(usage[key]), "")]
    if usage.get("left_out"):
        yield [(f"{len(usage['left_out'])} token counts not counted", "dim")]


def _usage(usage: Values) -> str:
    """``in 10,000 = 500 new + 9,500 cached, out 900 (reasoning 700)``."""
    total, cached = usage.get("input") or 0, usage.get("cached_input") or 0
    reasoning = usage.get("reasoning_output") or 0
    parts = f"in {total:,}" + (f" = {total - cached:,} new + {cached:,} cached" if cached else "")
    return f"{parts}, out {usage.get('output') or 0:,}" + (f" (reasoning {reasoning:,})" if reasoning else "")


def _one_line(text: str) -> str:
    return label(mask(text), MAX_LABEL_CHARACTERS)
