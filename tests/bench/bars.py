"""All bars by name, in the order in which they are run and printed, and what each is given."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench import disk, inside, side, stdio
from bench.measuring import Input, Row, Side


class Bars(NamedTuple):
    """Some bars under one name. One of the four works is set: `alone` needs no file, `each` is done for each file,
    `together` compares files, `on_disk` is given a label and a path."""

    name: str
    alone: Callable[[], Iterator[Row]] | None = None
    each: Callable[[Input], Iterator[Row | Side]] | None = None
    together: Callable[[list[Input]], Iterator[Row]] | None = None
    on_disk: Callable[[str, pathlib.Path], Iterator[Row]] | None = None
    smallest_only: bool = False
    """Of several files only the first is measured: the figure does not depend on the file's size."""


ALL = (
    Bars("start", alone=stdio.start),
    Bars("eager", each=inside.eager),
    Bars("idle", each=inside.idle),
    Bars("open", each=stdio.open_to_findings),
    Bars("edits", together=stdio.edits),
    Bars("long-row", alone=inside.long_rows),
    Bars("long-row-stdio", alone=stdio.long_rows),
    Bars("memory", each=stdio.memory),
    Bars("meanwhile", each=stdio.answers_meanwhile),
    Bars("outline", each=stdio.outline),
    Bars("records", each=stdio.records),
    Bars("sight", each=stdio.sight),
    Bars("check", on_disk=disk.check),
    Bars("growth", each=stdio.growth, smallest_only=True),
    Bars("side", each=side.side_by_side),
)
BY_NAME = {bars.name: bars for bars in ALL}
