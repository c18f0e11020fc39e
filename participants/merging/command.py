"""The verb `participants merge`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from participants import options


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR…", help="Data folders, such as those of other PCs.")
    ],
    into: Annotated[Path, typer.Option(metavar="DIR", help="The folder to merge into.")],
    as_json: options.Json = False,
) -> None:
    """Merge data folders into one. Merging again changes nothing.

    If a session differs between two folders, merge stops. If one journal only continues the other,
    merge takes the longer one. People who withdrew are left out. The tables are written again.

    Example: python3 lab.py participants merge pc1/data pc2/data --into all
    """
    from participants.folder import DataFolder
    from participants.merging.merge import merge as merge_folders

    done = merge_folders(
        [DataFolder(one.absolute()) for one in folders], DataFolder(into.absolute())
    )
    plan = done.plan
    if as_json:
        found = {
            name: sorted(getattr(plan, name)) for name in ("new", "longer", "same", "left_out")
        }
        answer = {"into": str(into), **found, "packs": sorted(plan.packs), "failed": done.failed}
        print(json.dumps(answer))
        return
    print(
        f"{into}: sessions copied {len(plan.new)}, there already {len(plan.same)}; packs copied "
        f"{len(plan.packs)}"
    )
    for session, paths in plan.longer.items():
        print(f"session {session} goes on further in {paths.folder}: that one is taken")
    for session in sorted(plan.left_out):
        print(f"left out: {session}: its person withdrew")
    for what, why in done.failed.items():
        print(f"Look at {what}: {why}", file=sys.stderr)
