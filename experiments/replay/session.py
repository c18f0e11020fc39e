"""A session from its journal: its plan runs again, part by part, and is compared with it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from experiments.pages.context import Album, SessionContext
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.replay.actor import Recaller
from experiments.replay.reel import Reel
from experiments.replay.script import PartOver, Script, parts_of
from experiments.replay.stage import Display, PaperStage, PaperTyping
from experiments.rig.profile import profile_path, read_rig
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.session.booking import lab_values
from experiments.study import background_of, screens_of
from participants import session
from participants.folder import DataFolder, LabFolder
from participants.journal import Event, Journal
from participants.new_person import REHEARSAL
from participants.planning import rehearsal_plan
from participants.rebuild import held_in
from participants.study import session_kind_of
from participants.texts import Words
from stimuli.errors import UserError
from stimuli.pack import Pack

BETWEEN_S: Final = 1.0
"""Time in the reel between two parts of a session."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A session that was shown again.

    Attributes
    ----------
    reel
        Its pictures, with what stands beneath them.
    ends_s
        The reel's end, seconds.
    trials
        When each trial begins in the reel, and until when it lasts, by its number.
    flips
        Number of onsets and offsets that were compared with the journal.
    differences
        Where something else was shown than the journal says, one line each.
    """

    reel: Reel
    ends_s: float
    trials: Mapping[int, tuple[float, float]]
    flips: int
    differences: tuple[str, ...]


class _Recorder:
    """Compares what a replay would record with the journal, and lets its time catch up."""

    def __init__(
        self, stage: PaperStage, words: Words, trials: dict[int, tuple[float, float]]
    ) -> None:
        self._stage, self._words, self._trials = stage, words, trials
        self._caption: list[str] = []
        self._onset_s = 0.0

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Compare an event."""
        recorded = self._stage.script.meet(event, fields)
        if recorded is None:
            return
        self._tell(recorded)
        if recorded.event not in ("flip", "response"):
            self._stage.catch_up(recorded)

    def _tell(self, event: Event) -> None:
        """Write beneath the pictures what happened: the trial, its onset, the presses."""
        reel, at_s = self._stage.reel, self._stage.reel_s(event.t_monotonic_s)
        trial = event.fields.get("trial")
        if trial is None:
            reel.tell(at_s, "")
            return
        self._trials[trial] = (self._trials.get(trial, (at_s, at_s))[0], at_s)
        if event.event == "trial_start":
            self._caption = [f"#{trial}"]
        elif event.event == "flip" and not event["frame"]:
            self._onset_s = event.t_monotonic_s
            self._caption.append("+0 ms")
        elif event.event == "response":
            ms = round((event.t_monotonic_s - self._onset_s) * 1000)
            self._caption.append(f"{self._words.cap(event['key'])} +{ms} ms")
        else:
            return
        reel.tell(at_s, "   ".join(self._caption))


class _Pages(TextPages):
    """Pages that were read for as long as the journal says."""

    def __init__(self, script: Script, *made_with: Any) -> None:
        super().__init__(*made_with)
        self._script = script

    def page(self, page: session.Page) -> session.PageResult:
        """Show a page."""
        return self._as_long(super().page, page)

    def rest(self, pause: session.Break) -> session.PageResult:
        """Show a break."""
        return self._as_long(super().rest, pause)

    def _as_long(self, show: Any, page: session.Page | session.Break) -> session.PageResult:
        result = show(page)
        fields = self._script.due().fields
        return replace(result, shown_s=fields.get("shown_s", result.shown_s))


