"""The verb `participants rebuild`."""

import json
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from participants import options


def rebuild(
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Another data folder, such as another PC's. May be repeated."
        ),
    ] = None,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Restore people, sessions, consents and places in the design from the journals.

    Use it if the registry is lost or lacks rows. Existing rows stay; a damaged file is renamed.
    Journals don't contain everything: the command says what is missing.

    Example: python3 lab.py participants rebuild --data pc2/data
    """
    from participants.folder import DataFolder, LabFolder
    from participants.rebuild.damage import set_damaged_aside
    from participants.rebuild.rebuild import UNKNOWN
    from participants.rebuild.rebuild import rebuild as enter
    from participants.registry import Registry

    place = LabFolder.open(lab)
    folders = [place.data, *(DataFolder(folder.absolute()) for folder in data or ())]
    aside = set_damaged_aside(place.registry_url)
    with closing(Registry.open(place.registry_url)) as registry:
        done = enter(registry, folders)
    if as_json:
        damaged = None if aside is None else str(aside)
        print(json.dumps({**asdict(done), "damaged": damaged, "unknown": UNKNOWN}))
        return
    if aside is not None:
        print(f"The registry was damaged; it is now in {aside}")
    print(f"Journals read: {done.sessions}; people who were unknown: {len(done.people)}")
    for session, reason in done.left_out.items():
        print(f"left out: session {session}: {reason}")
    for session in done.without_place:
        print(f"session {session}: its pack's copy is missing, so its list stays unknown")
    print(f"Journals don't say: {UNKNOWN}.")
