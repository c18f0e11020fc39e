"""The mark that is looked at before a critical stimulus comes."""

from collections.abc import Callable

from experiments.engine.picture import Picture
from experiments.engine.schedule import frames_of
from experiments.engine.stage import Stage


def fixate(
    stage: Stage, mark: Picture | None, fixation_s: float, ended: Callable[[], bool]
) -> bool:
    """Show a mark so that the next flip falls its refreshes after the mark's first.

    Parameters
    ----------
    stage
        Where.
    mark
        What; None is the empty screen.
    fixation_s
        For how long, in whole refreshes; 0 shows none.
    ended
        Asked before the mark and after each of its frames whether something ends it.

    Returns
    -------
    bool
        Whether something ended it.
    """
    frames = frames_of(fixation_s, stage.period_s)
    over = ended()
    if over or not frames:
        return over
    flip_s = stage.frame(mark)
    count = stage.pacing.count_from(flip_s)
    over = ended()
    while not over and count(flip_s) + 1 < frames:
        flip_s = stage.frame(mark)
        over = ended()
    return over
