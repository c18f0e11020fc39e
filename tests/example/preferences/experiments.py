"""How an item comes on the screen: its text, its picture, and the answers above their keys."""

from experiments.engine.picture import Layers
from experiments.pages.settings import ScreenSettings
from experiments.plain_choice import choice_screens
from experiments.screens.options import option_layers
from experiments.screens.parts import Option
from experiments.study import Study
from participants.session import ChoiceTrial


def draw(settings: ScreenSettings, trial: ChoiceTrial, seen: bool) -> Layers:
    """Return what a trial shows; the picture isn't ``seen`` once its exposure is over."""
    item, painter = trial.stimulus, settings.painter
    answers = [Option(settings.words.cap(key), answer) for key, answer in trial.options.items()]
    picture = None
    if item["picture"]:
        picture = painter.picture(item["picture"], settings.stimulus_px())
    return option_layers(settings.look, answers, picture, item["text"] or "", gone=not seen)


STUDY = Study(
    sessions={"solutions": choice_screens(draw, lambda protocol: protocol.choice.size_deg)},
)
