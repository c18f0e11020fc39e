"""One session in a window: from the request to the tables."""

import importlib.metadata
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from experiments.engine.desktop import require_display
from experiments.engine.display_lock import display_taken
from experiments.engine.stage import Stage, open_stage
from experiments.engine.triggers import TriggerPlace
from experiments.engine.virtual_display import USUAL_SIZE_PX, own_virtual_display
from experiments.engine.window import Rgb, WindowSettings, has_window_manager
from experiments.pages.album import Album
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.rig.checks.finding import Finding
from experiments.rig.crash_report import crash_report
from experiments.rig.doctor import of_stage
from experiments.rig.profile import profile_path, read_rig
from experiments.robot_input.actor import Actor, Person
from experiments.robot_input.inject import robot_injector
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.session.admission import lab_values
from experiments.session.booking import Booking, booked, was_declined, was_left
from experiments.session.preflight import Preflight
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from experiments.study import background_of, screens_of
from participants.clock import clock_name, clock_resolution_s
from participants.dataset.derive import write_tables
from participants.dataset.session_sidecar import write_session_sidecar
from participants.folder import LabFolder
from participants.journal import Event, JournalWriter, read_journal
from participants.journal.events import LONGEST_NOTE
from participants.locks import private_lock
from participants.registry import Registry, check_code, outbox
from participants.registry.records import tombstones
from participants.registry_anchors import anchors_in
from participants.session import done_steps, run_session
from participants.study import session_kind_of
from participants.tombstones import add_tombstones
from stimuli.colour.display import profile_hash
from stimuli.errors import UserError
from stimuli.pack import Pack

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
    left_out
        Why a session of the data folder can't be in its tables, by its id.
    untold
        Why the registry doesn't know everything of a session yet, by its id.
    flagged
        Trials of the session, all its parts, during which a frame was lost, a clock was set, a
        pause was asked for or the keyboard's focus was lost.
    waiting
        How many unfinished sessions are not in its tables, since their people haven't agreed to
        the use of the data yet.
    left
        Whether the person left the study for good.
    declined
        Whether the person declined to take part.
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


def run(
    request: RunRequest,
    lab: LabFolder,
    pack: Pack,
    preflight: Preflight,
    on_begin: Callable[[], None] = lambda: None,
    on_stage: Callable[[Sequence[Finding]], None] = lambda findings: None,
    ask_note: Callable[[], str] = lambda: "",
) -> Ran:
    """Run a session and write the tables of its data folder.

    Parameters
    ----------
    request
        What was asked for.
    lab, pack
        Where people and data are kept, and what is shown.
    preflight
        What was found before the session, and why it may begin; recorded.
    on_begin
        Called when nothing stands in the session's way any more, before the window opens.
    on_stage
        Called with what the checks of the open window found, before anything is shown in it.
    ask_note
        Called when the window is closed: returns the experimenter's note, empty for none.

    Raises
    ------
    UserError
        If the session can't begin or go on: one line.
    """
    data = request.data_folder(lab)
    with closing(Registry.open(lab.registry_url)) as registry:
        own = request.person.participant and check_code(request.person.participant)
        outbox.catch_up(data, registry, but=own)
        booking, complete = _run(
            request, lab, registry, pack, preflight, on_begin, on_stage, ask_note
        )
        _anchor(registry, booking)
        still_untold = outbox.catch_up(data, registry)
        # Where the registry is out of reach, the session's own journal tells of a withdrawal.
        with suppress(UserError):
            add_tombstones(data, registry.transact(tombstones))
        anchors = anchors_in(registry, data)
    # Several sessions may end at once; the last table must hold them all.
    with private_lock(data.tables_lock):
        tables = write_tables(data, pack.manifest.study, known=anchors.known)
    return Ran(
        session=booking.paths.session,
        participant=booking.code,
        complete=complete,
        resumed=booking.resumed,
        trials=len(tables.trials),
        left_out=tables.left_out,
        waiting=len(tables.waiting),
        left=was_left(booking.paths),
        declined=was_declined(booking.paths),
        untold=still_untold,
        flagged=_flagged(booking),
    )


