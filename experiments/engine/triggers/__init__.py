"""Triggers: numbers sent to another device (EEG, eye tracker) right after a flip or a press.

`open_triggers` gives a `TriggerLine` for what a rig's profile or ``run --trigger`` names.
"""

from experiments.engine.triggers.codes import CODES, Mark
from experiments.engine.triggers.line import SentTrigger, TriggerDevice, TriggerLine
from experiments.engine.triggers.place import TriggerPlace, open_triggers, parse_place

__all__ = [
    "CODES",
    "Mark",
    "SentTrigger",
    "TriggerDevice",
    "TriggerLine",
    "TriggerPlace",
    "open_triggers",
    "parse_place",
]
