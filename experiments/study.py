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
from experiments.robot_input.recalling import Recall, recalled_choice
from experiments.screens.strokes import ToolHint
from participants.folder import LabFolder
from participants.session import SessionPlan
from participants.texts import Words
from stimuli.catalogue import studies_of
from stimuli.colour.display import DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import srgb_decode
from stimuli.devices import is_pointing
from stimuli.pack import Pack
from stimuli.protocol import Protocol


@dataclass(frozen=True, slots=True)
class ScreenParts:
    """The functions that create the parts of a kind of session.

    Attributes
    ----------
    painter
        Makes a painter from a pack, its protocol and a display.
    presenter
        Makes the presenter of the study's tasks.
    actor
        Makes a robot's actor, which answers with real key presses and mouse moves.
    page_stimuli
        Makes the functions that draw stimuli on pages.
    keys
        Returns what keys and buttons do in its tasks, for the experimenter's key card.
    recall
        Returns what a person did in a task, from the journal, for a replay.
    """

    painter: Callable[[Pack, Any, DisplayProfile], Painter]
    presenter: Callable[[SessionContext, ScreenSettings[Any], SessionPlan, Waiting], Any]
    actor: Callable[[Any, InputInjector, SessionPlan], Actor]
    page_stimuli: Callable[[ScreenSettings[Any]], PageStimuli] = lambda settings: PageStimuli()
    keys: Callable[[SessionPlan, Words], tuple[ToolHint, ...]] = choice_keys
    recall: Recall = recalled_choice


@dataclass(frozen=True, slots=True)
class SessionScreens:
    """The screens of one kind of session.

    Attributes
    ----------
    load_parts
        Imports and returns the parts of a session. They are needed only when a session
        begins.
    colours
        How the session depends on colours: ``critical`` if they must be right (purpose main then
        requires calibration, and the colour checklist is asked), ``none`` for text (then colours
        aren't checked), ``shown`` for everything else.
    mouse
        Returns whether a session listens to the mouse's buttons.
    """

    load_parts: Callable[[], ScreenParts]
    colours: Colours = "shown"
    mouse: Callable[[SessionPlan], bool] = lambda plan: is_pointing(plan.device)


@dataclass(frozen=True, slots=True)
class DemoRecipe:
    """The parts of a study's demo.

    Attributes
    ----------
    protocol
        File of the demo's protocol.
    build
        Further options of ``build``.
    built
        What ``build`` makes, in words.
    robot
        The robot that takes its session in a window.
    simulated
        The robots that answer without a window, as ``simulate --mix`` reads them.
    trials
        Returns the number of main trials of a session, from the protocol.
    trials_word
        The word for trials, in the plural.
    minutes
        Approximate duration of the demo.
    """

    protocol: Path
    build: tuple[str, ...]
    built: str
    robot: str
    simulated: str
    trials: Callable[[Any], int]
    trials_word: str
    minutes: int


TaskPackMaker = Callable[[Path, LabFolder, Path | None, Path | None], Path]
"""Makes a task pack from a folder of images, for ``annotate``: source, lab, protocol, names."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study's declaration of its screens.

    Attributes
    ----------
    sessions
        Screens by the kind of pack (``tasks``, ``solutions``).
    demo
        The parts of its demo; None if it has none.
    task_pack_of
        Makes a task pack from a folder of images; None if only ``build`` makes task packs.
    """

    sessions: Mapping[str, SessionScreens]
    demo: DemoRecipe | None = None
    task_pack_of: TaskPackMaker | None = None


def screens_of(pack: Pack) -> SessionScreens:
    """Return the screens of a pack's sessions."""
    study = studies_of("experiments").require(pack.protocol.catalogue_name, f"pack {pack.pack_id}")
    return study.sessions[pack.manifest.kind]


def background_of(protocol: Protocol, display: DisplayProfile) -> Rgb:
    """Return the background colour of the stimuli, and of all screens, on this display."""
    ground_srgb = studies_of("stimuli")[protocol.catalogue_name].ground_srgb(protocol)
    linear = srgb_decode(np.array(ground_srgb) / 255)
    red, green, blue = (int(code) for code in lms_to_rgb8(linear_to_lms(linear), display))
    return red, green, blue
