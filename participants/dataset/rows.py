"""What every study's rows of ``trials.csv`` take over from a journal."""

from collections.abc import Collection

from participants.dataset.columns import OF_THE_SESSION
from participants.journal import Event, Journal
from stimuli.io.tables import Row


def main_trials(journal: Journal, phases: Collection[str] = ("main",)) -> list[tuple[Event, Event]]:
    """Return the end of each trial of some phases, in order, after its part's ``session`` event.

    A session that was resumed has several parts, and stamps compare within a part only.
    """
    found = []
    part = journal.header
    for event in journal.of("session", "trial_end"):
        if event.event == "session":
            part = event
        elif event["phase"] in phases:
            found.append((part, event))
    return found


OF_CHOICES = ("position", "presentation", "decision", "rt_s", "rt_corrected_s")
"""What a row of a timed choice takes over from the trial's end."""


def shared_cells(part: Event, end: Event) -> Row:
    """Return the cells that follow from a trial's end and from the part that it belongs to."""
    return {
        **{name: part[name] for name in OF_THE_SESSION},
        **{name: end[name] for name in ("trial", "frames_planned", "frames_dropped")},
        "onset_s": end["onset_t_monotonic_s"] - part.t_monotonic_s,
        "robot": part["robot"] or None,
    }


def choice_cells(part: Event, end: Event) -> Row:
    """Return the cells of a timed choice that isn't repeated; see `shared_cells`."""
    chosen = {name: end[name] for name in OF_CHOICES}
    return {**shared_cells(part, end), **chosen, "repeat_of": None, "counts": True}
