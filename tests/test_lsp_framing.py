"""Frames of whatever bytes come: nothing healthy is lost to what is broken beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.lsp.framing import MAX_BODY_BYTES, Body, Frames, LongBody, TooLarge
from rollout_ls.lsp.messages import Fault, Message, Notification, Request, read_messages


def reader(data: bytes, sizes: Iterator[int] | None = None) -> Callable[[int], bytes]:
    left = data

    def read(limit: int) -> bytes:
        nonlocal left
        size = min(limit, next(sizes, limit) if sizes is not None else limit)
        piece, left = left[:size], left[size:]
        return piece

    return read


def frame(body: bytes, length: int | None = None) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body


def request(ident: int, method: str = "m") -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"%b","params":{}}' % (ident, method.encode())


def messages(data: bytes) -> list[Message]:
    return list(read_messages(Frames(reader(data))))


def ids(data: bytes) -> list[int | str]:
    return [message.id for message in messages(data) if isinstance(message, Request)]


BODY = request(1)
AFTER = frame(request(2))


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: %d\r\n\r\n",
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length :  %d  \r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        b"X-Content-Length: 5\r\nContent-Length: %d\r\nX-Other: a: b\r\n\r\n",
        b"Content-Length: 7\r\nContent-Length: %d\r\n\r\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
        b"no header at all\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: -4\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: nine\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\nContent-Length: %d\r\n\r\n",
        b"some rubbish {}\x00\xffContent-Length: %d\r\n\r\n",
        b"x" * 100_000 + b"Content-Length: %d\r\n\r\n",
    ],
)
def test_any_header_is_read(head: bytes) -> None:
    assert ids(head % len(BODY) + BODY + AFTER) == [1, 2]


@pytest.mark.parametrize("off", [*range(1, 24), 40])
def test_a_length_that_is_too_small_costs_nothing(off: int) -> None:
    assert ids(frame(BODY, len(BODY) - off) + AFTER) == [1, 2]


@pytest.mark.parametrize("off", [*range(1, 40), len(AFTER) - 1, len(AFTER), len(AFTER) + 5])
def test_a_length_that_is_too_large_costs_nothing(off: int) -> None:
    third = frame(request(3))
    assert ids(frame(BODY, len(BODY) + off) + AFTER + third) == [1, 2, 3]


def test_bytes_may_come_one_by_one() -> None:
    data = frame(BODY, len(BODY) - 3) + frame(request(2), len(BODY) + 3) + frame(request(3)) + frame(request(4))
    frames = Frames(reader(data, iter(lambda: 1, 0)))
    found = [message.id for message in read_messages(frames) if isinstance(message, Request)]
    assert found[-2:] == [3, 4]


@pytest.mark.parametrize("body", [b"", b"{", b"nonsense", b'{"jsonrpc":"2.0","id":1,', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_is_answered_and_passed_over(body: bytes) -> None:
    fault, after = messages(frame(body) + AFTER)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.echo) == (-32700, b"null")
    assert isinstance(after, Request)


@pytest.mark.parametrize("length", [MAX_BODY_BYTES + 1, 10**19, 10**79])
def test_more_than_a_gibibyte_is_not_read(length: int) -> None:
    frames = Frames(reader(b"Content-Length: %d\r\n\r\n" % length + b'{"a":1}' + AFTER))
    assert frames.next() == TooLarge(length)
    assert isinstance(frames.next(), Body)
    assert frames.next() is None


def test_a_long_body_comes_in_pieces() -> None:
    body = b"x" * 3_000_000
    frames = Frames(reader(frame(body) + AFTER, iter(lambda: 65_536, 0)))
    found = frames.next()
    assert isinstance(found, LongBody)
    pieces = list(found.pieces)
    assert b"".join(pieces) == body
    assert max(map(len, pieces)) <= 1 << 20
    assert isinstance(frames.next(), Body)


@pytest.mark.parametrize("data", [b"", b"Content-Len", b"Content-Length: 5\r\n", b"Content-Length: 5\r\n\r\n123"])
def test_the_end_may_come_anywhere(data: bytes) -> None:
    assert messages(data) == []


@given(st.lists(st.binary(max_size=60), max_size=4))
def test_a_message_is_found_behind_any_rubbish(rubbish: list[bytes]) -> None:
    data = b"".join(rubbish) + b"\n\r\n"
    assert ids(frame(b"{}") + data + frame(request(7)) + frame(request(8)))[-1] == 8


def test_notifications_and_answers_are_told_apart() -> None:
    (one,) = messages(frame(b'{"jsonrpc":"2.0","method":"initialized","params":{}}'))
    assert one == Notification("initialized", b"{}", [])
