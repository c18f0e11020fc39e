"""What is next for a person, in words."""

from typing import Final

from experiments.launch.examination import Next
from participants.texts.rig import RigWords
from participants.watching.sentences import where

WORDS: Final = "launch.toml"
"""The window's words."""


def next_words(following: Next, robot: str | None, words: RigWords, watching: RigWords) -> str:
    """Return what is next.

    Parameters
    ----------
    following
        What is next.
    robot
        Who answers instead of a person; None for people.
    words, watching
        Words of the window, and of the view of a session.
    """
    parts = [_next(following, words, watching)]
    seen = following.progress
    if seen is not None and seen.sittings > 1:
        number = str(min(seen.sitting, seen.sittings))
        parts.insert(0, words.filled("next_sitting", sitting=number, sittings=str(seen.sittings)))
    if robot:
        parts.append(words.filled("next_robot", robot=robot))
    return "; ".join(parts)


def _next(following: Next, words: RigWords, watching: RigWords) -> str:
    seen = following.progress
    if following.verb == "screen":
        return words["next_screening" if seen is None else "next_screening_goes_on"]
    if seen is None:
        return words["next_new"]
    if not following.consented:
        return words["next_consent"]
    return words.filled("next_goes_on", place=where(seen, watching))