def _anchor(registry: Registry, booking: Booking) -> None:
    """Keep the journal's last link in two further places."""
    kept = write_session_sidecar(booking.paths)
    if kept is not None:
        # Where the registry is out of reach, it learns from the journal at the next start.
        with suppress(UserError):
            registry.anchor_session(booking.paths.session, kept)


def _run(
    request: RunRequest,
    lab: LabFolder,
    registry: Registry,
    pack: Pack,
    preflight: Preflight,
    on_begin: Callable[[], None],
    on_stage: Callable[[Sequence[Finding]], None],
    ask_note: Callable[[], str],
) -> tuple[Booking, bool]:
    """Return the session that was run, and whether it is complete."""
    with booked(request, lab, registry, pack) as booking:
        # First of all: a session that is cut off leaves a journal, and no table of the whole
        # folder can be derived without the pack of each.
        request.data_folder(lab).copy_pack(pack)
        if complete := _is_complete(booking):
            # The registry wasn't told of the end; where the two differ the journal wins.
            registry.finish_session(booking.paths.session)
        else:
            _find_display(request)
            # The journal outlasts the window: the experimenter's note at the end comes after it.
            with (
                display_taken(f"session {booking.paths.session}"),
                crash_report(lab, booking.paths),
                ExitStack() as journals,
            ):
                on_begin()
                complete, recorder = _run_booked(
                    request, lab, registry, pack, booking, preflight, on_stage, journals
                )
                if note := ask_note().strip()[:LONGEST_NOTE]:
                    recorder.append("note", at="end", text=note)
    return booking, complete


def _run_booked(
    request: RunRequest,
    lab: LabFolder,
    registry: Registry,
    pack: Pack,
    booking: Booking,
    preflight: Preflight,
    on_stage: Callable[[Sequence[Finding]], None],
    journals: ExitStack,
) -> tuple[bool, RegisteredJournal]:
    screens, protocol = screens_of(pack), pack.protocol
    rig = read_rig(profile_path(lab.rigs, booking.rig))
    background = background_of(protocol, rig.colours)
    library = Library(booking.plan.text_folder, booking.plan.language, lab.texts)
    words = library.words()
    library.check(booking.plan, lab_values(lab, booking.plan))
    before = _before(booking)
    painter = screens.painter(pack, protocol, rig.colours)
    painter.check(booking.plan)
    mouse = screens.mouse(booking.plan)
    triggers = request.rig.trigger or rig.trigger_place()
    with (
        _stage(request, background, words["title"], mouse=mouse, triggers=triggers) as stage,
        _actor(request, pack, booking, stage) as actor,
    ):
        found = of_stage(stage)
        on_stage(found)
        preflight = preflight.joined([*found, *_taken_over(request, booking)])
        look = Look(stage.window.size_px, background, booking.plan.language)
        settings = ScreenSettings(
            painter, rig, look, words, lab_values(lab, booking.plan), lab.settings.pause_countdown_s
        )
        header = _header(booking, stage, settings, actor.injection, request)
        journal = journals.enter_context(_journal(booking, header))
        data = request.data_folder(lab)
        recorder = RegisteredJournal(journal, registry, data, booking, _ended(before))
        preflight.record(recorder)
        album = Album(request.window.screenshots)
        context = SessionContext(stage, actor, album, recorder, recorder)
        stimuli = screens.page_stimuli(settings)
        pages = TextPages(context, settings, booking.plan, library, stimuli)
        recorder.ask_when_refused(pages.unsaved.ask)
        tasks = screens.presenter(context, settings, booking.plan, pages.waiting)
        pages.check_clock("start")
        at_end = partial(pages.check_clock, "end")
        done = done_steps(booking.plan, before) if booking.resumed else frozenset()
        complete = run_session(
            booking.plan, done, pages, tasks, recorder, at_end, before, recorder.keep_apart
        )
        return complete, recorder


