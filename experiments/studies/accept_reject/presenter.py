"""Study accept_reject on a screen: the lead's session."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from experiments.engine.clock import Moment
from experiments.engine.input import Press
from experiments.engine.picture import Picture, Pixels
from experiments.engine.present import Presentation, Shown, Unseen, present
from experiments.pages.context import SessionContext
from experiments.pages.records import record_shown, record_triggers
from experiments.pages.settings import ScreenSettings, even_side_px
from experiments.pages.text_pages import TextPages
from experiments.screens.library import Library
from experiments.screens.notices import LATE, RIGHT, WRONG, feedback_layers
from experiments.screens.page import figure_px
from experiments.screens.plate import (
    KeyHint,
    PlateScreen,
    fixation_layers,
    outlined,
    plate_layers,
    surrounding_layers,
)
from participants.session import (
    Break,
    Check,
    Consent,
    ConsentResult,
    Decision,
    Feedback,
    Page,
    PageResult,
    PaintTask,
    PlateStimulus,
    Question,
    SessionPlan,
    Stimulus,
    Trial,
    TrialResult,
    record_trial_start,
)
from stimuli.colour.display import DisplayProfile
from stimuli.images.predictions import NO_SOLUTION
from stimuli.io.canonical import sha256_hex
from stimuli.maps.relevance import contour_image, region_from_bytes
from stimuli.pack import Pack
from stimuli.plates.palette import check_gamut
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.render import render
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import plate_spec

LINE_LEAST_PX = 2.0


@dataclass(frozen=True, slots=True)
class PlatePainter:
    """Makes a pack's plates into pixels for one display.

    Attributes
    ----------
    pack, protocol
        What is drawn, and how wide its lines are.
    display
        Whose pixels.
    """

    pack: Pack
    protocol: AcceptReject
    display: DisplayProfile

    @property
    def size_deg(self) -> float:
        """Diameter of a plate on screen in degrees of visual angle."""
        return self.protocol.plates.size_deg

    def check(self, plan: SessionPlan) -> None:
        """Refuse a session of which a plate has colours that the display can't show.

        Raises
        ------
        UserError
            With the largest contrast that fits: clipped colours would show the digit.
        """
        spec = plate_spec(self.protocol.plates)
        trials = [step.stimulus for step in plan.steps if isinstance(step, Trial)]
        plates = trials + [step for step in plan.steps if isinstance(step, PaintTask)]
        for axis, contrast in sorted({(shown.axis, shown.contrast) for shown in plates}):
            check_gamut(axis, contrast, spec, self.display)

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return a plate's diameter on a screen."""
        return even_side_px(wanted_px, most_px)

    def plate(self, stimulus: PlateStimulus, size_px: int) -> Pixels:
        """Return a plate without its explanation, uint8 (size_px, size_px, 3)."""
        plate = plate_from_bytes(self.pack.asset(stimulus.plate_file))
        spec = plate_spec(self.protocol.plates)
        return render(plate, stimulus.axis, stimulus.contrast, size_px, self.display, spec)

    def explained(self, plate: Pixels, stimulus: PlateStimulus) -> Pixels:
        """Return a plate's pixels under its explanation, if it has one."""
        if stimulus.region_file is None:
            return plate
        region = region_from_bytes(self.pack.asset(stimulus.region_file))
        size_px = len(plate)
        line_px = max(LINE_LEAST_PX, self.protocol.explanation.line_share * size_px)
        return outlined(plate, contour_image(region, size_px, line_px))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A trial's pictures: with the plate, and, where it leaves first, without it."""

    picture: Picture
    after: Picture | None
    plate_sha256: str

    def free(self) -> None:
        self.picture.free()
        if self.after is not None:
            self.after.free()


