"""The verb `watch`: how far the running session is, from another terminal."""

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from participants import command_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from participants.folder import DataFolder
    from participants.texts.rig import RigWords
    from participants.watching.following import Followed

EVERY_S: Final = 1.0
GIVES_WAY: Final = 10
"""The view's ``nice`` value above that of a session, which must not wait for the view."""


def watch(
    once: Annotated[bool, typer.Option("--once", help="Say it once, then end.")] = False,
    data: command_line.Data = None,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Show how far the running session is: trial, last answer, frames; never the answers.

    It reads the session's journal from outside, and the session doesn't notice. At a terminal
    it shows a new line every second until you press Ctrl+C.

    Example: python3 lab.py watch
    """
    from participants.folder import DataFolder, LabFolder
    from participants.watching.progress import load_watch_words

    place = LabFolder.open(lab)
    folder = DataFolder(data.absolute()) if data is not None else place.data
    if as_json:
        print(
            json.dumps(
                [asdict(seen) for session in _running(folder) if (seen := session.progress())]
            )
        )
        return
    words = load_watch_words(place.settings.language, place.texts)
    if once or not sys.stdout.isatty():
        print("\n".join(_lines(folder, words, [])))
    else:
        _keep_showing(folder, words)


def _keep_showing(folder: "DataFolder", words: "RigWords") -> None:
    """Redraw the view until Ctrl+C."""
    import os

    from rich.live import Live
    from rich.text import Text

    from stimuli.rich_terminal import Console

    if hasattr(os, "nice"):
        os.nice(GIVES_WAY)
    followed: list[Followed] = []
    with Live(console=Console(), auto_refresh=False) as live:
        try:
            while True:
                live.update(Text("\n".join(_lines(folder, words, followed))), refresh=True)
                time.sleep(EVERY_S)
        except KeyboardInterrupt:
            return


def _lines(folder: "DataFolder", words: "RigWords", followed: "list[Followed]") -> list[str]:
    """Return the view's lines; sessions that are already followed aren't read again."""
    from participants.watching.progress import last_line, line, utc_now, who

    known = {session.paths: session for session in followed}
    followed[:] = [known.get(session.paths, session) for session in _running(folder)]
    now = utc_now()
    running = [seen for session in followed if (seen := session.progress())]
    if running:
        return [part for seen in running for part in (who(seen, words), line(seen, words, now))]
    last = _last(folder)
    seen = None if last is None else last.progress()
    return [words["none"], *([] if seen is None else [last_line(seen, words, now)])]


def _running(folder: "DataFolder") -> "Iterator[Followed]":
    from participants.watching.following import Followed, running_sessions

    return (Followed(folder, paths) for paths in running_sessions(folder))


def _last(folder: "DataFolder") -> "Followed | None":
    from participants.watching.following import Followed, newest_session

    newest = newest_session(folder)
    return None if newest is None else Followed(folder, newest)
