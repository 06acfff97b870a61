"""Why a bar is not met, by the name of its row: written after measuring, shown in docs/performance.md where it is over.

A row that is over its bar and has no reason here is shown as not looked into yet.
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    "eager pass": (
        "reading is two floors: the typed decode takes about one, the statement made of each record in Python the "
        "other; cutting into rows takes a quarter, the fold two fifths of a floor. Records are 2.6 kB long on average, "
        "so what a record costs whatever its length weighs as much as its bytes."
    ),
    "open to findings": (
        "the eager pass, and before it taking the text out of its message: JSON inside JSON has an escape at each "
        "quote, and undoing them is more than one floor by itself, whatever library does it. The rest is the pipe."
    ),
    "append a line, as the file grows": (
        "five walks over the list of blocks (302 at 100 MB), some tenths of a millisecond beside the edit itself."
    ),
    "edit in a long row, over stdio": (
        "the row is copied once and decoded once; where one text fills it, what fills it is looked for anew after each "
        "edit of the row, by two more decodes."
    ),
    "idle pass without secret": (
        "the JSON of each line is walked once for doubled keys, depth and integers by C calls, and once more by their "
        "bookkeeping in Python: just over the bar."
    ),
    "open to findings, against bare pygls": (
        "bare pygls only receives the text and looks at nothing. The eager pass alone takes three floors; see there."
    ),
    "append a line": (
        "0.2 ms of it are asking alone (its own row), 0.2 to 0.5 ms the edit and the findings in process; the rest was "
        "not taken apart."
    ),
    "type in the middle": "as for appending a line.",
    "documentSymbol, first time": (
        "some 30 microseconds a symbol, spread thinly: a quarter is the first words of its record (decoded, masked, "
        "made printable), a seventh the JSON, an eighth what turns took and used, a tenth what the session gathers of "
        "all blocks; the rest is names, ranges and their values. For a long file in a worker thread."
    ),
    "hover elsewhere during the idle pass, p95": (
        "not taken apart; the idle pass looks at a record in one slice, and the file has some of one to two megabytes."
    ),
    "hover elsewhere during the idle pass, longest": "as above.",
    "hover in a record, worst": "a record of 1.5 MB: it is decoded once, and its long text made printable and masked.",
    "definition in a record, worst": "a record of 1.5 MB: the value under the cursor is looked for by hopping over it.",
    "check from disk": (
        "reading is two floors and the fold a half, as in the eager pass; the idle rules but for secrets are most of "
        "the rest."
    ),
}
