"""What a study declares to this room: how its sessions come on the screen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.engine.window import Rgb
from experiments.pages.context import SessionContext
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.text_pages import PageStimuli
from experiments.pages.timed_choice import choice_keys
from experiments.pages.waiting import Waiting
from experiments.rig.checks.measured import Colours
from experiments.robot_input.actor import Actor
from experiments.robot_input.inject import InputInjector
from experiments.screens.strokes import ToolHint
from participants.folder import LabFolder
from participants.session import SessionPlan
from participants.texts import Words
from stimuli.catalogue import studies_of
from stimuli.colour.display import DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import srgb_decode
from stimuli.pack import Pack
from stimuli.protocol import Protocol


@dataclass(frozen=True, slots=True)
class ScreenParts:
    """What draws a kind of session and answers in it.

    Attributes
    ----------
    painter
        Makes a painter of a pack, its protocol and a display.
    presenter
        Makes the presenter of the study's tasks.
    actor
        Makes a robot's actor, which answers by real key presses and mouse moves.
    page_stimuli
        Makes what draws the stimuli on pages.
    keys
        Returns what keys and buttons do in its tasks, for the experimenter's key card.
    """

    painter: Callable[[Pack, Any, DisplayProfile], Painter]
    presenter: Callable[[SessionContext, ScreenSettings[Any], SessionPlan, Waiting], Any]
    actor: Callable[[Any, InputInjector, SessionPlan], Actor]
    page_stimuli: Callable[[ScreenSettings[Any]], PageStimuli] = lambda settings: PageStimuli()
    keys: Callable[[SessionPlan, Words], tuple[ToolHint, ...]] = choice_keys


@dataclass(frozen=True, slots=True)
class SessionScreens:
    """How one kind of session comes on the screen.

    Attributes
    ----------
    load_parts
        Imports what draws and answers, and returns it. Only a session that begins needs
        it.
    colours
        What depends on them: ``critical`` where they must be right (then calibration is a must for
        purpose main and the colour checklist is asked), ``none`` of what is read (then nothing is
        said of them), ``shown`` of everything else.
    mouse
        Tells whether a session listens to the mouse's buttons.
    """

    load_parts: Callable[[], ScreenParts]
    colours: Colours = "shown"
    mouse: Callable[[SessionPlan], bool] = lambda plan: plan.device == "mouse"


@dataclass(frozen=True, slots=True)
class DemoRecipe:
    """What the demo of a study is made of.

    Attributes
    ----------
    protocol
        File of the demo's own protocol.
    build
        Further options of ``build``.
    built
        What ``build`` makes, in words.
    robots
        Names of the robots that take part.
    trials
        Returns the number of main trials of a session, from the protocol.
    trials_word
        What a trial is called, in the plural.
    minutes
        About how long the demo takes.
    """

    protocol: Path
    build: tuple[str, ...]
    built: str
    robots: tuple[str, ...]
    trials: Callable[[Any], int]
    trials_word: str
    minutes: int


TaskPackMaker = Callable[[Path, LabFolder, Path | None, Path | None], Path]
"""Makes a task pack of a folder of images, for ``annotate``: source, lab, protocol, names."""


@dataclass(frozen=True, slots=True)
class Study:
    """What a study declares of its screens.

    Attributes
    ----------
    sessions
        By the kind of pack (``tasks``, ``solutions``).
    demo
        What its demo is made of; None if it has none.
    task_pack_of
        Makes a task pack of a folder of images; None if only ``build`` makes task packs.
    """

    sessions: Mapping[str, SessionScreens]
    demo: DemoRecipe | None = None
    task_pack_of: TaskPackMaker | None = None


def screens_of(pack: Pack) -> SessionScreens:
    """Return how a pack's sessions come on the screen."""
    return studies_of("experiments")[pack.protocol.catalogue_name].sessions[pack.manifest.kind]


def background_of(protocol: Protocol, display: DisplayProfile) -> Rgb:
    """Return the code of the stimuli's ground on this display, which all screens lie on."""
    ground_srgb = studies_of("stimuli")[protocol.catalogue_name].ground_srgb(protocol)
    linear = srgb_decode(np.array(ground_srgb) / 255)
    red, green, blue = (int(code) for code in lms_to_rgb8(linear_to_lms(linear), display))
    return red, green, blue
