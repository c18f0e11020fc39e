"""How each protocol's sessions come on the screen: who takes part, plans, draws and answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from experiments.annotation.actor import ExpertActor
from experiments.annotation.bubble_actor import BubblerActor
from experiments.annotation.bubble_presenter import BubblePresenter
from experiments.annotation.presenter import ExpertPresenter
from experiments.engine.window import Rgb
from experiments.pages.context import SessionContext
from experiments.pages.settings import Painter, ScreenSettings
from experiments.robot_input.actor import Actor, RobotActor
from experiments.robot_input.inject import InputInjector
from experiments.screens.library import Library
from experiments.studies.accept_reject.presenter import PlatePainter, WindowPresenter
from experiments.studies.accept_reject_accuracy.painter import ImagePainter
from experiments.studies.progressive_reveal.actor import ViewerActor
from experiments.studies.progressive_reveal.painter import RevealPainter
from experiments.studies.progressive_reveal.presenter import RevealPresenter
from participants.lead_sessions import orders_of, plan_session
from participants.registry import Assignment, Role
from participants.robots import LEADS, ROBOT_AXIS, robot_of
from participants.session import Presenter, SessionPlan
from participants.simulate.accept_reject import lists_for_robots
from participants.studies.accept_reject.plan import SIDES
from participants.studies.accept_reject.annotation import plan_annotation
from participants.studies.accept_reject.robots.painter import RobotExpert
from participants.studies.progressive_reveal import plan as rounds
from participants.studies.progressive_reveal.bubbling import plan_bubbling
from participants.studies.progressive_reveal.robots.robot_bubbler import RobotBubbler
from participants.studies.progressive_reveal.robots.viewers import VIEWERS, ViewerParticipant
from stimuli.colour.display import DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import srgb_decode
from stimuli.pack import Pack
from stimuli.pack.model import PackKind
from stimuli.protocol import Protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

EXPERT: Final = "expert"

Place = tuple[str | None, int | None]
NOWHERE: Final[Place] = (None, None)


@dataclass(frozen=True, slots=True)
class RobotSeat:
    """Where a robot takes part.

    Attributes
    ----------
    kind
        Which robot, by name.
    pack, plan
        What it is shown, and in which order.
    participant, seed
        Its code, and the root of its draws.
    """

    kind: str
    pack: Pack
    plan: SessionPlan
    participant: str
    seed: int


@dataclass(frozen=True, slots=True)
class Design:
    """What a registry gives out evenly beside a pack's lists.

    Attributes
    ----------
    orders
        The orders that a protocol allows.
    sides
        Where acceptance may lie; empty where nothing is accepted.
    """

    orders: Callable[[Any], tuple[str, ...]]
    sides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Staging:
    """How the sessions of one kind of pack come on the screen.

    Attributes
    ----------
    role
        Who takes part.
    design
        What is given to whom; None where everybody is shown the same.
    plan
        Makes a person's plan of a pack, from what the person was given, the language and the code.
    painter
        Makes a painter of a pack, its protocol and a display.
    presenter
        Makes the presenter of a session.
    robots
        Names of the robots that can take part.
    actor
        Makes a robot that answers with a hand.
    robots_place
        Axis and rung that a robot is enrolled with, where a pack's lists are for one.
    mouse
        Tells whether a session listens to the mouse's buttons.
    """

    role: Role
    design: Design | None
    plan: Callable[[Pack, Assignment | None, str, str], SessionPlan]
    painter: Callable[[Pack, Any, DisplayProfile], Painter]
    presenter: Callable[[SessionContext, ScreenSettings, SessionPlan, Library], Presenter]
    robots: tuple[str, ...]
    actor: Callable[[RobotSeat, InputInjector], Actor]
    robots_place: Callable[[Pack], Place] = lambda pack: NOWHERE
    mouse: Callable[[SessionPlan], bool] = lambda plan: plan.device == "mouse"


def staging_of(pack: Pack) -> Staging:
    """Return how a pack's sessions come on the screen."""
    return STAGINGS[type(pack.protocol), pack.manifest.kind]


