"""What is a message, what is not, and under which id a fault is answered."""

from __future__ import annotations

import json

import pytest

from rollout_ls.lsp.messages import Fault, Request, Response, decode


@pytest.mark.parametrize(
    ("body", "echo", "code"),
    [
        ('{"id":1,"method":"m"}', b"1", -32600),
        ('{"jsonrpc":"1.0","id":"a","method":"m"}', b'"a"', -32600),
        ('{"jsonrpc":2.0,"id":1,"method":"m"}', b"1", -32600),
        ('{"jsonrpc":"2.0","id":1,"method":5}', b"1", -32600),
        ('{"jsonrpc":"2.0","id":1,"method":null}', b"1", -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"m"}', b"null", -32600),
        ('{"jsonrpc":"2.0","id":1.5,"method":"m"}', b"null", -32600),
        ('{"jsonrpc":"2.0","id":true,"method":"m"}', b"null", -32600),
        ('{"jsonrpc":"2.0","id":{},"method":"m"}', b"null", -32600),
        ('{"jsonrpc":"2.0"}', b"null", -32600),
        ("{}", b"null", -32600),
        ("[]", b"null", -32600),
        ('[{"jsonrpc":"2.0","id":1,"method":"m"}]', b"null", -32600),
        ("5", b"null", -32600),
        ('"text"', b"null", -32600),
        ("null", b"null", -32600),
    ],
)
def test_a_fault_has_its_code_and_id(body: str, echo: bytes, code: int) -> None:
    fault = decode(body.encode())
    assert isinstance(fault, Fault)
    assert (fault.echo, fault.code) == (echo, code)


@pytest.mark.parametrize("ident", ["0", "-7", '"a"', '""', '"\\u00e9"', "123456789012345678901234567890"])
def test_an_id_is_echoed_as_it_came(ident: str) -> None:
    found = decode(f'{{"jsonrpc":"2.0","id":{ident},"method":"m","params":[1]}}'.encode())
    assert isinstance(found, Request)
    assert (found.echo, found.params) == (ident.encode(), b"[1]")


def test_half_surrogates_outside_of_texts_do_not_cost_the_message() -> None:
    found = decode(rb'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\ud83d \\ud83d \ud83d\ude00"}}')
    assert isinstance(found, Request)
    assert found.params == rb'{"a":"\ufffd \\ud83d \ud83d\ude00"}'


def test_an_answer_is_told_from_a_request() -> None:
    found = decode(b'{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"no"}}')
    assert found == Response("x", b"", b'{"code":1,"message":"no"}')


@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}"), ('[{"a":[1,', "]}]")])
def test_what_nests_too_deeply_for_a_decoder_costs_only_itself(opening: str, closing: str) -> None:
    deep = opening * 50_000 + "1" + closing * 50_000
    params = f'{{"deep":{deep},"uri":"x","at":{{"line":[3]}}}}'
    found = decode(f'{{"jsonrpc":"2.0","id":7,"method":"m","params":{params}}}'.encode())
    assert isinstance(found, Request)
    read = json.loads(found.params)
    assert (found.id, read["uri"], read["at"]) == (7, "x", {"line": [3]})
