"""What leaves the process has the protocol's shape: names, numbers, and nothing that a client did not ask for."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rollout_ls.features.folding import Fold
from rollout_ls.features.symbol import Symbol
from rollout_ls.rules.finding import Finding, Related
from rollout_ls.text.buffer import Buffer
from rollout_ls.text.rows import Place
from rollout_ls.wire.lsp import (
    DocumentHighlight,
    FullReport,
    HoverAnswer,
    MarkupContent,
    PublishDiagnosticsParams,
    Telling,
    UnchangedReport,
    diagnostics,
    encode,
    folding_ranges,
    record_link,
)
from rollout_ls.wire.outline import Drawing, document_symbols, symbol_information
from rollout_ls.wire.positions import NOWHERE
from rollout_ls.wire.reading import text_json

BUFFER = Buffer(["{é: 1}\n".encode(), b"{b: 2}\n", b"{c: 3}\n"])
LINES = list(BUFFER)
URI = "file:///a.jsonl"


def span(first: int, start: int, last: int, end: int) -> dict[str, Any]:
    return {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}


def written(value: object) -> Any:
    return json.loads(encode(value))


def test_a_diagnostic_says_what_the_client_takes() -> None:
    finding = Finding("bad-json", "error", Place(LINES[0], 1, 3), "no", (Related(Place(LINES[1], 0, 1), "there"),))
    full = Telling("utf-16", True, lambda code: f"file:///docs/{code}.md")
    assert written(diagnostics([finding], URI, BUFFER, full)) == [
        {
            "range": span(0, 1, 0, 2),
            "severity": 1,
            "code": "bad-json",
            "message": "no",
            "source": "rollout",
            "codeDescription": {"href": "file:///docs/bad-json.md"},
            "relatedInformation": [{"location": {"uri": URI, "range": span(1, 0, 1, 1)}, "message": "there"}],
        }
    ]
    assert written(diagnostics([finding], URI, BUFFER, Telling("utf-8"))) == [
        {"range": span(0, 1, 0, 3), "severity": 1, "code": "bad-json", "message": "no", "source": "rollout"}
    ]


def test_reports_say_their_kind() -> None:
    assert written(FullReport("1.1.1", [])) == {"kind": "full", "resultId": "1.1.1", "items": []}
    assert written(UnchangedReport("1.1.1")) == {"kind": "unchanged", "resultId": "1.1.1"}
    assert written(PublishDiagnosticsParams(URI, ())) == {"uri": URI, "diagnostics": []}
    assert written(PublishDiagnosticsParams(URI, (), 0)) == {"uri": URI, "diagnostics": [], "version": 0}


def symbol() -> Symbol:
    child = Symbol("reasoning", "", "Null", LINES[1], LINES[1], Place(LINES[2], 0, 3), (), True)
    return Symbol("Turn 1", "completed", "Namespace", LINES[0], LINES[1], Place(LINES[0], 0, 3), (child,))


def test_the_outline_is_a_tree_whose_selections_lie_within() -> None:
    drawing = Drawing("utf-16", frozenset(range(1, 27)), tags=True)
    assert written(document_symbols([symbol()], BUFFER, drawing)) == [
        {
            "name": "Turn 1",
            "detail": "completed",
            "kind": 3,
            "range": span(0, 0, 1, 6),
            "selectionRange": span(0, 0, 0, 2),
            "children": [
                {
                    "name": "reasoning",
                    "kind": 21,
                    "tags": [1],
                    "range": span(1, 0, 1, 6),
                    "selectionRange": span(1, 6, 1, 6),
                }
            ],
        }
    ]


def test_a_client_that_knows_less_gets_a_flat_list_of_kinds_it_knows() -> None:
    assert written(symbol_information([symbol()], URI, BUFFER, Drawing("utf-16"))) == [
        {"name": "Turn 1", "kind": 3, "location": {"uri": URI, "range": span(0, 0, 1, 6)}},
        {
            "name": "reasoning",
            "kind": 15,
            "containerName": "Turn 1",
            "deprecated": True,
            "location": {"uri": URI, "range": span(1, 0, 1, 6)},
        },
    ]


def test_folds_of_one_row_are_none_and_the_longest_stay() -> None:
    folds = [Fold(LINES[1], LINES[2]), Fold(LINES[0], LINES[2], "region"), Fold(LINES[1], LINES[1])]
    assert written(folding_ranges(folds, BUFFER)) == [
        {"startLine": 0, "endLine": 2, "kind": "region"},
        {"startLine": 1, "endLine": 2},
    ]
    assert written(folding_ranges(folds, BUFFER, 1)) == [{"startLine": 0, "endLine": 2, "kind": "region"}]


def test_a_jump_shows_the_record_and_selects_the_place() -> None:
    link = record_link(Place(LINES[0], 1, 3), Place(LINES[2], 1, 2), URI, BUFFER, "utf-16")
    assert written(link) == {
        "targetUri": URI,
        "targetRange": span(2, 0, 2, 6),
        "targetSelectionRange": span(2, 1, 2, 2),
        "originSelectionRange": span(0, 1, 0, 2),
    }


def test_no_half_surrogate_goes_out() -> None:
    answer = HoverAnswer(MarkupContent("plaintext", "a\ud83db"), NOWHERE)
    assert written(answer)["contents"] == {"kind": "plaintext", "value": "a\ufffdb"}
    assert written({"\udc00": ["\udc00", 1, None]}) == {"\ufffd": ["\ufffd", 1, None]}


def test_a_highlight_is_text() -> None:
    assert written(DocumentHighlight(NOWHERE)) == {"range": span(0, 0, 0, 0), "kind": 1}


@given(
    st.lists(st.sampled_from([b"x", b"\n", b"\xff", "🍵".encode(), b'"', b"\\", b"\r\n", b"\xe2\x80"]), max_size=40),
    st.integers(1, 9),
    st.integers(0, 80),
)
def test_a_text_in_pieces_is_its_json_or_its_first_whole_lines(parts: list[bytes], size: int, most: int) -> None:
    data = b"".join(parts)
    text = data.decode("utf-8", "replace")
    written, whole = text_json((data[at : at + size] for at in range(0, len(data), size)), most)
    given_back = json.loads(written)
    assert text.startswith(given_back)
    assert whole == (given_back == text) or (not whole and text.endswith("\n"))
    if not whole:
        assert len(written) - 2 <= most and given_back[-1:] in ("", "\n")
