"""A client that does not read costs bounded memory, and every request still has one answer."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from rollout_ls.lsp import outbox
from rollout_ls.lsp.framing import Body, Frames, LongBody
from rollout_ls.lsp.messages import Request
from rollout_ls.lsp.outbox import Outbox, call_message, error_message, result_message
from rollout_ls.lsp.requests import Requests


class Pipe:
    """The two ends of a pipe with an outbox at one of them."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.broken = threading.Event()
        self.outbox = Outbox(self.writing, self.broken.set)

    def messages(self, count: int) -> list[Any]:
        """Reads that many messages."""
        frames = Frames(lambda size: os.read(self.reading, size))
        found = []
        for _ in range(count):
            frame = frames.next()
            data = frame.data if isinstance(frame, Body) else b""
            if isinstance(frame, LongBody):
                data = b"".join(frame.pieces)
            found.append(json.loads(data))
        return found


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    os.close(made.writing)


def request(ident: int) -> Request:
    return Request(ident, b"%d" % ident, "m", b"", [])


def test_messages_come_in_order(pipe: Pipe) -> None:
    pipe.outbox.answer(b"1", result_message(b"1", b"[1]"))
    pipe.outbox.answer(b'"a"', error_message(b'"a"', -5, "né", {"x": 1}))
    pipe.outbox.send(call_message("m", b"{}"))
    pipe.outbox.send(call_message("m", None, b'"r"'))
    assert pipe.messages(4) == [
        {"jsonrpc": "2.0", "id": 1, "result": [1]},
        {"jsonrpc": "2.0", "id": "a", "error": {"code": -5, "message": "né", "data": {"x": 1}}},
        {"jsonrpc": "2.0", "method": "m", "params": {}},
        {"jsonrpc": "2.0", "id": "r", "method": "m"},
    ]


def test_only_the_newest_of_what_may_be_replaced_waits(pipe: Pipe) -> None:
    pipe.outbox.send(b'"%b"' % (b"x" * 3_000_000))  # fills the pipe
    time.sleep(0.1)
    for number in range(1000):
        pipe.outbox.send(b'{"a":%d}' % number, replaces="a")
        pipe.outbox.send(b'{"b":%d}' % number, replaces="b")
    assert pipe.outbox.queued_bytes < 100
    assert pipe.messages(3)[1:] == [{"a": 999}, {"b": 999}]
    pipe.outbox.send(b'{"a":5}', replaces="a")
    assert pipe.messages(1) == [{"a": 5}]


def test_what_waits_is_bounded_and_still_answered(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MAX_QUEUED_BYTES", 1_000_000)
    large = result_message(b"1", b'"%b"' % (b"x" * 100_000))
    for _ in range(100):
        pipe.outbox.answer(b"1", large)
    assert pipe.outbox.queued_bytes < 1_100_000
    answers = pipe.messages(100)
    refused = [answer for answer in answers if "error" in answer]
    assert 80 <= len(refused) <= 95
    assert {answer["error"]["code"] for answer in refused} == {-32803}


def test_a_broken_pipe_is_told_once_and_stops_nothing() -> None:
    pipe = Pipe()
    os.close(pipe.reading)
    pipe.outbox.send(b"{}")
    assert pipe.broken.wait(5)
    pipe.outbox.send(b"{}")
    pipe.outbox.flush(5)
    assert pipe.outbox.queued_bytes == 0
    os.close(pipe.writing)


def test_flushing_a_full_pipe_ends(pipe: Pipe) -> None:
    pipe.outbox.send(b"x" * 3_000_000)
    began = time.monotonic()
    pipe.outbox.flush(0.2)
    assert 0.15 < time.monotonic() - began < 2
    frame = Frames(lambda size: os.read(pipe.reading, size)).next()
    assert isinstance(frame, LongBody)
    assert sum(map(len, frame.pieces)) == 3_000_000


def test_the_first_answer_counts(pipe: Pipe) -> None:
    requests = Requests(pipe.outbox, lambda *_: None)
    ticket = requests.begin(request(1))
    assert ticket is not None
    assert requests.begin(request(1)) is None
    requests.cancel(1)
    requests.cancel(1)
    requests.answer(ticket, [1])
    requests.fail(ticket, -1, "late")
    again = requests.begin(request(1))
    assert again is not None
    requests.answer(again, {"a": None})
    assert len(requests) == 0
    answers = pipe.messages(3)
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32600, -32800, None]
    assert answers[2]["result"] == {"a": None}


def test_what_cannot_be_written_is_an_error(pipe: Pipe) -> None:
    requests = Requests(pipe.outbox, lambda *_: None)
    ticket = requests.begin(request(7))
    assert ticket is not None
    requests.answer(ticket, object())
    (answer,) = pipe.messages(1)
    assert (answer["id"], answer["error"]["code"]) == (7, -32603)


def test_many_threads_give_one_answer_each(pipe: Pipe) -> None:
    requests = Requests(pipe.outbox, lambda *_: None)
    tickets = [requests.begin(request(number)) for number in range(500)]

    def finish() -> None:
        for ticket in tickets:
            assert ticket is not None
            requests.answer(ticket, None)

    def cancel() -> None:
        for number in range(500):
            requests.cancel(number)

    threads = [threading.Thread(target=target) for target in (finish, cancel, finish)]
    for thread in threads:
        thread.start()
    answers = pipe.messages(500)
    for thread in threads:
        thread.join()
    assert sorted(answer["id"] for answer in answers) == list(range(500))
    pipe.outbox.flush(1)
    assert pipe.outbox.queued_bytes == 0
