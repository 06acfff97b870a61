"""What is odd in a record that reads well: arguments that are no JSON, values that a strict endpoint refuses on replay,
token counts that contradict each other.

Facts with places, no codes. Costs nothing for the kinds that have none of it; never shows a value.
"""

from __future__ import annotations

from typing import Any

from rollout_ls.formats.codex.shape import ShapeFault
from rollout_ls.formats.statement import Call, Compaction, Message, Reasoning, Result, Statement, Tokens, Usage
from rollout_ls.jsonl.spans import Path, find
from rollout_ls.jsonl.strings import inner_json_fault

USUAL_SEAL = "gAAAA"
"""How encrypted values begin that the service itself issued (Fernet tokens)."""


def remarks_on(statement: Statement, payload: Any, text: bytes, base: int) -> tuple[ShapeFault, ...]:
    """Remarks on one record: its statement, its payload (typed or a view) and its bytes at ``base`` of the line."""
    kind = type(statement)
    if kind is Call:
        return _arguments(statement, payload, text, base) if statement.bad_arguments else ()  # type: ignore[attr-defined]
    if kind is Usage:
        return _usage(statement, text, base)  # type: ignore[arg-type]
    if kind is Reasoning and statement.stream == "item":  # type: ignore[attr-defined]
        return (*_raw_reasoning(payload, text, base), *_seal(payload, text, base))
    if statement.sealed and kind in (Compaction, Message, Result):
        return _seal(payload, text, base)
    return ()


def _arguments(call: Statement, payload: Any, text: bytes, base: int) -> tuple[ShapeFault, ...]:
    fault = inner_json_fault(payload.arguments)
    span = _find(text, "arguments", base)
    if fault is None or span is None:
        return ()
    message = f"The arguments are not JSON: {fault.what}."
    return (ShapeFault("bad-arguments", ("payload", "arguments"), span.start, span.end, message),)


def _raw_reasoning(payload: Any, text: bytes, base: int) -> tuple[ShapeFault, ...]:
    content = payload.content
    if not isinstance(content, list) or not content:
        return ()
    span = _find(text, "content", base)
    if span is None:
        return ()
    count = f"{len(content)} entry" if len(content) == 1 else f"{len(content)} entries"
    message = f"The reasoning has raw content ({count}); strict endpoints accept none when the history is sent again."
    return (ShapeFault("raw-reasoning", ("payload", "content"), span.key_start, span.start + 1, message),)


def _seal(payload: Any, text: bytes, base: int) -> tuple[ShapeFault, ...]:
    value = getattr(payload, "encrypted_content", None)
    if not isinstance(value, str) or not value or value.startswith(USUAL_SEAL):
        return ()
    prefix, colon, _ = value[:16].partition(":")
    if not colon or not prefix.isalnum():
        return ()
    span = _find(text, "encrypted_content", base)
    if span is None:
        return ()
    end = span.start + 1 + len(prefix) + 1
    message = f"The encrypted value has the foreign prefix `{prefix}:`; only who issued it can read it."
    return (ShapeFault("foreign-seal", ("payload", "encrypted_content"), span.start, end, message),)


def _usage(usage: Usage, text: bytes, base: int) -> tuple[ShapeFault, ...]:
    checks: list[tuple[Path, Tokens | None]] = []
    if usage.per_response:
        checks.append((("payload", "usage"), usage.last))
    else:
        checks.append((("payload", "info", "total_token_usage"), usage.total))
        checks.append((("payload", "info", "last_token_usage"), usage.last))
    faults = []
    for path, tokens in checks:
        if tokens is None or tokens.is_estimate:
            continue
        found = _contradiction(tokens)
        if found is None:
            continue
        span = find(text, (*path, found[0]), base)
        if span is not None:
            faults.append(ShapeFault("odd-usage", (*path, found[0]), span.key_start, span.end, found[1]))
            break
    return tuple(faults)


def _contradiction(tokens: Tokens) -> tuple[str, str] | None:
    if tokens.cached_input > tokens.input:
        return (
            "cached_input_tokens",
            f"cached_input_tokens ({tokens.cached_input}) exceed input_tokens ({tokens.input}), "
            "of which they are a part.",
        )
    if tokens.reasoning_output > tokens.output:
        return (
            "reasoning_output_tokens",
            f"reasoning_output_tokens ({tokens.reasoning_output}) exceed output_tokens ({tokens.output}), "
            "of which they are a part.",
        )
    if tokens.total != tokens.input + tokens.output:
        return (
            "total_tokens",
            f"total_tokens ({tokens.total}) is not input_tokens + output_tokens ({tokens.input + tokens.output}).",
        )
    return None


def _find(text: bytes, key: str, base: int) -> Any:
    return find(text, ("payload", key), base) or find(text, (key,), base)
