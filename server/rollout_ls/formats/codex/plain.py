"""Small helpers for reading what a typed record or a lenient view holds, whatever it is.

Exists so that the readers of content share them. Never raises, and never hands out encrypted values or image data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import orjson

from rollout_ls.formats.codex import types

_HIDDEN_KEYS = ("encrypted_content", "image_url", "imageUrl", "audio_url", "audioUrl", "result", "data", "blob")
_OPAQUE_SIGNS = (b";base64,", b'"encrypted_content": "', b'"data": "', b'"result": "', b'"blob": "')
"""What stands in a text as ``pretty`` lays it out where something may have to be left out."""
_MAX_DEPTH = 60
_LONG_DATA = 2000
_BASE64_IMAGES = {"iVBORw0K": "image/png", "/9j/4AAQ": "image/jpeg", "R0lGODlh": "image/gif", "UklGR": "image/webp"}


def text(value: Any) -> str:
    """The text of a string field, empty where it is none."""
    return types.text_of(value) or ""


def items(value: Any) -> Iterable[Any]:
    """The elements of an array, none of anything else."""
    return value if isinstance(value, list | tuple) else ()


def get(value: Any, name: str) -> Any:
    """A member of a plain object or an attribute of a typed one; None where there is none."""
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def facts(*pairs: tuple[str, Any]) -> tuple[tuple[str, str], ...]:
    """Named values as text, without those that are not there."""
    return tuple((name, _fact(value)) for name, value in pairs if value not in (None, "", (), []))


def _fact(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else str(value)


def plain(value: Any) -> Any:
    """Plain Python values of whatever a typed field holds."""
    if isinstance(value, msgspec.Raw):
        try:
            return orjson.loads(memoryview(value))
        except orjson.JSONDecodeError:
            return None
    if type(value) is types.View:
        return {key: plain(one) for key, one in value.view_values().items() if one is not None}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return _plain_dict(value)
    try:
        return msgspec.to_builtins(value)
    except (TypeError, ValueError):
        pass
    try:
        return orjson.loads(msgspec.json.encode(value))  # what is left undecoded inside a struct
    except (TypeError, ValueError, RecursionError):
        return value


def _plain_dict(value: dict[str, Any]) -> Any:
    try:
        return orjson.loads(msgspec.json.encode(value))  # at once where it holds nothing but undecoded and plain values
    except (TypeError, ValueError, RecursionError):
        return {key: plain(one) for key, one in value.items()}


def known(value: Any) -> Any:
    """As ``plain``, without members that are null or absent, for typed objects."""
    return _without_nulls(plain(value))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


# -- as indented JSON
def pretty(value: Any) -> str:
    """A value as indented JSON, opaque parts replaced by their size; empty where it cannot be told."""
    try:
        told = orjson.dumps(value, option=orjson.OPT_INDENT_2)
        if any(sign in told for sign in _OPAQUE_SIGNS):
            told = orjson.dumps(without_opaque(value), option=orjson.OPT_INDENT_2)
        return told.decode("utf-8", "replace")
    except (TypeError, ValueError, RecursionError):
        return ""


def pretty_json(text: bytes | msgspec.Raw) -> str:
    """As ``pretty``, of JSON text: numbers and doubled keys stay as they are written. Empty where it is no JSON."""
    try:
        told = msgspec.json.format(bytes(text), indent=2)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return ""
    if any(sign in told for sign in _OPAQUE_SIGNS):
        try:
            return pretty(orjson.loads(told))
        except orjson.JSONDecodeError:
            return ""
    return told.decode("utf-8", "replace")


def without_opaque(value: Any, depth: int = 0) -> Any:
    """A plain value with encrypted texts and data of images replaced by what they are and how long."""
    if depth > _MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        return {key: _shortened(key, one, depth) for key, one in value.items()}
    if isinstance(value, list):
        return [without_opaque(one, depth + 1) for one in value]
    if isinstance(value, str) and is_data_url(value):
        return _instead("", value)
    return value


def _shortened(key: str, value: Any, depth: int) -> Any:
    if isinstance(value, str) and (key == "encrypted_content" or _is_data(key, value)):
        return _instead(key, value)
    return without_opaque(value, depth + 1)


def _instead(key: str, value: str) -> str:
    return f"[{'encrypted' if key == 'encrypted_content' else media(value)}, {len(value):,} characters]"


def _is_data(key: str, value: str) -> bool:
    return is_data_url(value) or (key in _HIDDEN_KEYS and len(value) > _LONG_DATA and " " not in value[:200])


def is_data_url(value: str) -> bool:
    """Whether a text is a ``data:`` URL of base64."""
    return value.startswith("data:") and ";base64," in value[:120]


def media(url: str) -> str:
    """What a data URL or a piece of base64 is: ``image/png``, ``image/jpeg`` ..., else ``data``."""
    if url.startswith("data:"):
        return url[5:64].partition(";")[0].partition(",")[0] or "data"
    return next((name for head, name in _BASE64_IMAGES.items() if url.startswith(head)), "data")