def _taken_over(request: RunRequest, booking: Booking) -> tuple[Finding, ...]:
    """Return what journal and sidecar keep of a session that another PC began."""
    if not booking.taken_from:
        return ()
    found = f"from rig {booking.taken_from}: {request.rig.take_over.strip()}"
    return (Finding("take-over", "warn", found, "leave that PC's copy of the session alone"),)


def _find_display(request: RunRequest) -> None:
    """Start the virtual display that was asked for, or see that there is one."""
    if request.has_own_display:
        own_virtual_display(request.window.size_px or USUAL_SIZE_PX)
    require_display()


@contextmanager
def _stage(
    request: RunRequest, background: Rgb, title: str, *, mouse: bool, triggers: TriggerPlace
) -> Iterator[Stage]:
    """Give a stage on the display that was found."""
    asked, here = request.window, not request.has_own_display
    whole = here and request.person.robot is None and asked.size_px is None
    settings = WindowSettings(
        background=background,
        size_px=asked.size_px,
        full_screen=whole and not asked.windowed and has_window_manager(),
        decorated=asked.windowed,
        title=title,
    )
    with open_stage(
        settings, marker=asked.marker, mouse=mouse, clicks=True, triggers=triggers
    ) as stage:
        yield stage


@contextmanager
def _actor(request: RunRequest, pack: Pack, booking: Booking, stage: Stage) -> Iterator[Actor]:
    """Give who answers."""
    asked = request.person
    if asked.robot is None:
        yield Person()
        return
    with robot_injector(stage.window.system_id) as injector:
        if request.has_own_display:
            injector.stop_repeats()
        robots = session_kind_of(pack).robots
        robot = robots.make(pack, booking.plan.language)(asked.robot, booking.code, asked.seed)
        yield screens_of(pack).actor(robot, injector, booking.plan)


@contextmanager
def _journal(booking: Booking, header: dict[str, Any]) -> Iterator[JournalWriter]:
    path = booking.paths.journal
    begin = JournalWriter.resume if booking.resumed else JournalWriter.create
    with begin(path, header) as journal:
        yield journal


def _is_complete(booking: Booking) -> bool:
    return booking.resumed and read_journal(booking.paths.journal).complete


def _flagged(booking: Booking) -> int:
    ends = read_journal(booking.paths.journal).of("trial_end")
    return sum(bool(end["flagged"]) for end in ends)


def _before(booking: Booking) -> tuple[Event, ...]:
    """Return what the journal of a resumed session holds already."""
    return read_journal(booking.paths.journal).events if booking.resumed else ()


def _ended(events: Sequence[Event]) -> int:
    """Return how many trials have ended."""
    return sum(event.event == "trial_end" for event in events)


def _header(
    booking: Booking,
    stage: Stage,
    settings: ScreenSettings,
    injection: str,
    request: RunRequest,
) -> dict[str, Any]:
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
        "robot": request.person.robot or "",
        "refresh_hz": 1 / stage.period_s,
        "pacing": stage.pacing.name,
        "keyboard_backend": stage.keyboard.backend,
        "clock": clock_name(),
        "clock_resolution_s": clock_resolution_s(),
        "display": _display(stage, settings, injection),
        "versions": _versions(),
        "accept_key": plan.keys.get("accept", ""),
        "reject_key": plan.keys.get("reject", ""),
        "time_zone": str(datetime.now().astimezone().tzinfo),
    }


def _display(stage: Stage, settings: ScreenSettings, injection: str) -> dict[str, Any]:
    """Return what is known of the display, and how keys and frames were obtained."""
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
        "injection": injection,
    }


def _versions() -> dict[str, str]:
    parts = {name: importlib.metadata.version(name) for name in VERSIONS_OF}
    return {"python": platform.python_version(), "system": platform.platform(), **parts}
