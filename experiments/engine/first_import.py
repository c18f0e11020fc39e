"""PsychoPy's first import on a PC, one process at a time."""

from filelock import FileLock

from stimuli.places import cache_dir


def import_psychopy() -> None:
    """Import PsychoPy while no other process of this lab does.

    At its first import it makes its folder of preferences, and of two processes that do so
    at once one fails.
    """
    place = cache_dir()
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / "psychopy.lock"):
        import psychopy  # noqa: F401
