"""rollout-ls beside two other servers, on the same file: what each needs for the same requests.

They are tools of another kind. Bare pygls keeps a text and finds nothing in it. vscode-json-language-server knows JSON
documents, not rollouts: of a file of lines it reads the first record and reports that more follows, so it gets the same
records a second time as one JSON array. The table says what is paid for what each does, and nothing about how well.
"""

from __future__ import annotations

import pathlib
import shutil
import statistics
import subprocess
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench.client import Client, ServerFailed
from bench.measuring import (
    BARE_SERVER,
    LARGE_FILE,
    SERVER,
    Input,
    Row,
    Side,
    a_place_in_the_middle,
    mebibytes,
    milliseconds,
)

CACHE = pathlib.Path(__file__).resolve().parents[2] / ".benchmarks"
JSON_PACKAGE = "vscode-langservers-extracted@4.10.0"
INSTALL_SECONDS = 180.0
KEYSTROKES = 12
ROUNDS = 3

OURS, BARE, JSON_FILE, JSON_ARRAY = "rollout-ls", "bare pygls", "JSON server, the file", "JSON server, one array"
NAMES = (OURS, BARE, JSON_FILE, JSON_ARRAY)
NOT_DONE = "-"


class Contender(NamedTuple):
    """A server and what it is given. `place` is where a letter is typed and a hover is asked, (line, character)."""

    command: list[str]
    text: bytes
    language: str
    place: tuple[int, int]
    suffix: str
    answers: bool = True
    """Whether it has an outline and hovers."""


def side_by_side(given: Input) -> Iterator[Side | Row]:
    """Open to the first diagnostics, a letter typed to the diagnostics after it, outline, hover, memory."""
    contenders = {
        OURS: Contender(SERVER, given.data, "jsonl", a_place_in_the_middle(given.data), ".jsonl"),
        BARE: Contender(BARE_SERVER, given.data, "jsonl", a_place_in_the_middle(given.data), ".jsonl", False),
    }
    if len(given.data) <= LARGE_FILE:
        command, problem = json_server()
        if command is None:
            yield Row("  vscode-json-language-server was not measured", given.label, problem)
        else:
            row, column = a_place_in_the_middle(given.data)
            contenders[JSON_FILE] = Contender(command, given.data, "json", (row, column), ".json")
            contenders[JSON_ARRAY] = Contender(command, as_array(given.data), "json", (row + 1, column), ".json")
    cells: dict[str, dict[str, str]] = {}
    for name, contender in contenders.items():
        try:
            measured = dict(_measured(contender, given))
        except ServerFailed as error:
            yield Row(f"  {name} did not get through", given.label, str(error)[-60:])
            continue
        for what, cell in measured.items():
            cells.setdefault(what, {})[name] = cell
    for what, row_cells in cells.items():
        yield Side(what, given.label, {name: row_cells.get(name, NOT_DONE) for name in NAMES})


def as_array(data: bytes) -> bytes:
    """The records as one JSON array, each on its row, which is one further down."""
    return b"[\n" + b",\n".join(line for line in data.split(b"\n") if line) + b"\n]\n"


def _measured(contender: Contender, given: Input) -> Iterator[tuple[str, str]]:
    """(what, figure with unit). The memory is that after the first open; opening is the fastest of three, of a large
    file of two."""
    uri = given.path.with_suffix(contender.suffix).as_uri()
    text, language, (row, column) = contender.text, contender.language, contender.place
    with Client(contender.command) as client:
        opens = [client.opened(uri, text, language)]
        client.settle()
        resident, peak = client.memory("VmRSS"), client.memory("VmHWM")
        for _ in range(ROUNDS - 1 if len(text) < LARGE_FILE else 1):
            client.write(client.did_close(uri))
            opens.append(client.opened(uri, text, language))
        yield "open to the first diagnostics", milliseconds(min(opens))
        client.settle()
        start, end = (row, column), (row, column + 1)
        typed = []
        for _ in range(KEYSTROKES // 2):
            typed += [client.changed(uri, start, start, "x"), client.changed(uri, start, end, "")]
        yield "a letter typed to the diagnostics, median", milliseconds(statistics.median(typed))
        if contender.answers:
            client.settle()
            yield "documentSymbol, fastest", milliseconds(_fastest(client, lambda: client.ask_outline(uri)))
            hover = _fastest(client, lambda: client.ask_at("hover", uri, (row, column)))
            yield "hover in the middle, fastest", milliseconds(hover)
        yield "resident memory after open", mebibytes(resident)
        yield "peak of memory on the way", mebibytes(peak)


def _fastest(client: Client, ask: Callable[[], bytes]) -> float:
    return min(client.timed(ask())[0] for _ in range(5))


def json_server() -> tuple[list[str] | None, str]:
    """(the command of vscode-json-language-server, why there is none). Installed from npm at its first use."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None, "no npm here"
    place = CACHE / "json-server"
    program = place / "node_modules" / "vscode-langservers-extracted" / "bin" / "vscode-json-language-server"
    if not program.is_file():
        place.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--prefix", str(place), "--no-audit", "--no-fund", "--ignore-scripts", JSON_PACKAGE]
        try:
            done = subprocess.run(command, capture_output=True, timeout=INSTALL_SECONDS)
        except subprocess.TimeoutExpired:
            return None, "npm took too long"
        if done.returncode or not program.is_file():
            return None, "npm could not install it"
    return [node, str(program), "--stdio"], ""