@dataclass(frozen=True, slots=True)
class _Showing:
    """What the parts of a session share when they are shown again.

    Attributes
    ----------
    plan, pack, lab
        What was shown, and where the texts and the rig's profile are.
    reel
        Takes the pictures.
    trials
        As in `Replay`; filled part by part.
    """

    plan: session.SessionPlan
    pack: Pack
    lab: LabFolder
    reel: Reel
    trials: dict[int, tuple[float, float]] = field(default_factory=dict)

    def show(
        self, part: Sequence[Event], before: Sequence[Event], script: Script, lead_s: float
    ) -> PaperStage:
        """Run a part of the session on a stage without a window; return the stage.

        Parameters
        ----------
        part, before
            Its events, and those of earlier parts.
        script
            What the part has to come to.
        lead_s
            Time in the reel less the part's own, seconds.
        """
        plan = self.plan
        settings = self._settings(part[0])
        display = Display(
            settings.look.size_px, settings.look.background, part[0]["refresh_hz"],
            marker=bool(_of_display(part[0], "marker")),
        )  # fmt: skip
        stage = PaperStage(script, self.reel, lead_s, display)
        parts = screens_of(self.pack).load_parts()
        # They have what presenters ask of a stage, of what listens to typing, and of a recorder.
        paper: Any = stage
        typing: Any = PaperTyping
        recorder: Any = _Recorder(stage, settings.words, self.trials)
        context = SessionContext(
            paper, Recaller(stage, parts.recall), Album(None), recorder, typing=typing
        )
        library = Library(plan.text_folder, plan.language, self.lab.texts)
        pages = _Pages(script, context, settings, plan, library, parts.page_stimuli(settings))
        tasks = parts.presenter(context, settings, plan, pages.waiting)
        done = session.done_steps(plan, before) if before else frozenset()
        with suppress(PartOver):
            around = session.Around(before=before, at_end=partial(pages.check_clock, "end"),
                            close=pages.close)  # fmt: skip
            session.run_session(plan, done, pages, tasks, recorder, around)
        return stage

    def _settings(self, header: Event) -> ScreenSettings[Painter]:
        """Return the settings of the screens as the session had them."""
        plan, pack, lab = self.plan, self.pack, self.lab
        rig = read_rig(profile_path(lab.rigs, header["rig"]))
        size_px = (_of_display(header, "width_px"), _of_display(header, "height_px"))
        look = Look(size_px, background_of(pack.protocol, rig.colours), plan.language)
        painter = screens_of(pack).load_parts().painter(pack, pack.protocol, rig.colours)
        library = Library(plan.text_folder, plan.language, lab.texts)
        return ScreenSettings(
            painter, rig, look, library.words(), lab_values(lab, plan),
            lab.settings.pause_countdown_s,
        )  # fmt: skip


def replayed(
    journal: Journal, pack: Pack, data: DataFolder, lab: LabFolder, folder: Path
) -> Replay:
    """Show a session again, in memory.

    Parameters
    ----------
    journal
        The session's.
    pack
        The pack that it showed.
    data, lab
        Its data folder, and the lab folder with the texts and the rig's profile.
    folder
        Where the reel's pictures are kept.

    Raises
    ------
    UserError
        If nobody saw the session, or the pack, the texts or the version show another one.
    """
    header = journal.header
    if header["refresh_hz"] is None:
        raise UserError(f"session {header['session']}: was simulated, without a screen")
    showing = _Showing(_plan_of(journal, pack, data), pack, lab, Reel(folder))
    flips, differences, at_s, before = 0, [], 0.0, ()
    for part in parts_of(journal.events):
        script = Script(part)
        if script.next is None:
            continue
        stage = showing.show(part, before, script, at_s - script.due().t_monotonic_s)
        at_s = stage.reel_s(stage.now) + BETWEEN_S
        flips += script.flips
        differences += script.differences
        before = (*before, *part)
    return Replay(showing.reel, at_s, showing.trials, flips, tuple(differences))


def _plan_of(journal: Journal, pack: Pack, data: DataFolder) -> session.SessionPlan:
    header, kind = journal.header, session_kind_of(pack)
    code, language = str(header["participant"]), str(header["language"])
    if header["purpose"] == REHEARSAL:
        return rehearsal_plan(pack, language, code, also_rare=bool(header["robot"]))
    held = held_in(data, journal)
    return kind.plan(pack, None if held is None else held.assignment, language, code)


def _of_display(header: Event, name: str) -> Any:
    return header["display"][name]
