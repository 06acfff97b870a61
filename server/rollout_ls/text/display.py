"""Text of a transcript made harmless for a person's eyes: labels, blocks, cuts, fences, sizes.

What stands in a session is hostile: it can hold terminal sequences, bidirectional overrides, characters that nobody
sees. Everything that is shown passes through here, once. Never decodes JSON, never masks secrets (``secrets`` does),
never makes Markdown out of content other than code; works in time linear in what it shows.
"""

from __future__ import annotations

import re

ELLIPSIS = "…"
"""What stands in place of what was cut off."""

_ESCAPE = re.compile(
    r"""
      (?: \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] )                          # OSC, DCS, SOS, PM, APC up to their end
      [^\x07\x1b\x90\x98\x9c-\x9f\n\r]* (?: \x07 | \x1b\\ | \x9c )
    | (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]                          # CSI: colours, cursor moves, erasing
    | \x1b [ -/]* [0-~]                                                # all other sequences, and unfinished ones
    """,
    re.VERBOSE,
)
"""Terminal sequences as ECMA-48 spells them, in seven and in eight bits. None reads over the start of another."""

_HIDDEN = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls that are no white space
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that are not seen, or that move others: controls, bidi marks, zero widths, fillers, tags."""

_SPACE = r" \t-\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SURROGATE = r"\ud800-\udfff"

_NOT_AS_IT_IS = rf"[\t-\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000{_HIDDEN}{_SURROGATE}]"
_ODD = re.compile(_NOT_AS_IT_IS)
_IN_LABEL = re.compile(rf"{_NOT_AS_IT_IS}|  +")
"""Where a label has to look closer: anything that is not shown as it is, and two spaces."""
_SPACES = re.compile(rf"[{_SPACE}]+")
_SPARE = 40
"""How many characters of white space a label may hold more than it shows, to be found the quick way."""
_IN_BLOCK = re.compile(rf"[\x0b-\r\x85\u2028\u2029{_HIDDEN}{_SURROGATE}]")
_NOT_SPACE = re.compile(rf"[^{_SPACE}]")
_TICKS = re.compile(r"`+")
_MARKUP = re.compile(
    r"""
      [\\`*\[\]<>&~|@]
    | (?<![A-Za-z0-9])_ | _(?![A-Za-z0-9])        # inside a word it is no emphasis
    | :(?=//) | (?<=www)\.                         # addresses that viewers make links of
    | ^[#+=-] | (?<=^[0-9])[.)](?=\s|\Z) | (?<=^[0-9]{2})[.)](?=\s|\Z)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Where plain text would be Markdown: at these characters, the last three sorts only at its beginning."""
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,32}")
_SHOWN_ESCAPE = re.compile(r"<U\+[0-9A-F]{0,6}\Z")


def label(text: str, limit: int) -> str:
    """One line of at most ``limit`` characters (``…`` included) for names, titles and messages.

    Each run of white space and line ends is one space, none at either end; terminal sequences are dropped; controls,
    bidi marks and zero-width characters become ``<U+XXXX>``, lone surrogates U+FFFD. Looks no further than it shows.
    """
    shown, more = _plain_line(text, limit + 1) or _one_line(text, limit + 1)
    return _shortened(shown, limit) if more or len(shown) > limit else shown


def _plain_line(text: str, wanted: int) -> tuple[str, bool] | None:
    """What ``_one_line`` gives, found quicker; None where more than spaces and line ends needs another look. Of a line
    that is full it tells that more is left over, whether there is or not."""
    window = text[: wanted + _SPARE]
    if "\n" in window or "  " in window or window[:1] == " ":
        window = " ".join(filter(None, window.replace("\n", " ").split(" ")))
    full = len(window) >= wanted and window[wanted - 1] != " "
    more = full or window[wanted : wanted + 1].isalnum()
    if not more and (len(window) > wanted or len(text) > wanted + _SPARE):
        return None
    head = window[:wanted].rstrip(" ")
    if head.isascii():
        return (head, more) if head.isprintable() else None
    return (head, more) if _ODD.search(head) is None else None


def block(text: str) -> str:
    """Printable text of any length that keeps its lines and tabs.

    As ``label``, but white space stays, and a carriage return does what it does on a terminal: what a later part of
    the line wrote over is gone. In a text without any ``\\n`` it ends a line.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    if "\r" in text:
        text = _without_returns(text)
    return _replaced(text) if _IN_BLOCK.search(text) else text


def cut(text: str, limit: int) -> tuple[str, bool]:
    """(text of at most ``limit`` characters, whether it was cut); a cut one ends in ``…``, which is counted."""
    if len(text) <= limit:
        return text, False
    return _shortened(text[: limit + 1], limit), True


def fence(text: str, language: str = "") -> str:
    """A Markdown code block, fenced by more backticks than stand in a row in the text. The text must be printable."""
    ticks = "`" * max(3, 1 + _longest_run(text))
    info = language if _LANGUAGE.fullmatch(language) else ""
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{ticks}{info}\n{text}{end}{ticks}"


def inline_code(text: str) -> str:
    """A Markdown code span on one line (made printable as a label is, but not cut)."""
    shown, _ = _one_line(text, None)
    if not shown:
        return "` `"
    ticks = "`" * (1 + _longest_run(shown)) if "`" in shown else "`"
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def markdown_text(text: str) -> str:
    """Printable text as Markdown that shows it as it is: no emphasis, no links, no images, no HTML, no entities.

    Bare addresses do not become links either. Names with ``_`` inside stay as they are.
    """
    return _MARKUP.sub(lambda found: f"\\{found[0]}", text) if _MARKUP.search(text) else text


def bytes_text(count: int) -> str:
    """A size for people, in decimal units: ``512 bytes``, ``3.2 kB``, ``0.5 MB``, ``1.1 GB``."""
    if count < 1000:
        return "1 byte" if count == 1 else f"{count} bytes"
    for unit, size in (("kB", 10**3), ("MB", 10**6)):
        if count < 400 * size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 10**9:.1f} GB"