class WindowPresenter:
    """A `participants.session.Presenter` with a real window.

    Parameters
    ----------
    context
        The open window, and who answers and keeps what happens.
    settings
        What screens are made with.
    plan
        The session.
    library
        The study's texts.
    """

    def __init__(
        self, context: SessionContext, settings: ScreenSettings, plan: SessionPlan, library: Library
    ) -> None:
        self._context, self._stage = context, context.stage
        self._settings = settings
        self._plan = plan
        self._texts = TextPages(context, settings, plan, library, self._figure)
        self._waiting = self._texts.waiting
        self._fixation = context.stage.picture(fixation_layers(settings.look))
        self._plate_px = settings.plate_px()
        self._run = -1
        self.check_clock("start")

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""
        return self._texts.page(page)

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""
        return self._texts.consent(consent)

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Ask the check's questions and return the choice of each, by the question's step."""
        return self._texts.check(check)

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""
        return self._texts.question(question)

    def rest(self, pause: Break) -> PageResult:
        """Show a break, at least for its minimum."""
        return self._texts.rest(pause)

    def trial(self, trial: Trial) -> TrialResult:
        """Run a trial; one that was broken off by a chord, and not ended for good, runs anew."""
        if trial.run != self._run:
            self._begin_run(trial.run)
        while True:
            prepared = self._prepare(trial)
            try:
                self._waiting.between()
                record_trial_start(self._context.recorder, trial, prepared.plate_sha256)
                shown = self._present(trial, prepared)
            finally:
                prepared.free()
            if isinstance(shown, Shown):
                self._record_shown(trial, shown)
                if shown.answer is not None or shown.interrupt is None:
                    if shown.interrupt is not None:
                        self._waiting.ask_to_end_next()
                    return self._result(shown)
            self._waiting.confirm_abort()

    def _begin_run(self, run: int) -> None:
        self._run = run
        self.check_clock("block")
        self._stage.triggers.send("block")
        record_triggers(self._context, None)

    def feedback(self, feedback: Feedback) -> None:
        """Tell whether the decision was right."""
        words = self._settings.words
        if feedback.decision == "none":
            name, sign, text = "late", LATE, words["feedback_none"]
        elif feedback.right:
            name, sign, text = "right", RIGHT, words["feedback_right"]
        else:
            right = words[feedback.right_decision]
            name, sign, text = "wrong", WRONG, words.filled("feedback_wrong", decision=right)
        layers = feedback_layers(self._settings.look, sign, text)
        self._waiting.notice(f"feedback-{name}", layers, feedback.feedback_s)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self._texts.check_clock(at)

    def _prepare(self, trial: Trial) -> _Prepared:
        """Render and upload what the trial shows, and let a robot make up its mind."""
        stimulus, painter = trial.stimulus, self._settings.painter
        plate = painter.plate(stimulus, self._plate_px)
        look, screen = self._settings.look, self._screen(stimulus)
        layers = plate_layers(look, painter.explained(plate, stimulus), screen)
        picture, after = self._stage.picture(layers), None
        if trial.exposure_s is not None:
            after = self._stage.picture(surrounding_layers(look, self._plate_px, screen))
            self._context.album.keep("trial-plate-gone", self._stage, after)
        self._context.album.keep("fixation", self._stage, self._fixation)
        self._context.album.keep(_kind(stimulus), self._stage, picture)
        self._context.actor.expect(trial)
        return _Prepared(picture, after, sha256_hex(np.ascontiguousarray(plate).tobytes()))

    def _screen(self, stimulus: Stimulus) -> PlateScreen:
        left, right = self._hints()
        return PlateScreen(
            solution=self._settings.solution(stimulus.shown_label),
            caption=self._settings.words["solution"],
            left=left,
            right=right,
        )

    def _hints(self) -> tuple[KeyHint, KeyHint]:
        """Return what the keys or buttons on the left and on the right do."""
        words, plan = self._settings.words, self._plan
        decisions = {plan.accept_key: words["accept"], plan.reject_key: words["reject"]}
        if plan.device == "mouse":
            return (
                KeyHint(decisions["left"], button="left"),
                KeyHint(decisions["right"], button="right"),
            )
        session = self._settings.painter.protocol.session
        return (
            KeyHint(decisions[session.left_key], session.left_key.upper()),
            KeyHint(decisions[session.right_key], session.right_key.upper()),
        )

    def _present(self, trial: Trial, prepared: _Prepared) -> Shown | Unseen:
        presentation = Presentation(
            fixation=self._fixation,
            stimulus=prepared.picture,
            after=prepared.after,
            fixation_s=trial.fixation_s,
            limit_s=trial.limit_s,
            answer_keys=frozenset({self._plan.accept_key, self._plan.reject_key}),
            exposure_s=trial.exposure_s,
            device=self._plan.device,
        )
        return present(
            self._stage,
            presentation,
            is_interrupt=self._waiting.note,
            watch=self._context.actor.onset,
        )

    def _record_shown(self, trial: Trial, shown: Shown) -> None:
        span_s = (shown.onset_s, shown.offset_s)
        answers = [] if shown.answer is None else [shown.answer]
        record_shown(self._context, trial.trial, span_s, shown.frames.shown, answers)

    def _result(self, shown: Shown) -> TrialResult:
        frames = shown.frames
        return TrialResult(
            decision=self._decision(shown.answer),
            rt_s=None if shown.answer is None else shown.answer.t_s - shown.onset_s,
            lag_s=self._settings.rig.lag_s(self._plan.device),
            onset_t_monotonic_s=shown.onset_s,
            frames_planned=frames.planned,
            frames_shown=frames.shown,
            frames_dropped=frames.dropped,
            longest_interval_s=frames.longest_interval_s,
            flagged=frames.dropped > 0 or shown.clock_stepped,
        )

    def _decision(self, answer: Press | None) -> Decision:
        if answer is None:
            return "none"
        return "accept" if answer.key == self._plan.accept_key else "reject"

    def _figure(self, stimulus: Stimulus) -> Pixels:
        painter = self._settings.painter
        return painter.explained(painter.plate(stimulus, figure_px(self._settings.look)), stimulus)


def _kind(stimulus: Stimulus) -> str:
    if stimulus.shown_label == NO_SOLUTION:
        return "trial-no-solution"
    return "trial-without" if stimulus.region_file is None else "trial-with"
