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
}
