"""The block view: a session as messages of content blocks, in the terms that converters of transcripts share.

Reads the entries of the session and the content of their records, so that every era and stream comes out alike; pairs
and counts nothing itself. ``docs/views/blocks.md`` is the contract, ``TREATMENTS`` its table of entries. Never holds
encrypted values or image data, only their sort and size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from rollout_ls.formats.records import Content, Part, content_of, time_of
from rollout_ls.formats.statement import Call, CallMirror, Reasoning, Result, Statement, Tokens
from rollout_ls.projection.entry import Entry, Ref
from rollout_ls.projection.session import Session
from rollout_ls.projection.turns import Turn
from rollout_ls.projection.views.patches import changes_of, patch_of

FORMAT = "blocks"

TREATMENTS: dict[str, tuple[str, ...]] = {
    "user": ("Text", "Image"),
    "assistant": ("Text", "Image"),
    "reasoning": ("Thinking",),
    "call": ("ToolUse", "ToolResult"),
    "nested_call": ("ToolUse", "ToolResult"),
    "output": ("ToolResult",),
    "agent_message": (),
    "context": (),
    "compaction": (),
    "notice": (),
    "rollback": (),
    "unknown": (),
}
"""The blocks that each sort of entry becomes; none: it is left out."""

SHELL_TOOLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec")
PATCH_TOOL = "apply_patch"
SEARCH_TOOL = "web_search"
SCAFFOLDING = (
    "<environment_context>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<sandbox_mode>",
    "<approval_policy>",
)
"""How messages of the user role begin that the harness wrote, where no record tells so."""
_SUMMARY_PARTS = ("summary", "text")
_PARTS_BETWEEN = "\n\n"


# -- tools, by the names that transcripts share
class Bash(msgspec.Struct, frozen=True, tag="Bash"):
    """A shell command; ``["bash", "-lc", X]`` is X."""

    command: str
    workdir: str | None = None


class Edit(msgspec.Struct, frozen=True, tag="Edit"):
    """One hunk of one file."""

    file_path: str
    old_string: str
    new_string: str


class Write(msgspec.Struct, frozen=True, tag="Write"):
    """One new file."""

    file_path: str
    content: str


class ApplyPatch(msgspec.Struct, frozen=True, tag="ApplyPatch"):
    """Any other patch, as it was written, with the files it touches."""

    patch: str
    files: tuple[str, ...]


class WebSearch(msgspec.Struct, frozen=True, tag="WebSearch"):
    """A search by the provider. ``action`` is what was asked for, as plain values."""

    query: str
    action: Any = None


class Other(msgspec.Struct, frozen=True, tag="Other"):
    """Any other tool, by its own name."""

    name: str
    input: Any = None


Tool = Bash | Edit | Write | ApplyPatch | WebSearch | Other


# -- blocks
class Text(msgspec.Struct, frozen=True, tag="Text"):
    """Text as it stands in the record."""

    text: str


class Image(msgspec.Struct, frozen=True, tag="Image"):
    """An image that is not shown. ``size`` is bytes, or the characters of its address."""

    media: str
    size: int


class Thinking(msgspec.Struct, frozen=True, tag="Thinking"):
    """The summary of reasoning."""

    text: str


class ToolUse(msgspec.Struct, frozen=True, tag="ToolUse"):
    """A call. ``id`` is empty where no record tells one."""

    id: str
    tool: Tool


class ToolResult(msgspec.Struct, frozen=True, tag="ToolResult"):
    """What came back from a call."""

    tool_use_id: str
    content: tuple[Text | Image, ...]
    is_error: bool


Block = Text | Image | Thinking | ToolUse | ToolResult


class BlockMessage(msgspec.Struct, frozen=True):
    """One message. ``refs`` are its records, its own one first; ``turn`` is None outside turns.

    ``usage`` is that of the model's last answer in the turn, on the turn's last assistant text and nowhere else.
    ``nested`` tells of a call that a script made, and of its result.
    """

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]
    refs: tuple[Ref, ...]
    timestamp: str
    turn: Turn | None
    model: str = ""
    usage: Tokens | None = None
    nested: bool = False


class Meta(msgspec.Struct, frozen=True):
    """The head of the session; empty values where no record tells."""

    id: str = ""
    timestamp: str = ""
    cwd: str = ""
    git_branch: str = ""
    cli_version: str = ""
    model: str = ""
    title: str = ""


class BlockView(msgspec.Struct, frozen=True):
    """The whole session."""

    meta: Meta
    messages: tuple[BlockMessage, ...]


def block_view(session: Session) -> BlockView:
    """The session as messages of blocks, in file order."""
    models = _models(session)
    made = _Making(session, models)
    for entry in session.entries():
        made.take(entry)
    return BlockView(_meta(session), tuple(made.finished()))


def _meta(session: Session) -> Meta:
    ref, header = session.header_ref, session.header
    naming = session.naming
    title = content_of(naming.line.data, naming.statement).label if naming is not None else ""
    if ref is None or header is None:
        return Meta(title=title)
    content = content_of(ref.line.data, header)
    model = header.model or next((settings.model for _, settings, _ in session.models if settings.model), "")
    return Meta(
        id=header.thread_id,
        timestamp=content.began or time_of(ref.line.data, header),
        cwd=header.directory,
        git_branch=dict(content.facts).get("branch", ""),
        cli_version=header.version,
        model=model,
        title=title,
    )


def _models(session: Session) -> dict[Statement, str]:
    """The model of each turn by its start: of the last settings in it, else of the last before it."""
    own: dict[Statement, str] = {}
    for _, settings, turn in session.models:
        if turn is not None and settings.model:
            own[turn.start.statement] = settings.model
    order = session.buffer.order_of
    found: dict[Statement, str] = {}
    waiting = iter(session.models)
    coming = next(waiting, None)
    latest = ""
    for turn_ in session.turns:
        at = order(turn_.first)
        while coming is not None and coming[0] <= at:
            latest = coming[1].model or latest
            coming = next(waiting, None)
        start = turn_.start.start.statement
        found[start] = own.get(start) or latest
    return found


class _Making:
    """The messages in work, with the place that each takes in the file."""

    def __init__(self, session: Session, models: dict[Statement, str]) -> None:
        self.session = session
        self.models = models
        self.made: list[tuple[tuple[tuple[int, int], int, int], BlockMessage]] = []
        self.given: set[Statement] = set()
        """Results that have their block."""
        self.searches = 0

    def take(self, entry: Entry) -> None:
        """Adds what an entry becomes."""
        if not TREATMENTS[entry.what]:
            return
        if entry.what in ("user", "assistant"):
            self._say(entry)
        elif entry.what == "reasoning":
            self._think(entry)
        elif entry.what == "output":
            self._give(entry, (entry.ref,), content_of(entry.ref.line.data, entry.ref.statement), "")
        else:
            self._call(entry)

    def _add(self, entry: Entry, blocks: tuple[Block, ...], refs: tuple[Ref, ...], *, assistant: bool) -> None:
        ref = refs[0]
        start = entry.turn.start.statement if entry.turn is not None else None
        turn = self.session.turn_by_start.get(start) if start is not None else None
        message = BlockMessage(
            role="assistant" if assistant else "user",
            blocks=blocks,
            refs=refs,
            timestamp=time_of(ref.line.data, ref.statement),
            turn=turn,
            model=self.models.get(start, "") if assistant and start is not None else "",
            nested=entry.what == "nested_call",
        )
        place = (self.session.buffer.order_of(ref.line), ref.statement.start, len(self.made))
        self.made.append((place, message))

    def _say(self, entry: Entry) -> None:
        content = content_of(entry.ref.line.data, entry.ref.statement)
        blocks = tuple(_shown(content.parts))
        if not blocks or (entry.what == "user" and _is_scaffolding(blocks)):
            return
        refs = (entry.ref, *self.session.links_of(entry.ref, "mirror"))
        self._add(entry, blocks, refs, assistant=entry.what == "assistant")

    def _think(self, entry: Entry) -> None:
        statement = entry.ref.statement
        if isinstance(statement, Reasoning) and statement.raw:
            return
        parts = content_of(entry.ref.line.data, statement).parts
        texts = [part.text for part in parts if part.title in _SUMMARY_PARTS and part.text]
        if not texts:
            return
        refs = (entry.ref, *self.session.links_of(entry.ref, "mirror"))
        self._add(entry, (Thinking(_PARTS_BETWEEN.join(texts)),), refs, assistant=True)

    # -- calls
    def _call(self, entry: Entry) -> None:
        ref = entry.ref
        content = content_of(ref.line.data, ref.statement)
        mirrors = [one for one in self.session.links_of(ref, "mirror") if isinstance(one.statement, CallMirror)]
        name = ref.statement.tool if isinstance(ref.statement, Call | CallMirror) else ""
        tool = tool_of(name, content)
        call_id = self._id_of(ref, mirrors, tool)
        self._add(entry, (ToolUse(call_id, tool),), (ref,), assistant=True)
        self._answer(entry, content, mirrors, tool, call_id)

    def _id_of(self, ref: Ref, mirrors: list[Ref], tool: Tool) -> str:
        for one in (ref, *mirrors):
            call_id = getattr(one.statement, "call_id", "")
            if call_id:
                return str(call_id)
        if not isinstance(tool, WebSearch):
            return ""
        self.searches += 1
        return f"{SEARCH_TOOL}:{self.searches}"

    def _answer(self, entry: Entry, content: Content, mirrors: list[Ref], tool: Tool, call_id: str) -> None:
        """The one result of a call: of a command or search what the screen showed, of others the item."""
        result = self.session.result_of(entry.ref)
        if result is not None and result.statement in self.given:
            return  # a second call with the same id shares it
        told = [result] if result is not None else []
        if isinstance(entry.ref.statement, CallMirror):
            mirrors = [entry.ref, *mirrors]
        refs = [*mirrors, *told] if isinstance(tool, Bash | WebSearch) else [*told, *mirrors]
        for ref in refs:
            returned = content if ref is entry.ref else content_of(ref.line.data, ref.statement)
            if returned.returned is not None:
                others = tuple(one for one in refs if one is not ref)
                self._give(entry, (ref, *others), returned, call_id)
                return
        if isinstance(entry.ref.statement, Call) and entry.ref.statement.alone and content.returned is not None:
            self._give(entry, (entry.ref,), content, call_id)

    def _give(self, entry: Entry, refs: tuple[Ref, ...], content: Content, call_id: str) -> None:
        outcomes = [one.statement.outcome for one in refs if isinstance(one.statement, Result | CallMirror)]
        failed = next((outcome.failed for outcome in outcomes if outcome.failed is not None), False)
        self.given.update(ref.statement for ref in refs)
        call_id = call_id or str(getattr(refs[0].statement, "call_id", ""))
        blocks = tuple(_shown(content.returned if content.returned is not None else content.parts))
        self._add(entry, (ToolResult(call_id, blocks, failed),), refs, assistant=False)

    def finished(self) -> Iterator[BlockMessage]:
        """All messages in file order, usage on the last assistant text of each turn."""
        used = {step.turn: step.tokens for step in self.session.usage.steps if step.turn is not None}
        ordered = [message for _, message in sorted(self.made, key=lambda one: one[0])]
        last = {
            message.turn.start.start.statement: index
            for index, message in enumerate(ordered)
            if message.turn is not None and message.role == "assistant" and isinstance(message.blocks[0], Text | Image)
        }
        for index, message in enumerate(ordered):
            key = message.turn.start.start.statement if message.turn is not None else None
            if key is not None and last.get(key) == index and key in used:
                yield msgspec.structs.replace(message, usage=used[key])
            else:
                yield message


# -- small steps
def _shown(parts: Iterable[Part]) -> Iterator[Text | Image]:
    """Text that is there and images; what is encrypted is left out."""
    for part in parts:
        if part.title == "image" and part.omitted:
            yield Image(part.omitted, part.size)
        elif part.text:
            yield Text(part.text)


def _is_scaffolding(blocks: tuple[Text | Image, ...]) -> bool:
    """Whether every block is what the harness writes before a conversation."""
    return all(isinstance(block, Text) and block.text.lstrip().startswith(SCAFFOLDING) for block in blocks)


def tool_of(name: str, content: Content) -> Tool:
    """A tool by the name that transcripts share, from what its call holds."""
    given = content.tool_input
    if name in SHELL_TOOLS:
        command = content.command or (given if isinstance(given, str) else "")
        workdir = given.get("workdir") or given.get("cwd") if isinstance(given, dict) else None
        return Bash(command, workdir if isinstance(workdir, str) else None) if command else Other(name, given)
    if name == SEARCH_TOOL:
        return WebSearch(content.label, given)
    if name == PATCH_TOOL:
        return _patch_tool(given)
    return Other(name, given)


def _patch_tool(given: Any) -> Tool:
    patch = given.get("input") or given.get("patch") if isinstance(given, dict) else given
    if patch is None and isinstance(given, dict) and given:
        patch = patch_of(given)  # as the screen was told it
    if not isinstance(patch, str):
        return Other(PATCH_TOOL, given)
    changes = changes_of(patch)
    only = changes[0] if len(changes) == 1 else None
    if only is not None and not only.moved and len(only.hunks) == 1:
        old, new = only.hunks[0]
        if only.what == "add":
            return Write(only.path, new)
        if only.what == "update":
            return Edit(only.path, old, new)
    return ApplyPatch(patch, tuple(change.path for change in changes))
