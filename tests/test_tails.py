"""A file that grows: whatever part of its last record is there, nothing worse than that is said of it."""

from __future__ import annotations

import pytest

from rollout_ls.workspace.document import Document
from rollouts import Rollout, turn_id

ENVELOPED = '{"timestamp":"2026-07-20T10:00:09.000Z"'


def found(data: bytes) -> list[tuple[str, str]]:
    """(code, severity) of all findings of a file with these bytes."""
    made = Document("file:///rollout-2026-07-20T10-00-00-x.jsonl", None, [data], on_disk=True)
    return [(one.code, one.severity) for one in made.finish()]


def session(*, paginated: bool = False) -> bytes:
    rollout = Rollout(paginated=paginated)
    rollout.start(turn_id(1))
    return b"\n".join(rollout.lines) + b"\n"


@pytest.mark.parametrize(
    "record",
    [
        ENVELOPED + ',"type":"event_msg","payload":{"type":"user_message","message":"größe 漢字 😀 \\ud83d\\ude00"}}',
        ENVELOPED + ',"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":null,"x":-1.5e3}}',
        ENVELOPED + ',"type":"nobody knows","payload":[null,true,false,{"a":[]}]}',
        ENVELOPED + ', "type" : "compacted" , "payload" : { "message" : "\\u00e4\\n" } }',
    ],
)
@pytest.mark.parametrize("paginated", [False, True])
def test_every_beginning_of_a_last_record_is_information(record: str, paginated: bool) -> None:
    before, data = session(paginated=paginated), record.encode()
    assert found(before) == []
    for length in range(1, len(data)):
        assert found(before + data[:length]) == [("truncated-tail", "information")], data[:length]
    assert ("no-final-newline", "hint") in found(before + data)


def test_a_character_that_stops_in_the_middle_of_a_file_is_damage() -> None:
    data = (ENVELOPED + ',"type":"event_msg","payload":{"type":"agent_message","message":"漢').encode()[:-1]
    assert ("bad-utf8", "error") in found(session() + data + b"\n")
    assert ("bad-utf8", "error") in found(session() + data + b'"}}')


def test_a_complete_last_record_lacks_its_line_end_whatever_stands_before_it() -> None:
    record = (ENVELOPED + ',"type":"event_msg","payload":{"type":"agent_message","message":"x"}}').encode()
    hint = ("no-final-newline", "hint")
    assert found(session() + record + record) == [hint, ("concatenated", "error")]
    assert found(session() + record[:50] + record) == [("bad-json", "error"), hint]
    assert found(session() + record + b"\0" * 9) == [("nul-bytes", "warning")]


def test_a_mark_inside_the_file_is_no_mark_of_its_beginning() -> None:
    record = (ENVELOPED + ',"type":"event_msg","payload":{"type":"agent_message","message":"x"}}\n').encode()
    assert found(session() + b"\xef\xbb\xbf" + record) == [("bad-json", "error")]
    assert found(b"\xef\xbb\xbf" + session()) == [("bom", "error")]


def test_the_line_end_makes_no_line_huge() -> None:
    head, foot = ENVELOPED + ',"type":"event_msg","payload":{"type":"agent_message","message":"', '"}}'
    for size, codes in ((600_000, []), (600_001, ["huge-line"])):
        record = head + "w" * (size - len(head) - len(foot)) + foot
        assert [code for code, _ in found(session() + record.encode() + b"\r\n")] == codes
