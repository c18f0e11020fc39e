"""How a screening comes on the screen, for every study that screens."""

from typing import Final

from experiments.study import ScreenParts, SessionScreens


def _load_parts() -> ScreenParts:
    from experiments.screening.actor import ScreeningActor
    from experiments.screening.presenter import ScreeningPainter, ScreeningWindow, page_stimuli

    return ScreenParts(ScreeningPainter, ScreeningWindow, ScreeningActor, page_stimuli)


SCREENING: Final = SessionScreens(_load_parts, colours="critical")
