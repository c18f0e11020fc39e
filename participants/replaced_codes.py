"""Codes of people who took their data back, replaced in a data folder's copies of packs.

A pack's key names the experts who made what it shows. If an expert withdraws, the copy stays,
because other people's sessions can't be read without it, but another word replaces the code. A note
beside the files has the hash of each content that came about so. A changed file is taken only if
putting codes of tombstones back, step by step, gives the file of the manifest. A sealed pack is
never changed.
"""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from participants.files import write_file
from participants.lab_settings import SUFFIX_SIGNS, random_suffix
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.io.inside import refuse_odd
from stimuli.versions import Schema

REPLACED: Final = "replaced.json"
REPLACED_SCHEMA: Final = Schema("replaced")
WORD: Final = "withdrawn-"
WORDS: Final = re.compile(f"{WORD}[{SUFFIX_SIGNS}]{{4}}".encode("ascii"))
WHY: Final = "The code of somebody who took their data back was replaced in these files."


def replaced_hashes(copy: Path) -> dict[str, list[str]]:
    """Return the replaced content, by SHA-256, that files of a pack's copy may have.

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
    refuse_odd(path)
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
        The code, and the word that replaces it.

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


def new_word() -> str:
    """Return a random word that replaces a code."""
    return f"{WORD}{random_suffix()}"


def is_replaced(path: Path, sealed: str, codes: Collection[str]) -> bool:
    """Return whether a file of a pack's copy differs from the sealed one in replaced codes alone.

    Parameters
    ----------
    path
        The file.
    sealed
        SHA-256 of the file as it was built.
    codes
        Codes of tombstones.
    """
    hashes = replaced_hashes(path.parent).get(path.name, [])
    content = path.read_bytes()
    return sha256_hex(content) in hashes and _leads_back(content, sealed, {*hashes, sealed}, codes)


def _leads_back(
    content: bytes, sealed: str, digests: Collection[str], codes: Collection[str]
) -> bool:
    """Whether codes can be put back one by one, through contents that were noted.

    Taking one code at a time needs words × codes steps at most, whatever their number.
    """
    digest = sha256_hex(content)
    if digest == sealed:
        return True
    others = set(digests) - {digest}
    return any(
        _leads_back(before, sealed, others, codes)
        for before in _before(content, codes)
        if sha256_hex(before) in others
    )


def _before(content: bytes, codes: Collection[str]) -> Iterator[bytes]:
    """Yield a content with one word turned back into each code."""
    for word in sorted(set(WORDS.findall(content))):
        for code in codes:
            yield content.replace(word, code.encode("ascii"))
