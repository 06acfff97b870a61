"""What a person can set, in one table, and how the values that a client sends become one frozen ``Settings``.

The table makes ``docs/settings.md``, the JSON schema beside it and the section of the VS Code extension
(``docs/generate.py``), so that none of them can say anything else. Reading values never fails: a value that cannot be
used is said once, and its default holds. Never reads a file or the environment, and never shows a value that it was
given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec

from rollout_ls.projection.surroundings import Level, Limits, Surroundings
from rollout_ls.rules.registry import RULES
from rollout_ls.text.display import label

if TYPE_CHECKING:
    from cattrs import Converter

SECTION = "rollout"
LogLevel = Literal["error", "warning", "information", "debug"]
TimeZone = Literal["local", "utc"]
Choice = Literal["error", "warning", "information", "hint", "off"]

MAX_PROBLEMS = 5
"""Problems that one message names; more are counted."""
_MAX_KEY_CHARACTERS = 60


class Hints(msgspec.Struct, frozen=True):
    """Which inlay hints are shown."""

    turn: bool = True
    actor: bool = True
    call: bool = True
    result: bool = True
    tokens: bool = True
    compaction: bool = True
    mirror: bool = True


class Hover(msgspec.Struct, frozen=True):
    """How hovers are written."""

    time_zone: TimeZone = "local"


class Log(msgspec.Struct, frozen=True):
    """What is logged."""

    level: LogLevel = "warning"


class Settings(msgspec.Struct, frozen=True):
    """All settings. The fields below each other are the parts of a key: ``limits.rowBytes`` is ``limits.row_bytes``."""

    rules: Mapping[str, Choice] = MappingProxyType({})
    minimum_severity: Level = "hint"
    hover: Hover = Hover()
    hints: Hints = Hints()
    code_lens: bool = True
    semantic_tokens: bool = True
    limits: Limits = Limits()
    log: Log = Log()
    commands: bool = False


class Setting(msgspec.Struct, frozen=True):
    """One row of the table.

    ``kind`` is its type: ``bool``, ``int`` (from ``least`` up to ``most``), ``str``, ``list`` (of strings), a
    ``Literal``, or ``dict`` (rules by code). ``text`` is Markdown. ``who`` tells who reads it: the server; the client
    alone (``client``: it never leaves the VS Code extension, and the server passes over it); or the server, told by the
    client and not by a person (``told``).
    """

    key: str
    kind: Any
    text: str
    since: str = "0.1.0"
    who: Literal["server", "client", "told"] = "server"
    least: int = 1
    most: int = 0
    client_default: Any = None
    words: tuple[str, ...] = ()
    """What each word of a ``Literal`` means, in their order."""

    @property
    def path(self) -> tuple[str, ...]:
        """The fields of ``Settings`` that lead to the value."""
        return tuple(_snake(part) for part in self.key.split("."))

    @property
    def default(self) -> Any:
        """What holds where nobody set anything, as JSON has it."""
        if self.who == "client":
            return self.client_default
        value: Any = DEFAULTS
        for name in self.path:
            value = getattr(value, name)
        return dict(value) if isinstance(value, Mapping) else value


DEFAULTS = Settings()
"""What holds where nobody set anything."""

_GIB, _TIB = 1 << 30, 1 << 40

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "python",
        str,
        "Path of the Python interpreter whose environment holds `rollout-ls`, such as `~/.venvs/rollout/bin/python`. "
        "When empty, `python3` is used (on Windows `python`).",
        who="client",
        client_default="",
    ),
    Setting(
        "server.command",
        list,
        "The whole command that starts the server, program and arguments, such as "
        '`["/opt/rollout/bin/rollout-ls", "server"]`. Used in place of `#rollout.python#` unless it is empty.',
        who="client",
        client_default=[],
    ),
    Setting(
        "trace.server",
        Literal["off", "messages", "verbose"],
        "What is written to the output about the messages between the editor and the server.",
        who="client",
        client_default="off",
        words=(
            "Trace nothing.",
            "Trace the names and times of messages.",
            "Trace whole messages. Mind: this writes the content of your rollouts to the output.",
        ),
    ),
    Setting(
        "rules",
        dict,
        "The severity of findings by their code, or `off` to leave a code out. It replaces the severity of all "
        "findings of that code. A code that is off by default (`unknown-field`) is found once it has a severity: "
        '`{"secret": "off", "unknown-field": "hint"}`.',
    ),
    Setting(
        "minimumSeverity",
        Level,
        "The mildest findings that are shown.",
        words=(
            "Only what Codex itself cannot read, or where resuming breaks.",
            "Also what is lost, or cannot be matched.",
            "Also what is odd but legal.",
            "All findings.",
        ),
    ),
    Setting(
        "hover.timeZone",
        TimeZone,
        "The zone of the times of day in hovers.",
        words=("The zone of the machine on which the server runs.", "UTC, as the file has them."),
    ),
    Setting(
        "hints.turn", bool, "Show at the start of a record which turn it is of, and the time since the session began."
    ),
    Setting("hints.actor", bool, "Show who speaks."),
    Setting("hints.call", bool, "Show at a call the tool, its first argument, and how it came out."),
    Setting("hints.result", bool, "Show at a result which call it answers."),
    Setting("hints.tokens", bool, "Show at token counts what was added, what was cached, and how full the context is."),
    Setting("hints.compaction", bool, "Show at compactions what was kept, and what was taken back by a rollback."),
    Setting("hints.mirror", bool, "Show at records that only repeat others which ones these are."),
    Setting("codeLens", bool, "Show code lenses above the session and above each turn."),
    Setting(
        "semanticTokens", bool, "Colour records by what they are; dim those that repeat others or were taken back."
    ),
    Setting(
        "limits.rowBytes",
        int,
        "Bytes of one record; a longer one is not read.",
        least=1024,
        most=_GIB,
    ),
    Setting(
        "limits.nesting",
        int,
        "Levels of objects and arrays that are kept of a record which nests too deeply for a plain decoder; "
        "what stands deeper is left out.",
        least=16,
        most=900,
    ),
    Setting(
        "limits.fileBytes",
        int,
        "Bytes of one document or file; records that begin behind them are not read.",
        least=1 << 16,
        most=_TIB,
    ),
    Setting(
        "limits.zstBytes",
        int,
        "Bytes that a packed file (`.jsonl.zst`) is unpacked to; the rest is left out.",
        least=1 << 16,
        most=_TIB,
    ),
    Setting(
        "limits.zstRatio",
        int,
        "How many times its own size a packed file may unpack to, once that is over 64 MiB; the rest is left out.",
        least=10,
        most=1_000_000,
    ),
    Setting(
        "limits.findings",
        int,
        "Findings of one document; the worst are shown.",
        least=1,
        most=1_000_000,
    ),
    Setting(
        "limits.symbols",
        int,
        "Symbols of one outline. Turns are never left out.",
        least=1,
        most=1_000_000,
    ),
    Setting(
        "limits.hoverBytes",
        int,
        "Bytes of a record's content that one hover quotes.",
        least=100,
        most=1_000_000,
    ),
    Setting(
        "log.level",
        LogLevel,
        "What the server writes to its log. It never holds anything of a rollout.",
        words=("Failures only.", "Also what is odd.", "Also what was done.", "Everything."),
    ),
    Setting(
        "commands",
        bool,
        "Told by clients that have the command `rollout.goTo`, to which code lenses and hints lead. Not for people to "
        "set.",
        who="told",
    ),
)
"""All settings, in the order of the documentation."""

BY_KEY: Mapping[str, Setting] = MappingProxyType({setting.key: setting for setting in SETTINGS})


class Read(msgspec.Struct, frozen=True):
    """Settings, and what was wrong with the values they were read from, a short sentence each."""

    settings: Settings
    problems: tuple[str, ...] = ()


def read_settings(*sources: object) -> Read:
    """The settings that some sources give, later ones over earlier ones.

    A source is the section ``rollout`` as JSON has it, with keys below each other or with dots, or an object that holds
    the section under ``rollout``. None says nothing. Never raises.
    """
    problems: list[str] = []
    values: dict[str, Any] = {}
    for source in sources:
        for key, value in _told(source, problems):
            problems += _put(values, key, value)
    return Read(_settings(values), tuple(dict.fromkeys(problems)))


def problem_message(problems: tuple[str, ...]) -> str:
    """One line about the problems of one change; empty where there are none."""
    if not problems:
        return ""
    more = f" (and {len(problems) - MAX_PROBLEMS} more)" if len(problems) > MAX_PROBLEMS else ""
    return f"Settings of Rollout: {'; '.join(problems[:MAX_PROBLEMS])}{more}. Defaults hold for these."


def codes_of(settings: Settings) -> frozenset[str]:
    """The codes that may be found."""
    chosen = settings.rules
    return frozenset(
        code for code, rule in RULES.items() if chosen.get(code, "off" if rule.default_off else "on") != "off"
    )


def levels_of(settings: Settings) -> Mapping[str, Level]:
    """The severities that replace those of the codes."""
    return MappingProxyType({code: choice for code, choice in settings.rules.items() if choice != "off"})


def surroundings_of(settings: Settings) -> Surroundings:
    """The world of a document under some settings."""
    from rollout_ls.workspace.zones import LOCAL

    return Surroundings(
        zone=LOCAL if settings.hover.time_zone == "local" else None,
        codes=codes_of(settings),
        levels=levels_of(settings),
        mildest=settings.minimum_severity,
        limits=settings.limits,
    )


# -- reading
def _told(source: object, problems: list[str]) -> Iterator[tuple[str, Any]]:
    """The (key, value) pairs of a source, keys with dots."""
    if source is None:
        return
    if not isinstance(source, dict):
        problems.append(f"the section `{SECTION}` must be an object")
        return
    for key, value in _flat(source, ""):
        yield key.removeprefix(f"{SECTION}."), value


def _flat(given: dict[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and _is_group(key):
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def _is_group(key: str) -> bool:
    inner = key.removeprefix(f"{SECTION}.")
    return key == SECTION or any(known.startswith(f"{inner}.") for known in BY_KEY)


def _put(values: dict[str, Any], key: str, value: Any) -> list[str]:
    if value is None:
        return []
    setting = BY_KEY.get(key)
    if setting is None:
        return [f"`{label(key, _MAX_KEY_CHARACTERS)}` is unknown"]
    if setting.who == "client":
        return []
    if setting.kind is dict:
        found, problems = _rules(setting.key, value)
        values[setting.key] = {**values.get(setting.key, {}), **found}
        return problems
    try:
        values[setting.key] = _structured(value, setting)
    except Exception:  # of cattrs or ours: what was given cannot be used
        values.pop(setting.key, None)
        return [f"`{setting.key}` must be {expected(setting)}"]
    return []


def _rules(key: str, value: Any) -> tuple[dict[str, Choice], list[str]]:
    if not isinstance(value, dict):
        return {}, [f"`{key}` must be an object of codes"]
    found: dict[str, Choice] = {}
    problems: list[str] = []
    for code, choice in value.items():
        if code not in RULES:
            problems.append(f"`{key}` names no code `{label(str(code), _MAX_KEY_CHARACTERS)}`")
        elif choice not in get_args(Choice):
            problems.append(f"`{key}.{code}` must be {_one_of(get_args(Choice))}")
        else:
            found[code] = choice
    return found, problems


def _structured(value: Any, setting: Setting) -> Any:
    """A value in the type of its setting. Raises where it is of another one: nothing is read as what it is not."""
    if setting.kind in (bool, int) and type(value) is not setting.kind:
        raise TypeError
    structured = _converter().structure(value, setting.kind)
    if setting.kind is int and not setting.least <= structured <= setting.most:
        raise ValueError
    return structured


@lru_cache(maxsize=1)
def _converter() -> Converter:
    from cattrs import Converter  # takes its time, and the command line sets nothing

    return Converter()


def _settings(values: Mapping[str, Any]) -> Settings:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *groups, name = BY_KEY[key].path
        part = tree
        for group in groups:
            part = part.setdefault(group, {})
        part[name] = MappingProxyType(value) if isinstance(value, dict) else value
    changed = {
        name: msgspec.structs.replace(getattr(DEFAULTS, name), **value) if isinstance(value, dict) else value
        for name, value in tree.items()
    }
    return msgspec.structs.replace(DEFAULTS, **changed)


def _snake(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()


# -- what the documentation says
def expected(setting: Setting) -> str:
    """What a value of a setting is, in words."""
    if setting.kind is bool:
        return "true or false"
    if setting.kind is int:
        return f"a whole number from {setting.least} to {setting.most}"
    if get_origin(setting.kind) is Literal:
        return _one_of(get_args(setting.kind))
    return {str: "a text", list: "a list of texts", dict: "an object of codes"}[setting.kind]


def _one_of(words: tuple[str, ...]) -> str:
    return f"one of {', '.join(words)}"


def schema_of(setting: Setting) -> dict[str, Any]:
    """The JSON schema of a setting's value, its default included."""
    schema: dict[str, Any] = {}
    if setting.kind is bool:
        schema["type"] = "boolean"
    elif setting.kind is int:
        schema |= {"type": "integer", "minimum": setting.least, "maximum": setting.most}
    elif setting.kind is str:
        schema["type"] = "string"
    elif setting.kind is list:
        schema |= {"type": "array", "items": {"type": "string"}}
    elif setting.kind is dict:
        codes = {code: {"enum": list(get_args(Choice)), "description": rule.title} for code, rule in RULES.items()}
        schema |= {"type": "object", "properties": codes, "additionalProperties": False}
    else:
        schema |= {"type": "string", "enum": list(get_args(setting.kind))}
    return {**schema, "default": setting.default}