def background_of(protocol: Protocol, display: DisplayProfile) -> Rgb:
    """Return the code of the stimuli's ground on this display, which all screens lie on."""
    shown = protocol.plates if isinstance(protocol, AcceptReject) else protocol.images
    linear = srgb_decode(np.array(shown.ground_srgb) / 255)
    red, green, blue = (int(code) for code in lms_to_rgb8(linear_to_lms(linear), display))
    return red, green, blue


def _lead(seat: RobotSeat, injector: InputInjector) -> Actor:
    robot = robot_of(seat.kind, seat.pack, seat.participant, seat.seed)
    return RobotActor(robot, injector, seat.plan)


def _expert(seat: RobotSeat, injector: InputInjector) -> Actor:
    return ExpertActor(RobotExpert.of(seat.pack, seat.participant, seat.seed), injector, seat.plan)


def _marker(seat: RobotSeat, injector: InputInjector) -> Actor:
    return BubblerActor(RobotBubbler(seat.pack, seat.seed, seat.participant), injector, seat.plan)


def _plan_lead(pack: Pack, given: Assignment | None, language: str, code: str) -> SessionPlan:
    assert given is not None
    return plan_session(pack, given.list, given.order, language, code, given.accept_side)


def _plan_expert(pack: Pack, given: Assignment | None, language: str, code: str) -> SessionPlan:
    return plan_annotation(pack, language, code)


def _plan_participant(
    pack: Pack, given: Assignment | None, language: str, code: str
) -> SessionPlan:
    assert given is not None
    return rounds.plan_session(pack, given.list, given.order, language, code)


def _viewer(seat: RobotSeat, injector: InputInjector) -> Actor:
    language = seat.plan.language
    viewer = ViewerParticipant.of(seat.kind, seat.pack, seat.participant, seat.seed, language)
    return ViewerActor(viewer, injector, seat.plan)


def _plan_marker(pack: Pack, given: Assignment | None, language: str, code: str) -> SessionPlan:
    return plan_bubbling(pack, language, code)


def _robots_rung(pack: Pack) -> Place:
    return ROBOT_AXIS, lists_for_robots(pack)[0]


_LEADS = tuple(LEADS)
_OF_LEADS = Design(orders_of, SIDES)
STAGINGS: Final[Mapping[tuple[type[Protocol], PackKind], Staging]] = MappingProxyType(
    {
        (AcceptReject, "tasks"): Staging(
            role="expert",
            design=None,
            plan=_plan_expert,
            painter=PlatePainter,
            presenter=ExpertPresenter,
            robots=(EXPERT,),
            actor=_expert,
        ),
        (ProgressiveReveal, "tasks"): Staging(
            role="expert",
            design=None,
            plan=_plan_marker,
            painter=RevealPainter,
            presenter=BubblePresenter,
            robots=(EXPERT,),
            actor=_marker,
            mouse=lambda plan: False,
        ),
        (AcceptReject, "solutions"): Staging(
            role="lead",
            design=_OF_LEADS,
            plan=_plan_lead,
            painter=PlatePainter,
            presenter=WindowPresenter,
            robots=_LEADS,
            actor=_lead,
            robots_place=_robots_rung,
        ),
        (ProgressiveReveal, "solutions"): Staging(
            role="participant",
            design=Design(rounds.orders_of),
            plan=_plan_participant,
            painter=RevealPainter,
            presenter=RevealPresenter,
            robots=tuple(VIEWERS),
            actor=_viewer,
            mouse=lambda plan: True,
        ),
        (AcceptRejectAccuracy, "solutions"): Staging(
            role="lead",
            design=_OF_LEADS,
            plan=_plan_lead,
            painter=ImagePainter,
            presenter=WindowPresenter,
            robots=_LEADS,
            actor=_lead,
        ),
    }
)
"""By protocol and kind of pack."""
