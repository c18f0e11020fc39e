"""A journal's last link, kept in a second place, by which a cut or forged journal is noticed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stimuli.errors import UserError

SIDECAR: Final = "session.json"
"""File beside a journal; its `lines` and `chain` are the anchor."""
MEND: Final = "put the session's folder of a backup in its place"


@dataclass(frozen=True, slots=True)
class Anchor:
    """How many lines a journal had, and the chain of the last of them."""

    lines: int
    chain: str


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
        text = f"has {len(links)} lines, but {keeper} says {anchor.lines}"
        raise UserError(f"{where}: {text}; {MEND}")
    if links[anchor.lines - 1] != anchor.chain:
        raise UserError(
            f"{where}: line {anchor.lines} or one before it was changed after {keeper} had noted "
            f"it; {MEND}"
        )
