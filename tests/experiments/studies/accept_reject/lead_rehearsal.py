"""A lead's session on paper, of plates or of labelled images."""

from unittest.mock import patch

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.present import Shown
from experiments.pages import timed_choice
from participants.session import Consent, SessionPlan
from participants.studies.accept_reject.trial import Trial
from stimuli.images.sets import NO_SOLUTION
from stimuli.pack import Pack
from tests.experiments.rehearsal import (
    Participant,
    Rehearsal,
    Screen,
    all_but,
    noted_texts,
    usual_plan,
)


def rehearse(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a session, in the order of their coming.

    The lead errs in the check until the experimenter must come, takes a pause, thinks of
    ending, answers practice rightly, wrongly and too late, and rejects what may be unseen; then
    come back, decline, withdraw.
    """
    plan = usual_plan(pack, language)
    rehearsal = Rehearsal.of(pack, plan, size_px)
    decisions = iter(("none", "right", "wrong"))

    def present(stage: object, presentation: object, **watchers: object) -> Shown:
        trial = actor.trial
        if trial.expected == "as_seen":
            choice = "reject"
        else:
            wanted = trial.expected or "accept"
            other = {"accept": "reject", "reject": "accept"}[wanted]
            choice = {"right": wanted, "wrong": other}.get(next(decisions, "right"))
        answer = None if choice is None else Press(trial.key_of(choice), 1.0)
        return Shown(0.0, 1.0, answer, None, FrameRecord(None, 60, 0, 0.017), False)

    stage = rehearsal.stage
    consent = next(step for step in plan.steps if isinstance(step, Consent))
    with noted_texts(rehearsal.paper.texts), patch.object(timed_choice, "present", present):
        for actor, done in (
            (Lead(stage, plan, errs=True), _alike_trials(plan)),
            (Lead(stage, plan, declines={consent.step}), frozenset()),
            (Lead(stage, plan, declines={"consent_renewed"}), all_but(plan, "consent_renewed")),
        ):
            rehearsal.run(actor, done)
    return rehearsal.screens()


class Lead(Participant):
    """Knows which trial comes, so that it knows the right key."""

    trial: Trial

    def expect(self, task: Trial, where: None = None) -> None:
        self.trial = task


def _alike_trials(plan: SessionPlan) -> frozenset[str]:
    """Return the main trials that look like an earlier one: they would show nothing new."""
    seen, alike = set(), set()
    for trial in plan.trials:
        stimulus = trial.stimulus
        kind = (trial.run, stimulus.shown_label == NO_SOLUTION, stimulus.region_file is None)
        if trial.phase == "main":
            (alike if kind in seen else seen).add(trial.step if kind in seen else kind)
    return frozenset(alike)
