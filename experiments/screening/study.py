"""How a screening comes on the screen, for every study that screens."""

from typing import Final

from experiments.study import SessionScreens
from stimuli.catalogue import Late

HERE = __package__

SCREENING: Final = SessionScreens(
    painter=Late(f"{HERE}.painter:ScreeningPainter"),
    presenter=Late(f"{HERE}.presenter:ScreeningWindow"),
    actor=Late(f"{HERE}.actor:ScreeningActor"),
    page_stimuli=Late(f"{HERE}.presenter:page_stimuli"),
    colours="critical",
)
