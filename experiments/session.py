"""One session from code to tables: who, which list, which window, what is left to do."""

import importlib.metadata
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from experiments.actor import Actor, Person, RobotActor
from experiments.album import Album
from experiments.engine.clock import journal_clock
from experiments.engine.stage import Stage, open_stage
from experiments.engine.window import WindowSettings
from experiments.inject import robot_hand
from experiments.request import RunRequest
from experiments.rig.profile import RigProfile, profile_path, read_rig
from experiments.screens.look import Look
from experiments.studies.accept_reject import PlatePainter, Setting, WindowPresenter
from experiments.studies.library import Library
from experiments.virtual_display import virtual_display
from participants.dataset.derive import write_tables
from participants.folder import DataFolder, LabFolder, new_session_id
from participants.journal import JournalWriter, Recorder, read_journal
from participants.registry import NewSession, Registry, offers_of
from participants.robots import ROBOT_AXIS, ROBOTS, RobotParticipant
from participants.session import SessionPlan, done_steps, run_session
from participants.simulate.accept_reject import lists_for_robots
from participants.studies.accept_reject import RENEWED, orders_of, plan_session
from stimuli.colour.display import lms_to_rgb8, linear_to_lms, profile_hash
from stimuli.colour.spaces import srgb_decode
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.protocol.accept_reject import AcceptReject

import numpy as np

ROLE = "lead"
VIRTUAL_SIZE_PX = (1280, 720)
VERSIONS_OF = ("psychopy", "psychtoolbox", "pyglet", "numpy", "pillow")


@dataclass(frozen=True, slots=True)
class Ran:
    """How a session went.

    Attributes
    ----------
    session, participant
        Its id and whose it was.
    complete
        Whether it came to its end.
    resumed
        Whether it went on after an interruption.
    trials
        Rows of the data folder's trial table now.
    """

    session: str
    participant: str
    complete: bool
    resumed: bool
    trials: int
