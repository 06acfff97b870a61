"""Passes give way to messages, drop what is stale, and are shown and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

from rollout_ls.lsp.calls import Calls
from rollout_ls.lsp.documents import Documents, Opened
from rollout_ls.lsp.framing import Body, Frames
from rollout_ls.lsp.messages import Response, decode
from rollout_ls.lsp.outbox import Outbox
from rollout_ls.lsp.passes import IDLE_PAUSE_SECONDS, Passes
from rollout_ls.lsp.progress import Progress


class Buffer:
    byte_count = 10_000_000


class Fake:
    """A document whose passes take some steps each."""

    def __init__(self, name: str, eager: int, idle: int, log: list[str], seconds: float = 0.0) -> None:
        self.buffer = Buffer()
        self.eager_ready = self.idle_ready = False
        self._name, self._eager, self._idle, self._log, self._seconds = name, eager, idle, log, seconds

    def steps(self) -> Iterator[None]:
        for number in range(self._eager):
            time.sleep(self._seconds)
            self._log.append(f"{self._name} eager {number}")
            yield
        self.eager_ready = True
        yield
        for number in range(self._idle):
            self._log.append(f"{self._name} idle {number}")
            yield
        self.idle_ready = True

    def edited(self) -> None:
        self.eager_ready = self.idle_ready = False


class Desk:
    """Passes over fake documents on a loop."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.log: list[str] = []
        self.documents = Documents()
        self.passes = Passes(
            self.loop,
            lambda opened: self.log.append(f"{opened.uri} read"),
            lambda opened: self.log.append(f"{opened.uri} idle"),
            lambda opened, seconds: None,
        )

    def open(self, name: str, eager: int, idle: int) -> Opened:
        return self.documents.put(name, cast(Any, Fake(name, eager, idle, self.log)))

    def run(self, until: Callable[[], bool], turns: int = 1000, pause: float = 0) -> None:
        for _ in range(turns):
            if until():
                break
            self.loop.run_until_complete(asyncio.sleep(pause))
        assert until()


def test_eager_passes_go_first_and_the_latest_document_before_others() -> None:
    desk = Desk()
    for name in "ab":
        desk.passes.schedule(desk.open(name, 2, 2))
    desk.run(lambda: desk.log[-1:] == ["a idle"])
    assert [entry for entry in desk.log if "eager" in entry] == ["b eager 0", "b eager 1", "a eager 0", "a eager 1"]
    assert desk.log.index("a read") < desk.log.index("b idle 1")
    assert desk.log.count("b read") == desk.log.count("b idle") == 1


def test_who_is_waited_for_goes_before_all() -> None:
    desk = Desk()
    first, second = desk.open("a", 3, 0), desk.open("b", 3, 0)
    done: list[str] = []
    for opened in (first, second):
        desk.passes.schedule(opened)
    first.waiters.append(lambda: done.append("a"))
    desk.run(lambda: bool(done))
    assert desk.log[:4] == ["a eager 0", "a eager 1", "a eager 2", "a read"]


def test_messages_come_through_between_slices() -> None:
    desk = Desk()
    desk.passes.schedule(desk.open("a", 50, 0))
    seen: list[int] = []
    desk.run(lambda: len(desk.log) >= 10)
    desk.loop.call_soon(lambda: seen.append(len(desk.log)))
    desk.run(lambda: bool(seen))
    assert seen[0] < 20


def test_an_edit_makes_the_pass_begin_anew() -> None:
    desk = Desk()
    opened = desk.open("a", 3, 1)
    desk.passes.schedule(opened)
    desk.run(lambda: "a eager 1" in desk.log)
    opened.touched()
    cast(Any, opened.document).edited()
    desk.passes.schedule(opened)
    desk.run(lambda: desk.log[-1:] == ["a read"])
    desk.run(lambda: desk.log[-1:] == ["a idle"], pause=0.01)
    assert desk.log.count("a eager 0") == 2
    assert desk.log.count("a read") == 1


