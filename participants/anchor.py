"""A journal's last link, kept in a second file, by which a cut or forged journal is noticed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd

SIDECAR: Final = "session.json"
"""File beside a journal; its `lines` and `chain` are the anchor."""
UNTRUSTED: Final = "can't be trusted"


@dataclass(frozen=True, slots=True)
class Anchor:
    """How many lines a journal had, and the chain of the last of them."""

    lines: int
    chain: str


def anchor_beside(journal: Path) -> Anchor | None:
    """Return the anchor in the sidecar beside a journal.

    None if there is no sidecar (e.g. the session was killed) or it is of an earlier version.

    Raises
    ------
    UserError
        If the sidecar can't be read.
    """
    path = journal.with_name(SIDECAR)
    refuse_odd(path)
    try:
        stated: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        stated = None
    if not isinstance(stated, Mapping):
        raise UserError(
            f"{journal}: {UNTRUSTED}, since {SIDECAR} beside it can't be read; copy both again "
            "from the PC where the session ran"
        )
    return stated_anchor(stated)


def stated_anchor(stated: Any) -> Anchor | None:
    """Return the anchor that a JSON object states in `lines` and `chain`; None if it has none."""
    if not isinstance(stated, Mapping):
        return None
    lines, chain = stated.get("lines"), stated.get("chain")
    return Anchor(lines, chain) if isinstance(lines, int) and isinstance(chain, str) else None


def refuse_unless_kept(
    links: Sequence[str], anchor: Anchor | None, where: str, keeper: str = SIDECAR
) -> None:
    """Refuse a journal that lacks the lines that its anchor stands for.

    Parameters
    ----------
    links
        The chain of each whole line.
    anchor
        The anchor that was kept of the journal; None if there is none.
    where
        The journal, for the message.
    keeper
        What keeps the anchor.

    Raises
    ------
    UserError
        If lines are missing or were chained again.
    """
    if anchor is None or anchor.lines == 0:
        return
    if len(links) < anchor.lines:
        raise UserError(
            f"{where}: {UNTRUSTED}: it has {len(links)} lines, but {keeper} says {anchor.lines}"
        )
    if links[anchor.lines - 1] != anchor.chain:
        raise UserError(
            f"{where}: {UNTRUSTED}: line {anchor.lines} or one before it was changed after "
            f"{keeper} had noted it"
        )
