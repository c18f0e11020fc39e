"""A session in its window: what it is shown with, and the person's way through it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, assert_never

from experiments.engine.display import require_display
from experiments.engine.pad import Pad, open_pad
from experiments.engine.stage import Stage, open_stage
from experiments.engine.virtual_display import USUAL_SIZE_PX, own_virtual_display
from experiments.engine.window import Rgb, SizePx, WindowSettings, has_window_manager
from experiments.pages.context import SessionContext
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.rig.profile import RigProfile, pad_line, profile_path, read_rig
from experiments.robot_input.actor import Actor, Person
from experiments.robot_input.inject import robot_injector
from experiments.robot_input.pad import robot_pad
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.session.booking import Booking, lab_values
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from experiments.study import background_of, screens_of
from participants.folder import LabFolder
from participants.journal import Event, read_journal
from participants.journal.events import LONGEST_NOTE
from participants.session import Around, done_steps, run_session
from participants.study import session_kind_of
from participants.texts import Words
from stimuli.pack import Pack
from stimuli.study import fonts_in


@dataclass(frozen=True, slots=True)
class Showing:
    """What a booked session needs for its screens, before a window is open.

    Attributes
    ----------
    pack, booking
        The pack to show, and the booked session.
    before
        Contents of a resumed session's journal.
    rig, painter
        The rig's profile, and the painter for its display.
    library, words, lab_values
        The texts, the short words, and the values for the lab in both.
    countdown_s
        Time from a pause's end until the session continues.
    """

    pack: Pack
    booking: Booking
    before: tuple[Event, ...]
    rig: RigProfile
    painter: Painter
    library: Library
    words: Words
    lab_values: Mapping[str, str]
    countdown_s: float

    @classmethod
    def of(cls, pack: Pack, booking: Booking, lab: LabFolder) -> "Showing":
        """Collect what a session needs for its screens.

        Raises
        ------
        UserError
            If the lab's texts can't be used, or the display can't show the plan; the message is one
            line.
        """
        plan = booking.plan
        rig = read_rig(profile_path(lab.rigs, booking.rig))
        library = Library(plan.text_folder, plan.language, lab.texts, fonts_in(pack))
        words, named = library.words(), lab_values(lab, plan)
        library.check(plan, named)
        painter = screens_of(pack).load_parts().painter(pack, pack.protocol, rig.colours)
        painter.check(plan)
        return cls(
            pack,
            booking,
            before=read_journal(booking.paths.journal).events if booking.resumed else (),
            rig=rig,
            painter=painter,
            library=library,
            words=words,
            lab_values=named,
            countdown_s=lab.settings.pause_countdown_s,
        )

    @property
    def background(self) -> Rgb:
        """Background colour of all screens, as display codes."""
        return background_of(self.pack.protocol, self.rig.colours)

    @property
    def trials_done(self) -> int:
        """Number of trials that have ended before."""
        return sum(event.event == "trial_end" for event in self.before)

    def settings(self, size_px: SizePx) -> ScreenSettings[Painter]:
        """Return the settings of screens for a window of this size."""
        look = Look(size_px, self.background, self.booking.plan.language, fonts_in(self.pack))
        return ScreenSettings(
            self.painter, self.rig, look, self.words, self.lab_values, self.countdown_s
        )

    @contextmanager
    def stage(self, request: RunRequest) -> Iterator[Stage]:
        """Open the requested window on the display."""
        asked, here = request.window, not request.has_own_display
        whole = here and request.person.robot is None and asked.size_px is None
        settings = WindowSettings(
            background=self.background,
            size_px=asked.size_px,
            full_screen=whole and not asked.windowed and has_window_manager(),
            decorated=asked.windowed,
            title=self.words[self.booking.plan.title],
        )
        with (
            self._pad(robot=request.person.robot is not None) as pad,
            open_stage(
                settings,
                marker=asked.marker,
                mouse=screens_of(self.pack).mouse(self.booking.plan),
                clicks=True,
                pad=pad,
                triggers=request.rig.trigger or self.rig.trigger_place(),
            ) as stage,
        ):
            yield stage

    @contextmanager
    def _pad(self, *, robot: bool) -> Iterator[Pad | None]:
        """Open the rig's response pad if the plan is answered on one; a robot has its own."""
        plan = self.booking.plan
        match plan.device:
            case "keyboard" | "mouse":
                yield None
            case "pad" if robot:
                with robot_pad() as pad:
                    yield pad
            case "pad":
                needed = (key for step in plan.steps for key in getattr(step, "keys", ()))
                with open_pad(pad_line(self.rig, self.booking.rig, needed)) as pad:
                    yield pad
            case unknown:
                assert_never(unknown)

    @contextmanager
    def actor(self, request: RunRequest, stage: Stage) -> Iterator[Actor]:
        """Yield the actor: a person, or a robot that presses real keys."""
        asked, plan = request.person, self.booking.plan
        if asked.robot is None:
            yield Person()
            return
        pads = [device.port for device in stage.others if isinstance(device, Pad)]
        with robot_injector(stage.window.system_id, *pads) as injector:
            if request.has_own_display:
                injector.stop_repeats()
            robots = session_kind_of(self.pack).load_robots()
            robot = robots.make(self.pack, plan.language)(
                asked.robot, self.booking.code, asked.seed
            )
            yield screens_of(self.pack).load_parts().actor(robot, injector, plan)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session whose window and journal are open.

    Attributes
    ----------
    showing
        What the session needs for its screens.
    pages, tasks
        The presenters of the pages that every session has, and of the study's tasks.
    recorder
        Records events.
    """

    showing: Showing
    pages: TextPages
    tasks: Any
    recorder: RegisteredJournal

    @classmethod
    def of(
        cls,
        showing: Showing,
        settings: ScreenSettings[Painter],
        context: SessionContext,
        recorder: RegisteredJournal,
    ) -> "OpenSession":
        """Return a session in a window, with the presenters of its study."""
        parts, plan = screens_of(showing.pack).load_parts(), showing.booking.plan
        stimuli = parts.page_stimuli(settings)
        pages = TextPages(context, settings, plan, showing.library, stimuli)
        recorder.ask_when_refused(pages.unsaved.ask)
        tasks = parts.presenter(context, settings, plan, pages.waiting)
        return cls(showing, pages, tasks, recorder)

    def run(self) -> bool:
        """Run the rest of the session; return whether it is complete."""
        booking, before = self.showing.booking, self.showing.before
        self.pages.check_clock("start")
        return run_session(
            booking.plan,
            done_steps(booking.plan, before) if booking.resumed else frozenset(),
            self.pages,
            self.tasks,
            self.recorder,
            Around(
                before=before,
                at_end=partial(self.pages.check_clock, "end"),
                keep_apart=self.recorder.keep_apart,
                close=self.pages.close,
            ),
        )

    def add_note(self, note: str) -> None:
        """Record the experimenter's note, if there is one; the window may be closed already."""
        if kept := note.strip()[:LONGEST_NOTE]:
            self.recorder.append("note", at="end", text=kept)


def find_display(request: RunRequest) -> None:
    """Start the requested virtual display, or check that there is a display."""
    if request.has_own_display:
        own_virtual_display(request.window.size_px or USUAL_SIZE_PX)
    require_display()
