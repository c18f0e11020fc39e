"""Which showing counts, where a trial that lost a frame was shown again."""

from collections.abc import Iterable

from participants.journal import Event


def counting_trials(ends: Iterable[Event]) -> frozenset[int]:
    """Return the numbers of the trials that count, one for each thing shown in a section.

    Of a trial and its repeat the one without a dropped frame counts. Where both lost one the
    first does: what was seen before is the greater fault. What a study shows again by design, in
    another section, is no repeat.

    Parameters
    ----------
    ends
        The ``trial_end`` events of one session's main trials, in order.
    """
    chosen: dict[object, Event] = {}
    for end in ends:
        shown = end.fields.get("section"), end.fields.get("presentation", end["trial"])
        if shown not in chosen or (_is_flagged(chosen[shown]) and not _is_flagged(end)):
            chosen[shown] = end
    return frozenset(int(end["trial"]) for end in chosen.values())


def _is_flagged(end: Event) -> bool:
    return bool(end.fields.get("flagged"))
