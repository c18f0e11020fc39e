"""Why somebody was disqualified, as far as the session's journal is here."""

from typing import TYPE_CHECKING

from participants.folder import DataFolder
from participants.registry.sessions import MAIN
from participants.texts.rig import RigWords
from stimuli.errors import UserError

if TYPE_CHECKING:
    from participants.session.qualification import Missed


def missed_of(data: DataFolder, session: str) -> "Missed | None":
    """Return why a session's person was disqualified; None if it isn't known here."""
    # Imported late: few days have somebody who was.
    from participants.journal import read_journal
    from participants.session.qualification import missed_in

    try:
        return missed_in(read_journal(data.session(session).journal))
    except (UserError, OSError):
        return None


def why_disqualified(missed: "Missed", purpose: str, words: RigWords) -> str:
    """Return the rule, how the person missed it, and if nobody has to replace them.

    Parameters
    ----------
    missed, purpose
        How, and the session's purpose.
    words
        The words of the day.
    """
    sentence = words.filled("disqualified_why", **missed.as_texts)
    return sentence if purpose == MAIN else f"{sentence} {words['nobody_replaces']}"
