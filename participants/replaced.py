"""Codes replaced in a data folder's copies of packs, for people who took their data back.

A pack's key names the experts who made what it shows. Other people's sessions can't be read
without the copy, so it stays, with another word in place of the code. Which files were changed is
noted beside them; a sealed pack is never changed.
"""

import json
from pathlib import Path
from typing import Final

from participants.files import write_file
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.versions import Schema

REPLACED: Final = "replaced.json"
REPLACED_SCHEMA: Final = Schema("replaced", 1, 0)
WHY: Final = "The code of somebody who took their data back was replaced in these files."


def replaced_hashes(copy: Path) -> dict[str, list[str]]:
    """Return which content, by SHA-256, files of a pack's copy may have beside the pack's own.

    Parameters
    ----------
    copy
        The copy's folder.

    Raises
    ------
    UserError
        If the note can't be read, or is of a newer version.
    """
    path = copy / REPLACED
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: can't be read ({error}); copy it from a backup") from None
    return dict(REPLACED_SCHEMA.upgrade(document, str(path))["files"])


def replace_code(copy: Path, code: str, word: str) -> None:
    """Put a word in place of a code in the tables of a pack's copy.

    It may be interrupted: the new content is noted before it is written, and doing it again
    finishes it.

    Parameters
    ----------
    copy
        The copy's folder.
    code, word
        What is replaced, and by what.

    Raises
    ------
    UserError
        If the folder can't be read or written.
    """
    known = replaced_hashes(copy)
    for path in sorted(copy.glob("*.csv")):
        content = path.read_bytes()
        changed = content.replace(code.encode("ascii"), word.encode("ascii"))
        if changed == content:
            continue
        known[path.name] = [*known.get(path.name, []), sha256_hex(changed)]
        document = {"schema": REPLACED_SCHEMA.tag, "why": WHY, "files": known}
        write_file(copy / REPLACED, (json.dumps(document, indent=1) + "\n").encode("utf-8"))
        write_file(path, changed)
