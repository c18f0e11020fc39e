"""What is printed is text, and never tells the terminal what to do.

Notes, names and reasons come from people and files. A control sequence in them could hide or forge
what a terminal shows, and a sign that turns the direction of writing could, too. Each such sign is
printed as JSON writes it, such as ``\\u001b``, so that output in JSON stays the same value.
"""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Final, TextIO

COMMANDS: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"
    r"\ud800-\udfff]"
)
"""Control characters but tab and newline, signs that turn the direction of writing, and halves of
signs, which stand for bytes that are no text."""


def printable(text: str) -> str:
    """Return a text in which every sign that isn't text is written out."""
    return COMMANDS.sub(lambda match: json.dumps(match.group())[1:-1], text)


def is_utf8(text: str) -> bool:
    """Return whether a text is valid UTF-8; Python keeps other bytes as lone surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


class Printed:
    """A stream that prints texts as `printable` returns them.

    Parameters
    ----------
    stream
        Where to; rich writes its colours to it directly.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write a text; return its length."""
        self.rich_proxied_file.write(printable(text))
        return len(text)

    def flush(self) -> None:
        """Let what was written appear."""
        self.rich_proxied_file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def printing_text() -> Iterator[None]:
    """Let all that is printed during the block be text, in any encoding of the terminal."""
    with ExitStack() as restored:
        for stream, redirected in ((sys.stdout, redirect_stdout), (sys.stderr, redirect_stderr)):
            if isinstance(stream, Printed):
                continue
            if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
                restored.callback(reconfigure, errors=stream.errors)
                reconfigure(errors="backslashreplace")
            restored.enter_context(redirected(Printed(stream)))
        yield
