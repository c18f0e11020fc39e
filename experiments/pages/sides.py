"""What the keys or buttons on either side of a stimulus do."""

from experiments.pages.settings import Painter, ScreenSettings
from experiments.screens.trial import KeyHint
from participants.session import TimedChoice


def side_hints(settings: ScreenSettings[Painter], task: TimedChoice) -> tuple[KeyHint, KeyHint]:
    """Return the hints on the left and on the right, for a choice between two.

    Parameters
    ----------
    settings
        Of the screens; the painter's protocol names both keys.
    task
        Its options say what they choose.
    """
    words, options = settings.words, task.options
    if task.device == "mouse":
        return (
            KeyHint(words[options["left"]], button="left"),
            KeyHint(words[options["right"]], button="right"),
        )
    session = settings.painter.protocol.session
    left, right = session.left_key, session.right_key
    return (
        KeyHint(words[options[left]], words.cap(left)),
        KeyHint(words[options[right]], words.cap(right)),
    )