def test_the_idle_pass_waits_for_a_pause_after_an_edit() -> None:
    desk = Desk()
    edited, other = desk.open("a", 1, 3), desk.open("b", 1, 1)
    edited.touched()
    began = time.monotonic()
    for opened in (other, edited):
        desk.passes.schedule(opened)
    desk.run(lambda: {"a read", "b idle"} <= set(desk.log))
    assert not any(entry.startswith("a idle") for entry in desk.log)
    desk.run(lambda: desk.log[-1:] == ["a idle"], pause=0.01)
    assert time.monotonic() - began >= IDLE_PAUSE_SECONDS


def test_a_closed_or_busy_document_is_left_alone() -> None:
    desk = Desk()
    closed, busy = desk.open("a", 3, 0), desk.open("b", 3, 0)
    for opened in (closed, busy):
        desk.passes.schedule(opened)
    busy.busy = True
    desk.passes.drop(closed)
    desk.run(lambda: True, 20)
    assert desk.log == []
    busy.busy = False
    desk.passes.resume()
    desk.run(lambda: "b read" in desk.log)


def test_a_pass_that_fails_lets_go_who_waits() -> None:
    desk = Desk()
    opened = desk.open("a", 3, 0)

    def steps() -> Iterator[None]:
        yield
        raise KeyError("words of the document")

    cast(Any, opened.document).steps = steps
    let_go: list[bool] = []
    opened.waiters.append(lambda: let_go.append(opened.settled))
    desk.passes.schedule(opened)
    desk.run(lambda: bool(let_go))
    assert let_go == [True]
    assert opened.failure


def test_what_is_held_back_keeps_its_order() -> None:
    opened = Desk().open("a", 0, 0)
    done: list[int] = []

    def second() -> None:
        done.append(2)
        opened.busy = True

    opened.busy = True
    for call in (lambda: done.append(1), second, lambda: done.append(3), lambda: done.append(4)):
        opened.in_turn(call)
    assert done == []
    opened.free()
    opened.in_turn(lambda: done.append(5))
    assert done == [1, 2]
    opened.free()
    assert done == [1, 2, 3, 4, 5]


def test_progress_is_shown_late_once_and_can_be_stopped() -> None:
    reading, writing = os.pipe()
    frames = Frames(lambda size: os.read(reading, size))
    outbox = Outbox(writing, lambda: None)
    calls = Calls(outbox)
    stopped: list[Opened] = []
    progress = Progress(calls, stopped.append)
    opened = Desk().open("a", 3, 0)

    def heard() -> Any:
        frame = frames.next()
        assert isinstance(frame, Body)
        return json.loads(frame.data)

    def answer(ident: str, *, error: bool = False) -> None:
        response = decode(
            b'{"jsonrpc":"2.0","id":"%b",%b}' % (ident.encode(), b'"error":{}' if error else b'"result":null')
        )
        assert isinstance(response, Response)
        assert calls.answered(response)

    progress.slice_done(opened, 0.5)
    progress.done(opened)
    progress.slice_done(opened, 1.2)
    progress.slice_done(opened, 1.4)
    created = heard()
    assert created["method"] == "window/workDoneProgress/create"
    token = created["params"]["token"]
    answer(created["id"])
    begun = heard()["params"]
    assert (begun["token"], begun["value"]["kind"], begun["value"]["cancellable"]) == (token, "begin", True)
    progress.cancel("another")
    progress.cancel(token)
    assert heard()["params"] == {"token": token, "value": {"kind": "end"}}
    assert stopped == [opened]
    progress.cancel(token)

    progress.slice_done(opened, 1.2)
    refused = heard()
    answer(refused["id"], error=True)
    progress.done(opened)
    progress.slice_done(opened, 1.2)
    late = heard()
    progress.done(opened)
    answer(late["id"])
    outbox.send(b'"last"')
    assert heard() == "last"
    os.close(writing)
