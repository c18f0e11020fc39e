"""Study accept_reject on a screen: the lead's session."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from experiments.actor import AGREE, DECLINE
from experiments.engine.clock import ClockWatch, Moment
from experiments.engine.input import Press
from experiments.engine.picture import Picture, Pixels
from experiments.engine.present import Presentation, Shown, present
from experiments.pages import Pages
from experiments.rig.profile import RigProfile
from experiments.scene import Scene
from experiments.screens.library import PAUSE, Library
from experiments.screens.look import Look
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
from experiments.studies.accept_reject_accuracy import ImagePainter
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
from participants.texts import Words
from stimuli.canonical import sha256_hex
from stimuli.colour.display import DisplayProfile
from stimuli.pack import Pack
from stimuli.plates.palette import check_gamut
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.render import render
from stimuli.protocol.accept_reject import AcceptReject
from stimuli.relevance import contour_image, region_from_bytes
from stimuli.studies.accept_reject.tables import NO_SOLUTION
from stimuli.studies.accept_reject.tasks import plate_spec

PLATE_SHARE = 0.667
LARGEST_PLATE_SHARE = 0.76
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
class Setting:
    """What a session's screens are made with.

    Attributes
    ----------
    painter, rig, look
        Plates or images for this display, what is known of it, and the look of all screens.
    words, lab_values
        Short words in the language; what the texts call the lab.
    """

    painter: PlatePainter | ImagePainter
    rig: RigProfile
    look: Look
    words: Words
    lab_values: Mapping[str, str]

    def plate_px(self) -> int:
        """Return the plate's diameter on this screen, an even number of pixels.

        The protocol's angle where the display's geometry was measured, else a share of
        the screen's height; never more than fits.
        """
        height = self.look.size_px[1]
        per_degree = self.rig.px_per_deg(self.look.size_px[0])
        wanted = PLATE_SHARE * height
        if per_degree is not None:
            wanted = self.painter.size_deg * per_degree
        return 2 * round(min(wanted, LARGEST_PLATE_SHARE * height) / 2)


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
    scene
        The open window, and who answers and keeps what happens.
    setting
        What screens are made with.
    plan
        The session.
    library
        The study's texts.
    """

    def __init__(self, scene: Scene, setting: Setting, plan: SessionPlan, library: Library) -> None:
        self._stage, self._actor = scene.stage, scene.actor
        self._album, self._recorder = scene.album, scene.recorder
        self._setting = setting
        self._plan = plan
        self._library = library
        pause = library.text(PAUSE, self._values({})).markdown
        self._pages = Pages(scene, setting.look, setting.words, pause)
        self._fixation = scene.stage.picture(fixation_layers(setting.look))
        self._plate_px = setting.plate_px()
        self._clocks = ClockWatch(scene.stage.keyboard.clock)
        self._run = -1
        self.check_clock("start")

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""
        text = self._library.text(page.text, self._values(page.values))
        figure = None if page.figure is None else self._figure(page.figure)
        experimenter = page.reader == "experimenter"
        shown_s = self._pages.read(
            page.text, text.markdown, figure=figure, experimenter=experimenter
        )
        self.check_clock("page")
        return PageResult(shown_s)

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""
        words = self._setting.words
        text = self._library.text(consent.text, self._values(consent.values))
        question = Question(consent.step, consent.text, (AGREE, DECLINE))
        options = {AGREE: words["agree"], DECLINE: words["decline"]}
        choice = self._pages.choose(consent.text, text.markdown, question, options)
        return ConsentResult(choice == AGREE, text.version, text.sha256)

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Ask the check's questions and return the choice of each, by the question's step."""
        return {question.step: self.question(question) for question in check.questions}

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""
        asked = self._library.question(question.question)
        options = {choice: asked.choices[choice] for choice in question.choices}
        text, figure = f"## {asked.text}", None
        if question.about is not None:
            caption = self._setting.words["solution"]
            text = f"{caption}: **{self._solution(question.about.shown_label)}**\n\n{text}"
            figure = self._figure(question.about)
        return self._pages.choose(question.question, text, question, options, figure)

    def rest(self, pause: Break) -> PageResult:
        """Show a break, at least for its minimum."""
        self.check_clock("block")
        text = self._library.text(pause.text, self._values({}))
        caption = self._setting.words.filled(
            "progress", done=str(pause.done), total=str(pause.total)
        )
        share = pause.done / pause.total if pause.total else 1.0
        shown_s = self._pages.rest(pause.text, text.markdown, pause.minimum_s, share, caption)
        self.check_clock("block")
        return PageResult(shown_s)

    def trial(self, trial: Trial) -> TrialResult:
        """Run a trial; one that was broken off by a chord, and not ended for good, runs anew."""
        if trial.run != self._run:
            self._begin_run(trial.run)
        while True:
            prepared = self._prepare(trial)
            try:
                self._pages.between()
                record_trial_start(self._recorder, trial, prepared.plate_sha256)
                shown = self._present(trial, prepared)
            finally:
                prepared.free()
            self._record_shown(trial, shown)
            if shown.answer is not None or shown.interrupt is None:
                if shown.interrupt is not None:
                    self._pages.ask_to_end_next()
                return self._result(shown)
            self._pages.confirm_abort()

    def _begin_run(self, run: int) -> None:
        self._run = run
        self.check_clock("block")
        self._stage.triggers.send("block")
        self._record_triggers(None)

    def feedback(self, feedback: Feedback) -> None:
        """Tell whether the decision was right."""
        words = self._setting.words
        if feedback.decision == "none":
            name, sign, text = "late", LATE, words["feedback_none"]
        elif feedback.right:
            name, sign, text = "right", RIGHT, words["feedback_right"]
        else:
            right = words[feedback.right_decision]
            name, sign, text = "wrong", WRONG, words.filled("feedback_wrong", decision=right)
        layers = feedback_layers(self._setting.look, sign, text)
        self._pages.notice(f"feedback-{name}", layers, feedback.feedback_s)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self._recorder.append("clock", at=at, **asdict(self._clocks.compare()))

    def _prepare(self, trial: Trial) -> _Prepared:
        """Render and upload what the trial shows, and let a robot make up its mind."""
        stimulus, painter = trial.stimulus, self._setting.painter
        plate = painter.plate(stimulus, self._plate_px)
        look, screen = self._setting.look, self._screen(stimulus)
        layers = plate_layers(look, painter.explained(plate, stimulus), screen)
        picture, after = self._stage.picture(layers), None
        if trial.exposure_s is not None:
            after = self._stage.picture(surrounding_layers(look, self._plate_px, screen))
            self._album.keep("trial-plate-gone", self._stage, after)
        self._album.keep("fixation", self._stage, self._fixation)
        self._album.keep(_kind(stimulus), self._stage, picture)
        self._actor.expect(trial)
        return _Prepared(picture, after, sha256_hex(np.ascontiguousarray(plate).tobytes()))

    def _screen(self, stimulus: Stimulus) -> PlateScreen:
        left, right = self._hints()
        return PlateScreen(
            solution=self._solution(stimulus.shown_label),
            caption=self._setting.words["solution"],
            left=left,
            right=right,
        )

    def _hints(self) -> tuple[KeyHint, KeyHint]:
        """Return what the keys or buttons on the left and on the right do."""
        words, plan = self._setting.words, self._plan
        decisions = {plan.accept_key: words["accept"], plan.reject_key: words["reject"]}
        if plan.device == "mouse":
            return (
                KeyHint(decisions["left"], button="left"),
                KeyHint(decisions["right"], button="right"),
            )
        session = self._setting.painter.protocol.session
        return (
            KeyHint(decisions[session.left_key], session.left_key.upper()),
            KeyHint(decisions[session.right_key], session.right_key.upper()),
        )

    def _solution(self, label: str) -> str:
        return self._setting.words["no_solution"] if label == NO_SOLUTION else label

    def _present(self, trial: Trial, prepared: _Prepared) -> Shown:
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
            self._stage, presentation, is_interrupt=self._pages.note, watch=self._actor.onset
        )

    def _record_shown(self, trial: Trial, shown: Shown) -> None:
        """Record flips and response; the timed window is over."""
        events = [
            (shown.onset_s, "flip", {"what": "plate_on", "frame": 0}),
            (shown.offset_s, "flip", {"what": "plate_off", "frame": shown.frames.shown}),
        ]
        if shown.answer is not None:
            key = {"device": shown.answer.device, "key": shown.answer.key}
            events.append((shown.answer.t_s, "response", key))
        for stamp_s, event, fields in sorted(events, key=lambda entry: entry[0]):
            self._recorder.append(event, t_monotonic_s=stamp_s, trial=trial.trial, **fields)
        self._record_triggers(trial.trial)

    def _record_triggers(self, trial: int | None) -> None:
        """Record what was sent to other devices meanwhile."""
        for sent in self._stage.triggers.take_sent():
            self._recorder.append(
                "trigger",
                t_monotonic_s=sent.t_s,
                what=sent.what,
                trial=trial,
                code=sent.code,
                took_s=sent.took_s,
                sent=not sent.reason,
                reason=sent.reason,
            )

    def _result(self, shown: Shown) -> TrialResult:
        frames = shown.frames
        return TrialResult(
            decision=self._decision(shown.answer),
            rt_s=None if shown.answer is None else shown.answer.t_s - shown.onset_s,
            lag_s=self._setting.rig.lag_s(self._plan.device),
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
        painter = self._setting.painter
        return painter.explained(painter.plate(stimulus, figure_px(self._setting.look)), stimulus)

    def _values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return a text's values in words: keys by their names, a solution by its word."""
        words = self._setting.words
        spoken = {
            name: words.key(value, self._plan.device)
            for name, value in values.items()
            if name in ("accept_key", "reject_key")
        }
        if "label" in values:
            spoken["label"] = self._solution(values["label"])
        return {**self._setting.lab_values, **values, **spoken}


def _kind(stimulus: Stimulus) -> str:
    if stimulus.shown_label == NO_SOLUTION:
        return "trial-no-solution"
    return "trial-without" if stimulus.region_file is None else "trial-with"