def duration_text(milliseconds: float) -> str:
    """A stretch of time for people: ``850 ms``, ``3.2 s``, ``1 min 5 s``, ``2 h 3 min``, ``1 d 4 h``."""
    if milliseconds < 0:
        return f"-{duration_text(-milliseconds)}"
    if round(milliseconds) < 1000:
        return f"{round(milliseconds)} ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    seconds = round(milliseconds / 1000)
    if seconds < 3600:
        return _two_parts(seconds, 60, "min", 1, "s")
    if seconds < 86_400:
        return _two_parts(seconds, 3600, "h", 60, "min")
    return _two_parts(seconds, 86_400, "d", 3600, "h")


def _two_parts(seconds: int, size: int, unit: str, small_size: int, small_unit: str) -> str:
    rest = seconds % size // small_size
    return f"{seconds // size} {unit}" + (f" {rest} {small_unit}" if rest else "")


# -- one character at a time, where there is something to replace
def _one_line(text: str, wanted: int | None) -> tuple[str, bool]:
    """(printable single line, whether text was left over); stops once ``wanted`` characters are there."""
    parts: list[str] = []
    size, at, total = 0, 0, len(text)
    spaced = True
    """Whether what stands before is a space, or the beginning: then no further space comes."""
    while at < total and (wanted is None or size < wanted):
        stop = total if wanted is None else min(total, at + wanted - size)
        found = _IN_LABEL.search(text, at, stop)
        plain = text[at : found.start() if found else stop]
        if spaced:
            plain = plain.lstrip(" ")
        if plain:
            parts.append(plain)
            size += len(plain)
            spaced = plain[-1] == " "
        if not found:
            at = stop
            continue
        shown, at = _instead(text, found.start())
        if shown == " " and spaced:
            continue
        parts.append(shown)
        size += len(shown)
        spaced = shown == " " or (spaced and not shown)
    return "".join(parts).rstrip(" "), _NOT_SPACE.search(text, at) is not None


def _instead(text: str, at: int) -> tuple[str, int]:
    """What is shown for what stands at an offset, and where it ends."""
    escape = _ESCAPE.match(text, at)
    if escape:
        return "", escape.end()
    spaces = _SPACES.match(text, at)
    if spaces:
        return " ", spaces.end()
    return _named(text[at]), at + 1


def _named(character: str) -> str:
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return f"<U+{ord(character):04X}>"


def _replaced(text: str) -> str:
    text = _ESCAPE.sub("", text)
    return _IN_BLOCK.sub(lambda found: _named(found[0]), text)


def _without_returns(text: str) -> str:
    text = text.replace("\r\n", "\n")
    if "\n" not in text:
        return text.replace("\r", "\n")
    return "\n".join(row.rstrip("\r").rpartition("\r")[2] if "\r" in row else row for row in text.split("\n"))


def _shortened(text: str, limit: int) -> str:
    """The first ``limit - 1`` characters and ``…``; never a torn ``<U+XXXX>``, no mark torn off its letter."""
    end = max(0, limit - 1)
    if "<" not in text[max(0, end - 9) : end] and text[end : end + 1] < "\u0300" and limit > 0:
        return text[:end].rstrip() + ELLIPSIS  # nothing that could be torn
    torn = _SHOWN_ESCAPE.search(text, max(0, end - 9), end)
    if torn:
        end = torn.start()
    back = end
    while back and end - back < 16 and back < len(text) and _is_mark(text[back]):
        back -= 1
    if not (back < len(text) and _is_mark(text[back])):
        end = back
    return text[:end].rstrip() + ELLIPSIS if limit > 0 else ""


def _is_mark(character: str) -> bool:
    """Whether it is drawn onto what stands before it (accents, emoji variants and skin tones)."""
    return (
        "\u0300" <= character <= "\u036f"
        or "\u20d0" <= character <= "\u20ff"
        or character in "\ufe0e\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0) if "`" in text else 0
