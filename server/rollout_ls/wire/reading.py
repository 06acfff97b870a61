"""The shapes of readable documents, of the turns of a session, and of one document's state. Written by msgspec."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from rollout_ls.wire.lsp import encode
from rollout_ls.wire.positions import Range

if TYPE_CHECKING:
    from rollout_ls.projection.session import Session

_THREAD = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,79}")
"""Ids that may stand in a command line as they are."""


class PageText(msgspec.Struct, frozen=True):
    """A readable document (LSP 3.18, TextDocumentContentResult); ``language`` for clients that ask without it."""

    text: str | msgspec.Raw
    language: str


def text_json(pieces: Iterable[bytes], most: int) -> tuple[bytes, bool]:
    """(a text as a JSON string, whether it is all of it): its first whole lines where all would be over ``most`` bytes.

    Written piece by piece: one call over a text of hundreds of megabytes would hold up all other threads.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    done: list[bytes] = []
    line: list[bytes] = []
    left = most
    for piece in pieces:
        head, end, tail = decoder.decode(piece).rpartition("\n")
        for text, ends in ((head + end, True), (tail, False)):
            line.append(encode(text)[1:-1])
            left -= len(line[-1])
            if left < 0:
                return b'"%b"' % b"".join(done), False
            if ends and text:
                done += line
                line = []
    return b'"%b%b"' % (b"".join([*done, *line]), encode(decoder.decode(b"", True))[1:-1]), True


class PageAddress(msgspec.Struct, frozen=True):
    """Where a readable document is."""

    uri: str


class TurnRow(msgspec.Struct, frozen=True, rename="camel"):
    """A turn to pick. ``line`` and ``end_line`` are rows from 0; ``read`` is the address of its readable document."""

    number: int | None
    name: str
    detail: str
    line: int
    end_line: int
    read: str


class Story(msgspec.Struct, frozen=True, rename="camel"):
    """A session's turns, and what one copies of it. ``uri`` is the rollout's, ``read`` that of the readable session."""

    uri: str
    read: str
    thread_id: str | None
    resume: str | None
    turns: list[TurnRow]


class Spot(msgspec.Struct, frozen=True):
    """Where a step leads."""

    uri: str
    range: Range


class DocumentStatus(msgspec.Struct, frozen=True):
    """How one document is: ``records`` and ``turns`` are None while it is read; ``limits`` are those reached."""

    state: str
    bytes: int
    limits: list[str]
    records: int | None = None
    turns: int | None = None


def story_of(session: Session, uri: str, read: str, read_turn: Callable[[str], str]) -> Story:
    """A session's turns. ``read_turn`` gives the address of a turn by its key."""
    from rollout_ls.features.readable import turn_keys  # not needed before the first document is there
    from rollout_ls.features.words import turn_detail, turn_name

    header = session.header
    thread = header.thread_id if header is not None and _THREAD.fullmatch(header.thread_id) else None
    row_of = session.buffer.row_of
    turns = [
        TurnRow(
            turn.number,
            turn_name(session, turn),
            turn_detail(session, turn),
            row_of(turn.start.start.line),
            row_of(turn.last),
            read_turn(key),
        )
        for key, turn in zip(turn_keys(session), session.turns, strict=True)
    ]
    return Story(uri, read, thread, f"codex resume {thread}" if thread is not None else None, turns)
