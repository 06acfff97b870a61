"""Which texts of the user role were put in by the harness, not typed by a person.

The newest builds say it in the item's metadata; before, only the text's beginning tells (upstream's own way of telling
contextual messages). Never a guess from length or position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_PICTURE = re.compile(r"<image(?: name=[^>\n]{0,200})?>|</image>")


def spoken(texts: Iterable[str]) -> str:
    """The words of a message: its texts but those that only mark a picture (`<image name=...>` and its end stand around
    one in the model's input, as texts of their own, and in no other telling of the message)."""
    return "".join(text for text in texts if not (text.startswith(("<image", "</image")) and _PICTURE.fullmatch(text)))


_HIDDEN = re.compile(r"<(oai-mem-citation|proposed_plan)>.*?(?:</\1>|\Z)", re.DOTALL)


def shown(text: str) -> str:
    """The text of the model as the screen shows it: without the parts that are marked for others, and trimmed."""
    if "<oai-mem-citation>" in text or "<proposed_plan>" in text:
        text = _HIDDEN.sub("", text)
    return text.strip()


_MARKS: tuple[tuple[str, str], ...] = (
    ("# AGENTS.md instructions", "AGENTS.md"),
    ("<user_instructions>", "AGENTS.md"),
    ("<INSTRUCTIONS>", "AGENTS.md"),
    ("<environment_context>", "environment"),
    ("<skill>", "skill"),
    ("<skills", "skill"),
    ("<user_shell_command>", "user shell command"),
    ("<turn_aborted>", "turn aborted"),
    ("<subagent_notification>", "sub-agent notification"),
    ("<codex_internal_context", "internal"),
    ("<goal_context>", "goal"),
    ("<hook_prompt", "hook"),
    ("<external_", "external"),
    ("<permissions instructions>", "permissions"),
    ("<recommended_plugins", "plugins"),
    ("<plugins_instructions>", "plugins"),
    ("<apps_instructions>", "apps"),
    ("<user_action>", "review"),
    ("<collaboration_mode>", "collaboration mode"),
    ("<multi_agent_mode>", "multi-agent mode"),
    ("<personality_spec>", "personality"),
    ("<model_switch>", "model switch"),
)


def context_of(text: str, payload: Any) -> str:
    """The name of the injected context that a text of the user role is; empty for the words of a person.

    ``payload`` is the item, whose metadata is asked first.
    """
    head = text[:64].lstrip()
    if not head.startswith(("<", "#")):
        return ""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "")
