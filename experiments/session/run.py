"""One session in a window: booked, opened, run and closed; `command` has admitted and checked it.

`SessionRun.run` reads from top to bottom as a session goes.
"""

import importlib.metadata
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from experiments.engine.display import display_taken
from experiments.engine.stage import Stage
from experiments.pages.context import Album, SessionContext
from experiments.pages.settings import Painter, ScreenSettings
from experiments.rig.checks.crashes import crash_report
from experiments.rig.checks.finding import Finding
from experiments.rig.doctor import of_stage
from experiments.session.booking import Booking, booked, require_idle, was_declined, was_left
from experiments.session.opened import OpenSession, Showing, find_display
from experiments.session.preflight import Preflight
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from experiments.study import screens_of
from participants.clock import clock_name, clock_resolution_s
from participants.dataset.custody import Roll
from participants.dataset.derive import write_tables
from participants.dataset.journals import write_session_sidecar
from participants.files import private_lock
from participants.folder import DataFolder, LabFolder
from participants.journal import JournalWriter, read_journal
from participants.registry import Registry, check_code, outbox
from participants.registry.records import tombstones
from participants.session import has_ended_early
from participants.tombstones import add_tombstones
from stimuli.colour.display import profile_hash
from stimuli.errors import UserError
from stimuli.pack import Pack

VERSIONS_OF = ("psychopy", "psychtoolbox", "pyglet", "numpy", "pillow")


@dataclass(frozen=True, slots=True)
class SessionResult:
    """Result of a session.

    Attributes
    ----------
    session, participant
        The session's id and the person's code.
    complete
        Whether the person completed it.
    resumed
        Whether it continued an interrupted session.
    trials
        Number of rows in the data folder's trial table now.
    left_out
        Why sessions in the data folder can't be in its tables, by id.
    untold
        Why the registry isn't up to date on sessions, by id.
    flagged
        Number of the session's trials, in all its parts, during which a frame was lost, a clock
        was set, a pause was requested or the keyboard's focus was lost.
    waiting
        Number of unfinished sessions that aren't in the tables because their people haven't
        agreed to the use of the data yet.
    left
        Whether the person left the study for good.
    declined
        Whether the person declined to take part.
    ended_early
        Whether it ended without a part because the person doesn't qualify.
    """

    session: str
    participant: str
    complete: bool
    resumed: bool
    trials: int
    left_out: Mapping[str, str]
    untold: Mapping[str, str]
    flagged: int
    waiting: int = 0
    left: bool = False
    declined: bool = False
    ended_early: bool = False


class Experimenter(Protocol):
    """The experimenter at a session: learns how it begins, and may write a note at its end."""

    def expect_window(self) -> None:
        """Learn that the session can begin, and that the window opens next."""

    def learn_findings(self, findings: Sequence[Finding]) -> None:
        """Learn what the checks of the open window found, before anything is shown in it."""

    def write_note(self) -> str:
        """Return a note after the window has closed; empty for none."""


class NoExperimenter:
    """An `Experimenter` for sessions without one."""

    def expect_window(self) -> None:
        """Do nothing."""

    def learn_findings(self, findings: Sequence[Finding]) -> None:
        """Do nothing."""

    def write_note(self) -> str:
        """Return an empty note."""
        return ""


@dataclass(frozen=True, slots=True)
class SessionRun:
    """A session that may begin.

    Attributes
    ----------
    request
        The request of the command line.
    lab, pack
        The lab folder with people and data, and the pack to show.
    preflight
        Result of the checks, and why the session may begin; it is recorded.
    experimenter
        The experimenter at the session.
    """

    request: RunRequest
    lab: LabFolder
    pack: Pack
    preflight: Preflight
    experimenter: Experimenter = field(default_factory=NoExperimenter)

    @property
    def data(self) -> DataFolder:
        """Folder for the session's data."""
        return self.request.data_folder(self.lab)

    def run(self) -> SessionResult:
        """Run the session and write the tables of its data folder.

        Raises
        ------
        UserError
            If the session can't begin or continue; the message is one line.
        """
        with closing(Registry.of(self.lab)) as registry:
            code = self.request.person.participant
            outbox.catch_up(self.data, registry, but=code and check_code(code))
            find_display(self.request)
            # Taken before booking: if the display is refused, this process must not touch a session
            # that another window on this display has just booked for the same person.
            with (
                display_taken("a session"),
                booked(self.request, self.lab, registry, self.pack) as booking,
            ):
                complete = self._show(booking, registry)
            _anchor(booking, registry)
            still_untold = outbox.catch_up(self.data, registry)
            # If the registry can't be reached, the session's journal shows a withdrawal.
            with suppress(UserError):
                add_tombstones(self.data, registry.transact(tombstones))
            roll = self._roll(registry)
        # Several sessions may end at the same time; the last table must contain them all.
        with private_lock(self.data.tables_lock):
            tables = write_tables(self.data, self.pack.manifest.study, roll=roll)
        early = _has_ended_early(booking)
        return SessionResult(
            session=booking.paths.session,
            participant=booking.code,
            complete=complete and not early,
            ended_early=early,
            resumed=booking.resumed,
            trials=len(tables.trials),
            left_out=tables.left_out,
            waiting=len(tables.waiting),
            left=was_left(booking.paths),
            declined=was_declined(booking.paths),
            untold=still_untold,
            flagged=_flagged(booking),
        )

    def _roll(self, registry: Registry) -> Roll:
        """Return what is known of the data folder, also if the registry is out of reach now."""
        try:
            return Roll.with_registry(self.data, self.lab, registry)
        except UserError:
            return Roll.without_registry(self.data)

    def _show(self, booking: Booking, registry: Registry) -> bool:
        """Show the rest of a booked session; return whether it is complete."""
        # First, since a session that is cut off leaves a journal, and the folder's tables can't
        # be derived without each session's pack.
        self.data.copy_pack(self.pack)
        if booking.resumed and read_journal(booking.paths.journal).complete:
            # The registry doesn't know of the end; if the two differ, the journal wins.
            registry.finish_session(booking.paths.session)
            return True
        with (
            crash_report(self.lab, booking.paths),
            # The journal stays open longer than the window, for the experimenter's note at the end.
            ExitStack() as journals,
        ):
            self.experimenter.expect_window()
            with self._opened(booking, registry, journals) as session:
                complete = session.run()
            session.add_note(self.experimenter.write_note())
        return complete

    @contextmanager
    def _opened(
        self, booking: Booking, registry: Registry, journals: ExitStack
    ) -> Iterator[OpenSession]:
        """Open the window and then the journal, which the stack closes."""
        request, showing = self.request, Showing.of(self.pack, booking, self.lab)
        with showing.stage(request) as stage, showing.actor(request, stage) as actor:
            findings = of_stage(stage, screens_of(self.pack).colours)
            self.experimenter.learn_findings(findings)
            preflight = self.preflight.joined([*findings, *self._take_over_findings(booking)])
            settings = showing.settings(stage.window.size_px)
            header = journal_header(
                booking, stage, settings, robot=request.person.robot, injection=actor.injection
            )
            journal = journals.enter_context(_journal(booking, header))
            recorder = RegisteredJournal(journal, registry, self.data, booking, showing.trials_done)
            preflight.record(recorder)
            album = Album(request.window.screenshots)
            context = SessionContext(stage, actor, album, recorder, recorder)
            yield OpenSession.of(showing, settings, context, recorder)

    def _take_over_findings(self, booking: Booking) -> tuple[Finding, ...]:
        """Return the finding, for the journal, that the session was taken over from another rig."""
        if not booking.taken_from:
            return ()
        what = f"from rig {booking.taken_from}: {self.request.rig.take_over.strip()}"
        return (Finding("take-over", "warn", what, "leave that PC's copy of the session alone"),)


