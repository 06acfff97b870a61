"""``rollout-ls rules``: all codes of findings. Writes the registry; adds nothing to it."""

from __future__ import annotations

import msgspec

from rollout_ls.cli.check import STYLES
from rollout_ls.cli.pages import rule_page
from rollout_ls.cli.terminal import write_bytes, write_line, write_markdown
from rollout_ls.rules.registry import FAMILIES, RULES
from rollout_ls.wire.pages import rule_rows, rules_markdown


def run(*, output_format: str) -> int:
    """Writes all rules. The exit status."""
    if output_format == "json":
        rows = [{**row, "page": rule_page(row["code"]) or None} for row in rule_rows()]
        write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
    elif output_format == "md":
        write_markdown(rules_markdown(linked=False))
    else:
        _write_text()
    return 0


def _write_text() -> None:
    wide = max(map(len, RULES))
    for number, (family, rules) in enumerate(FAMILIES.items()):
        if number:
            write_line([])
        write_line([(family, "bold")])
        for rule in rules:
            off = " (off by default)" if rule.default_off else ""
            write_line(
                [
                    (f"  {rule.code:<{wide}}  ", "cyan"),
                    (f"{rule.severity:<11}  ", STYLES[rule.severity]),
                    (f"{rule.title}{off}", ""),
                ]
            )
