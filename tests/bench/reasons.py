"""Why a bar is not met, by the name of its row: written after measuring, shown in docs/performance.md where it is over.

A row that is over its bar and has no reason here is shown as not looked into yet.
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    "eager pass": (
        "a record costs the typed decode (0.8 to 0.9 of the floor), the statement made of it in Python (0.8 with the "
        "reading around it), cutting into rows (0.3, half of it fresh pages from the system) and the fold (0.35). "
        "Records are 2.6 kB long on average, so what each costs whatever its length weighs as much as its bytes; the "
        "decode alone leaves a bar of 1.5 half a floor for all else."
    ),
    "open to findings": (
        "the eager pass, and before it taking the text out of its message: JSON inside JSON has an escape at each "
        "quote, and undoing them takes about one floor by itself, turning the string into bytes a third. The rest is "
        "the pipe."
    ),
    "open to findings, against bare pygls": (
        "bare pygls only receives the text and looks at nothing; see the eager pass. In a file of 10 MB it has less to "
        "pay for its one long string than in one of 100 MB."
    ),
    "append a line": (
        "0.2 ms of it are asking alone (its own row), 0.2 to 0.5 ms the edit and the findings in process: folding the "
        "block around it, of 64 lines or up to twice as many; the rest are three hand-overs between threads."
    ),
    "append a line, as the file grows": "two short walks over the list of blocks, and colder memory.",
    "type in the middle": "as for appending a line.",
    "type in the middle, as the file grows": "as for appending a line.",
    "edit in a long row, over stdio": (
        "the row is copied a few times and decoded twice: once to read it, once to find what fills it."
    ),
    "idle pass without secret": (
        "the JSON of each line is decoded and encoded once, which shows whether a key or an integer was lost."
    ),
    "documentSymbol, first time": (
        "some 30 microseconds a symbol, spread thinly: a quarter is the first words of its record (decoded, masked, "
        "made printable), a seventh the JSON, an eighth what turns took and used, a tenth what the session gathers of "
        "all blocks; the rest is names, ranges and their values. For a long file in a worker thread."
    ),
    "hover elsewhere during the idle pass, p95": (
        "the idle pass looks at a line in at most two steps, and the file has some lines of one to two megabytes."
    ),
    "hover elsewhere during the idle pass, longest": "as above.",
    "hints of a screenful, p95": "the first hints after an edit are among them, which gather what blocks keep.",
    "hover in a record, worst": (
        "a long record is decoded twice (its content, and the key under the cursor), and its text made printable and "
        "masked; near the bar, so that a busy machine is over it."
    ),
    "definition in a record, worst": "a record of 1.5 MB: the value under the cursor is looked for by hopping over it.",
    "check from disk": "the eager pass and the idle rules but for secrets, nearly half each.",
    "check from disk, peak of memory": (
        "each record leaves some 750 bytes behind: where it stands, what it says, its share of the fold; the bar "
        "allows 500."
    ),
}
