"""Writes down what a Python process does to the world outside: files, folders, network, processes.

Loaded by each Python that has this folder on its PYTHONPATH, before anything else. Events go to the file that
ROLLOUT_AUDIT names, a JSON array a line.
"""

import json
import os
import sys

_WATCHED = (
    *("socket.", "subprocess.", "os.", "shutil.", "open", "ftplib.", "http.", "urllib.", "smtplib.", "tempfile."),
    *("sqlite3.", "webbrowser.", "pty.", "mmap.", "winreg.", "ctypes.dlopen", "syslog.", "glob."),
)
_target = os.environ.get("ROLLOUT_AUDIT")
if _target:
    _descriptor = os.open(_target, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def _hook(event: str, args: tuple) -> None:
        if event.startswith(_WATCHED):
            told = [event, *(repr(one) if not isinstance(one, (str, int, type(None))) else one for one in args)]
            os.write(_descriptor, (json.dumps(told) + "\n").encode())

    sys.addaudithook(_hook)