def settings_schema() -> str:
    """docs/settings.schema.json: the section as an object, keys below each other."""
    root: dict[str, Any] = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of rollout-ls",
        "description": "The section `rollout`: initializationOptions, or workspace/configuration.",
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    for setting in SETTINGS:
        *groups, name = setting.key.split(".")
        part = root
        for group in groups:
            new = {"type": "object", "properties": {}, "additionalProperties": False}
            part = part["properties"].setdefault(group, new)
        part["properties"][name] = {**schema_of(setting), "description": plain(setting.text)}
    return json.dumps(root, indent=2, ensure_ascii=False) + "\n"


def settings_page() -> str:
    """docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "<!-- Made by docs/generate.py from server/rollout_ls/workspace/settings.py: change it there. -->",
        "",
        "All keys stand below the section `rollout`. The server takes them as `initializationOptions` and asks for",
        "them by `workspace/configuration`; it reads them anew whenever the client says that they changed. Keys may",
        'stand below each other (`{"limits": {"findings": 50}}`) or be written with dots (`{"limits.findings": 50}`).',
        "A key that is not known here, or a value of the wrong type, is said once, and the default holds.",
        "",
        "[settings.schema.json](settings.schema.json) says the same for programs. `rollout-ls check` has options of",
        "its own and reads no settings.",
        "",
        "In VS Code they stand in the settings under *Rollout*, or in `settings.json`:",
        "",
        "```json",
        '{ "rollout.rules": { "secret": "off" }, "rollout.minimumSeverity": "warning" }',
        "```",
        "",
        "In Neovim they are the server's settings:",
        "",
        "```lua",
        "vim.lsp.config('rollout_ls', {",
        "  settings = { rollout = { rules = { secret = 'off' }, minimumSeverity = 'warning' } },",
        "})",
        "```",
        "",
    ]
    for title, who in (
        ("For every editor", "server"),
        ("For VS Code only", "client"),
        ("Told by clients", "told"),
    ):
        lines += [f"## {title}", ""]
        for setting in SETTINGS:
            if setting.who == who:
                lines += _described(setting)
    return "\n".join(lines).rstrip("\n") + "\n"


def _described(setting: Setting) -> list[str]:
    default = json.dumps(setting.default, ensure_ascii=False)
    facts = f"{expected(setting)}; by default `{default}`; since {setting.since}."
    lines = [f"### `{SECTION}.{setting.key}`", "", plain(setting.text), "", f"{facts[:1].upper()}{facts[1:]}", ""]
    if setting.words:
        pairs = zip(get_args(setting.kind), setting.words, strict=True)
        lines += [*(f"- `{word}`: {meaning}" for word, meaning in pairs), ""]
    return lines


def vscode_properties() -> dict[str, Any]:
    """``contributes.configuration.properties`` of the VS Code extension."""
    properties: dict[str, Any] = {}
    shown = [setting for setting in SETTINGS if setting.who != "told"]
    for order, setting in enumerate(shown, 1):
        schema = schema_of(setting)
        if setting.words:
            schema["enumDescriptions"] = list(setting.words)
        scope = "machine" if setting.key in ("python", "server.command") else "window"
        schema |= {"scope": scope, "order": order, "markdownDescription": setting.text}
        properties[f"{SECTION}.{setting.key}"] = schema
    return properties


def plain(text: str) -> str:
    """A setting's text where there is no link to another setting (VS Code writes them ``#key#``)."""
    return re.sub(r"`#([^#`]+)#`", r"`\1`", text)