@contextmanager
def _journal(booking: Booking, header: dict[str, Any]) -> Iterator[JournalWriter]:
    """Open the session's journal, new or existing."""
    # Another display may have begun it meanwhile; the journal's refusal would mention only files.
    require_idle(booking.code, booking.paths)
    begin = JournalWriter.resume if booking.resumed else JournalWriter.create
    with begin(booking.paths.journal, header) as journal:
        yield journal


def _anchor(booking: Booking, registry: Registry) -> None:
    """Save the journal's last link in two further places: the sidecar and the registry."""
    kept = write_session_sidecar(booking.paths)
    if kept is not None:
        # If the registry can't be reached, it is updated from the journal at the next start.
        with suppress(UserError):
            registry.anchor_session(booking.paths.session, kept)


def _has_ended_early(booking: Booking) -> bool:
    events = read_journal(booking.paths.journal).events
    return has_ended_early(booking.plan.steps, [(event.event, event.fields) for event in events])


def _flagged(booking: Booking) -> int:
    ends = read_journal(booking.paths.journal).of("trial_end")
    return sum(bool(end["flagged"]) for end in ends)


def journal_header(
    booking: Booking,
    stage: Stage,
    settings: ScreenSettings[Painter],
    *,
    robot: str | None,
    injection: str,
) -> dict[str, Any]:
    """Return the fields of a journal's first event.

    Parameters
    ----------
    booking
        The session.
    stage, settings
        The open window, and the settings of its screens.
    robot
        The robot's name; None for a person.
    injection
        How the robot's key events are made; empty for a person.
    """
    plan = booking.plan
    return {
        "session": booking.paths.session,
        "participant": booking.code,
        "role": booking.role,
        "study": plan.study,
        "purpose": booking.purpose,
        "pack_id": plan.pack_id,
        "protocol_hash": plan.protocol_hash,
        "list": plan.list_id,
        "order": plan.order,
        "language": plan.language,
        "rig": booking.rig,
        "robot": robot or "",
        "refresh_hz": 1 / stage.period_s,
        "pacing": stage.pacing.name,
        "keyboard_backend": stage.keyboard.backend,
        "clock": clock_name(),
        "clock_resolution_s": clock_resolution_s(),
        "display": {**_display(stage, settings), "injection": injection},
        "versions": _versions(),
        "accept_key": plan.keys.get("accept", ""),
        "reject_key": plan.keys.get("reject", ""),
        "time_zone": str(datetime.now().astimezone().tzinfo),
    }


def _display(stage: Stage, settings: ScreenSettings[Painter]) -> dict[str, Any]:
    """Return the display's properties, and how frames are paced."""
    rig = settings.rig
    return {
        "profile_hash": profile_hash(rig.colours),
        "calibrated": rig.colours.calibrated,
        "profile": rig.colours.name,
        "rig_hash": rig.hash(),
        "grade": "" if rig.timing is None else rig.timing.grade,
        "width_px": stage.window.size_px[0],
        "height_px": stage.window.size_px[1],
        "px_per_deg": rig.px_per_deg(stage.window.size_px[0]),
        "plate_px": settings.stimulus_px(),
        "refresh_sd_ms": stage.refresh.sd_s * 1000,
        "marker": stage.marker is not None,
        "triggers": stage.triggers.name,
        "priority": stage.priority,
    }


def _versions() -> dict[str, str]:
    parts = {name: importlib.metadata.version(name) for name in VERSIONS_OF}
    return {"python": platform.python_version(), "system": platform.platform(), **parts}
