"""Commands of the lab run in this process: what a test reads of how they end."""

import json
from typing import Any

from participants.cli import main


def refused(capsys, *words: object) -> str:
    """Run a command that must be refused, and return its one line."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    return line


def printed(capsys, *words: object) -> str:
    """Run a command that must end well, and return what it printed."""
    capsys.readouterr()
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def printed_json(capsys, *words: object) -> Any:
    """Run a command with ``--json``, and return what it printed."""
    return json.loads(printed(capsys, *words, "--json"))
