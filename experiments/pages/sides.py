"""What the keys or buttons on either side of a stimulus do."""

from experiments.pages.settings import ScreenSettings
from experiments.screens.trial import KeyHint
from participants.session import TimedChoice


def side_hints(settings: ScreenSettings, task: TimedChoice) -> tuple[KeyHint, KeyHint]:
    """Return the hints on the left and on the right, for a choice between two.

    Parameters
    ----------
    settings
        Of the screens; the painter's protocol names both keys.
    task
        Its options say what they choose.
    """
    if task.device == "mouse":
        left, right = "left", "right"
    else:
        session = settings.painter.protocol.session
        left, right = session.left_key, session.right_key
    return _hint(settings, task, left), _hint(settings, task, right)


def _hint(settings: ScreenSettings, task: TimedChoice, key: str) -> KeyHint:
    word = settings.words[task.options[key]]
    if task.device == "mouse":
        return KeyHint(word, button=key)
    return KeyHint(word, settings.words.cap(key))
