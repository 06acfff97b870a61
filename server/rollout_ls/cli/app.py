"""The commands and their options, and what becomes of a failure: one line on stderr and exit status 2.

Each command imports what it needs when it runs. Never shows a traceback; the place of an inner fault is told without
anything of the file that was read.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from rollout_ls import __version__
from rollout_ls.cli.terminal import COMMAND, ToolError, drop_stdout, flush, inner_fault, say, tell
from rollout_ls.rules.finding import SEVERITIES
from rollout_ls.workspace.files import FileProblem

EXIT_TROUBLE = 2
EXIT_INTERRUPTED = 130
EXIT_UNREAD = 141
"""Whoever read the results went away, as `head` does: the status of a program that the signal for it ended (128 + 13).
Neither 0, since the rest was not looked at, nor 2, since nothing is wrong."""

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_ONE_FILE = click.argument("file", metavar="FILE")
_TEXT_OR_JSON = click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to write it."
)


@click.group(context_settings=_CONTEXT)
@click.version_option(__version__, "--version", prog_name=COMMAND, message="%(prog)s %(version)s")
def cli() -> None:
    """Reads the session files (rollouts) of the Codex CLI: checks them, and shows what happened."""


@cli.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json", "jsonl", "github", "sarif"]),
    default="full",
    show_default=True,
    help="full and concise are for people, json, jsonl and sarif for programs, github marks lines in a workflow.",
)
@click.option(
    "--min-level",
    type=click.Choice(SEVERITIES),
    default="hint",
    show_default=True,
    help="Leave out findings below this severity.",
)
@click.option(
    "--fail-level",
    type=click.Choice([*SEVERITIES, "never"]),
    default="warning",
    show_default=True,
    help="Exit with 1 when there is a finding of this severity or above.",
)
@click.option("--select", metavar="CODES", multiple=True, help="Look for these codes only (a,b or ALL).")
@click.option("--ignore", metavar="CODES", multiple=True, help="Leave these codes out (a,b or ALL).")
@click.option("--statistics", is_flag=True, help="Count findings, records by kind, and lines that were skipped.")
def check(
    paths: tuple[str, ...],
    output_format: str,
    min_level: str,
    fail_level: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    statistics: bool,
) -> int:
    """Says what is wrong in rollouts.

    PATH is a file, a folder (every rollout-*.jsonl and rollout-*.jsonl.zst below it), or - for standard input.

    `rollout-ls rules` lists the codes. A code that is off by default (unknown-field) is looked for when --select names
    it. The statistics stand behind the findings: as a table, in json and jsonl as a last {"statistics": ...}, in sarif
    among the properties of the run.

    Exit status: 0 clean, 1 findings of the severity that --fail-level names, 2 when something could not be read, 141
    when the results were not read to their end (as with `| head`).
    """
    from rollout_ls.cli.check import run

    return run(
        paths,
        output_format=output_format,
        min_level=min_level,
        fail_level=fail_level,
        select=select,
        ignore=ignore,
        statistics=statistics,
    )


@cli.command()
@_TEXT_OR_JSON
@_ONE_FILE
def outline(output_format: str, file: str) -> int:
    """Shows a rollout turn by turn.

    Messages, calls with their outcome, and the line each stands on. FILE may be packed (.jsonl.zst), or - for standard
    input.
    """
    from rollout_ls.cli.outline import run

    return run(file, output_format=output_format)


@cli.command()
@_TEXT_OR_JSON
@click.option(
    "--view",
    type=click.Choice(["codex-v3", "blocks"]),
    help="Show it in the terms of other tools instead: docs/views says what each holds.",
)
@_ONE_FILE
def show(output_format: str, view: str | None, file: str) -> int:
    """Shows all that happened in a session.

    Turns, entries, results, tokens. FILE may be packed (.jsonl.zst), or - for standard input. Exit status 1: the file
    is malformed in the terms of the view.
    """
    if view is not None:
        from rollout_ls.cli.views import run as run_view

        return run_view(file, view=view, output_format=output_format)
    from rollout_ls.cli.show import run

    return run(file, output_format=output_format)


@cli.command()
@_TEXT_OR_JSON
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
def stats(output_format: str, paths: tuple[str, ...]) -> int:
    """Shows sessions in numbers: turns, calls, failures, tokens.

    PATH is a file, a folder (every rollout below it), or - for standard input. What was copied from a parent is not
    counted again.
    """
    from rollout_ls.cli.stats import run

    return run(paths, output_format=output_format)


@cli.command()
@_TEXT_OR_JSON
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
def drift(output_format: str, paths: tuple[str, ...]) -> int:
    """Shows what rollouts hold that this version does not know.

    Unknown kinds, parts, fields and words, as keys and types with counts: no values, no paths. Meant to be put into a
    bug report as it is.
    """
    from rollout_ls.cli.drift import run

    return run(paths, output_format=output_format)


@cli.command()
@click.argument("name", metavar="CODE|KIND")
def explain(name: str) -> int:
    """Explains a code of a finding, or a kind of record.

    `explain orphan-call`, `explain response_item/function_call`, `explain function_call`, `explain event_msg`.
    """
    from rollout_ls.cli.explain import run

    return run(name)


@cli.command()
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "md"]),
    default="text",
    show_default=True,
    help="How to write it.",
)
def rules(output_format: str) -> int:
    """Lists the codes of all findings."""
    from rollout_ls.cli.rules import run

    return run(output_format=output_format)


@cli.command()
@click.option("--stdio", is_flag=True, help="Accepted for editors that say it; there is no other way.")
def server(stdio: bool) -> int:
    """Starts the language server, for editors.

    It speaks the language server protocol on standard input and output.
    """
    raise ToolError("the server is started by its own entry")  # __main__ starts it before this module is imported


def main(words: Sequence[str]) -> int:
    """Runs the command line. The exit status."""
    if sys.stdout is None:
        say("standard output is closed")
        return EXIT_TROUBLE
    try:
        with cli.make_context(COMMAND, list(words)) as context:  # cli.main() has exit codes of its own
            status = cli.invoke(context)
        flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.UsageError as error:
        return _misused(error, words)
    except (KeyboardInterrupt, click.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        drop_stdout()
        return EXIT_UNREAD
    except (FileProblem, ToolError, OSError, click.ClickException) as error:
        say(_one_line(error))
        return EXIT_TROUBLE
    except MemoryError:
        say("not enough memory")
        return EXIT_TROUBLE
    except Exception as error:
        say(inner_fault(error))
        return EXIT_TROUBLE


def _misused(error: click.UsageError, words: Sequence[str]) -> int:
    path = error.ctx.command_path if error.ctx is not None else COMMAND
    if not words and error.ctx is not None:
        tell(error.ctx.get_help() + "\n")
        return EXIT_TROUBLE
    message = " ".join(error.format_message().split()).rstrip(".")
    say(f"{message[:1].lower()}{message[1:]} (see {path} --help)")
    return EXIT_TROUBLE


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return " ".join(str(error).split())
