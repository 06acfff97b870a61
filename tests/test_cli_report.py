"""Findings as they are written out: lines and columns from 1, UTF-16 units, byte offsets."""

from __future__ import annotations

import json

from rollout_ls.rules.finding import Finding, Related
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Place, line_of
from rollout_ls.wire.report import concise_line, finding_rows, json_array, json_line


def test_a_finding_as_a_line_of_json() -> None:
    buffer = Buffer(['{"a":"😀é"}\n'.encode(), b'{"b":1}\n'])
    first, second = buffer
    late = Finding("shape", "error", Place(second, 5, 6), "b is\nwrong", (Related(Place(first, 0, 1), "the first"),))
    early = Finding("unknown-type", "information", Place(first, 5, 13), "new")
    rows = finding_rows("x.jsonl", buffer, [late, early])
    assert [row.code for row in rows] == ["unknown-type", "shape"]
    assert (rows[0].line, rows[0].column, rows[0].end_line, rows[0].end_column, rows[0].byte) == (1, 6, 1, 11, 5)
    assert json.loads(json_line(rows[1])) == {
        "path": "x.jsonl",
        "line": 2,
        "column": 6,
        "end_line": 2,
        "end_column": 7,
        "byte": 20,
        "severity": "error",
        "code": "shape",
        "message": "b is wrong",
        "related": [{"path": "x.jsonl", "line": 1, "column": 1, "message": "the first"}],
    }
    assert concise_line(rows[1]) == "x.jsonl:2:6: error[shape] b is wrong"


def test_rows_are_those_of_an_editor() -> None:
    buffer = Buffer([b'{"a":1,\r"b":2}\n'])
    (line,) = buffer
    (row,) = finding_rows("x", buffer, [Finding("shape", "error", Place(line, 8, 11), "")])
    assert (row.line, row.column, row.end_line, row.end_column, row.byte) == (2, 1, 2, 4, 8)


def test_an_empty_file_has_a_first_line() -> None:
    (row,) = finding_rows("x", Buffer(), [Finding("empty-file", "warning", Place(line_of(b""), 0, 0), "")])
    assert (row.line, row.column, row.end_line, row.end_column, row.byte) == (1, 1, 1, 1, 0)


def test_messages_show_no_secret() -> None:
    buffer = Buffer([b"{}\n"])
    (line,) = buffer
    (row,) = finding_rows("x", buffer, [Finding("shape", "error", Place(line, 0, 1), "found sk-" + "a1" * 12)])
    assert row.message == "found sk-•••"


def test_an_array_of_all() -> None:
    buffer = Buffer([b"{}\n"])
    (line,) = buffer
    rows = finding_rows("x", buffer, [Finding("shape", "error", Place(line, 0, 1), "")] * 2)
    assert len(json.loads(b"".join(json_array(rows)))) == 2
    assert json.loads(b"".join(json_array([]))) == []


def test_a_byte_order_mark_is_no_column() -> None:
    buffer = Buffer([b'\xef\xbb\xbf{"a":1}\n'])
    (line,) = buffer
    mark, value = finding_rows(
        "x", buffer, [Finding("bom", "error", Place(line, 0, 3), ""), Finding("shape", "error", Place(line, 8, 9), "")]
    )
    assert (mark.column, mark.end_column, mark.byte) == (1, 2, 0)
    assert (value.column, value.end_column, value.byte) == (6, 7, 8)
