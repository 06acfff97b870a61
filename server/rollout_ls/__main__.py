"""The door: picks the server or the command line before importing either.

So the server never pays for what only the command line needs, and the command line never pays for the protocol.
"""

from __future__ import annotations

import re
import sys

_SERVER_WORD = re.compile(r"--stdio|--clientProcessId=\d+")
"""What editors add to a server's command; both mean nothing here."""


def main() -> int:
    """Runs what the command line says. The exit status."""
    words = sys.argv[1:]
    if words[:1] == ["server"] and all(_SERVER_WORD.fullmatch(word) for word in words[1:]):
        from rollout_ls.lsp.server import main as serve

        return serve()
    from rollout_ls.cli.app import main as run

    return run(words)


if __name__ == "__main__":
    sys.exit(main())
