"""What a lead goes through, from consent to the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from participants.lists import Assignment, ListOffer
from participants.planning import given_place, plan_of, rules_of, sided_keys, sources_page
from participants.session import (
    RENEWED,
    Break,
    Consent,
    Page,
    Question,
    SessionPlan,
    Step,
    checked_practice,
    comprehension_check,
    repeat_step,
    settled_choices,
    trial_step,
    was_answered,
)
from participants.session.kept_answers import told_result
from participants.studies.accept_reject.shown import ShownList, example_pages, shown_by
from participants.studies.accept_reject.trial import Cutoff, Trial, complies
from participants.study import SIDES
from participants.texts import written_number
from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.pack import Pack
from stimuli.studies.accept_reject.assessment import LeadRules
from stimuli.studies.accept_reject.lists import list_places, rotation_of
from stimuli.studies.accept_reject.origins import experts_of
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tables import PRACTICE_RUN

STUDY = "accept_reject"
ORDERS = ("without_first", "with_first")
SHAM = "sham"
INTROS = {
    "without_first": ("run_without", "run_with"),
    "with_first": ("run_with", "run_without"),
    SHAM: ("run_without", "run_without"),
}

CHECK_QUESTIONS = (
    ("check_unseen", ("accept", "reject"), "reject"),
    ("check_line_only", ("accept", "reject"), "reject"),
    ("check_seen", ("accept", "reject"), "accept"),
    ("check_no_solution", ("accept", "reject"), "reject"),
    ("check_when", ("as_soon_as_sure", "after_a_signal"), "as_soon_as_sure"),
)
QUESTIONS = (
    ("relied_on", ("numeral", "line", "both", "guess", "other")),
    ("noticed_kinds", ("yes", "no", "unsure")),
    ("source_guess", ("all_people", "some_machine", "all_machine", "cannot_say")),
    ("source_which", ("with_line", "without_line", "both_alike", "none", "cannot_say")),
)
OF_LINES = {"relied_on": ("line", "both")}
"""Choices that speak of outlines."""
MOOT = {"source_which": {"source_guess": ("all_people", "all_machine")}}
"""Questions that an earlier answer makes moot: "which solutions" after "all" or "none"."""
SOURCE_OF = ("source_of", ("person", "machine", "cannot_say"))
CLOSING = (Page("debrief", "debrief"), Consent(RENEWED, renewed=True), Page("end", "end"))


def plan_session(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a lead's session.

    Consent, instructions, worked examples, comprehension check, practice with feedback,
    the two runs with breaks, questionnaire, debrief, renewed consent.

    Parameters
    ----------
    pack
        A solution pack of the study.
    assignment
        The lead's list, the side of acceptance, and the order: ``without_first``, ``with_first``
        or ``sham`` (two runs without explanations).
    language
        Of the texts.
    participant
        The lead's code; determines the order of practice and the solutions whose source is asked
        about.

    Raises
    ------
    UserError
        If the pack is not one for leads of this study, or has no such list; if the
        order or the language is not offered.
    """
    protocol: AcceptReject = rules_of(pack, STUDY, "solutions", "a lead's", language)
    place = given_place(assignment, INTROS)
    keys = decision_keys(protocol, pack.pack_id, participant, place.accept_side)
    shown_list = shown_by(pack, protocol, place.list)
    planned = TrialPlan(protocol, shown_list, keys, outlined=place.order != SHAM)
    return plan_of(
        pack,
        place,
        language,
        (
            *_steps(planned, place.order, language, participant),
            sources_page(experts_of(pack)),
            *CLOSING,
        ),
        device=protocol.session.device,
        keys=keys,
        settled=settled_choices,
        answered=was_answered,
        wait_after=protocol.session.wait_after_unanswered,
    )


def offers_of(pack: Pack) -> tuple[ListOffer, ...]:
    """Return the lists of a pack, each with the axis and rung of its plates."""
    places = list_places(pack).items()
    return tuple(ListOffer(name, axis, rung, rotation_of(name)) for name, (axis, rung) in places)


def orders_of(protocol: AcceptReject) -> tuple[str, ...]:
    """Return the orders of runs that a protocol lets leads be assigned to."""
    order = protocol.session.run_order
    orders = ORDERS if order == "counterbalanced" else (order,)
    return (*orders, SHAM) if protocol.session.sham_group else orders


def decision_keys(
    protocol: LeadRules, pack_id: str, participant: str, accept_side: str | None = None
) -> dict[str, str]:
    """Return the keys (or buttons) that ``accept`` and ``reject``.

    Acceptance lies on the given side; if none was given, a hash of the lead's code decides.
    """
    side = accept_side or SIDES[seed_of("accept side", pack_id, participant) % 2]
    return sided_keys(protocol.session, ("accept", "reject"), side)


def _steps(planned: "TrialPlan", order: str, language: str, participant: str) -> tuple[Step, ...]:
    protocol, values = planned.protocol, planned.values(language)
    assert isinstance(protocol, AcceptReject)
    rules = protocol.session
    practised = planned.practised(participant)
    before = len(practised)
    first, second = _main_runs(planned, order, before)
    intros = INTROS[order]
    total = len(first) + len(second)
    practice = planned.checked_practice(practised, total)
    return (
        *planned.opening(CHECK_QUESTIONS, practice, language, [told_result()]),
        Page("before_first_run", intros[0], values),
        *planned.run(first, 0, total, before),
        Break("between_runs", "between_runs", len(first), total, rules.between_runs_s),
        Page("before_second_run", intros[1], values),
        *planned.run(second, len(first), total, before),
        Page("before_questions", "before_questions"),
        *_questions(order),
        *_source_questions(rules.source_questions, planned.shown_list, order, participant),
    )


def _questions(order: str) -> list[Question]:
    """Return the questions at the end; leads who saw no outlines aren't asked about them."""
    if order != SHAM:
        return [
            Question(name, name, choices, unless=MOOT.get(name, {})) for name, choices in QUESTIONS
        ]
    kept = [
        (name, tuple(choice for choice in choices if choice not in OF_LINES.get(name, ())))
        for name, choices in QUESTIONS
        if name != "source_which"
    ]
    return [Question(name, name, choices) for name, choices in kept]


def _source_questions(
    count: int, shown_list: ShownList, order: str, participant: str
) -> list[Question]:
    """Return questions on who gave some of the solutions that were shown with an explanation.

    The solutions are drawn by the lead's code, without the key, so controls are among them.
    """
    if order == SHAM:
        return []
    seen = [
        name for name in shown_list.explained if shown_list.stimuli[name].region_file is not None
    ]
    drawn = keyed_order(seen, "source question", participant)[:count]
    question, choices = SOURCE_OF
    return [
        Question(
            f"{question}-{name}", question, choices, shown_list.stimuli[name], (number, len(drawn))
        )
        for number, name in enumerate(drawn, start=1)
    ]


def _exposure_page(protocol: LeadRules, language: str) -> list[Page]:
    """Return the page that says how long plates stay, if they disappear by themselves."""
    exposure_s = Cutoff.of(protocol).exposure_s
    if exposure_s is None:
        return []
    return [Page("exposure", "exposure", {"seconds": written_number(exposure_s, language)})]


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """Makes a lead's trials, and the pages before them, from what a list shows.

    Attributes
    ----------
    protocol, shown_list
        The rules, and the list's presentations.
    keys
        Keys (or buttons) by decision.
    outlined
        Whether the worked example to accept has an outline, if there is one.
    """

    protocol: LeadRules
    shown_list: ShownList
    keys: Mapping[str, str]
    outlined: bool = False

    def values(self, language: str) -> dict[str, str]:
        """Return the values of texts that name the keys, or how long there is to decide."""
        keys = {f"{decision}_key": key for decision, key in self.keys.items()}
        return keys | {"limit_seconds": written_number(self.protocol.trial.limit_s, language)}

    def opening(
        self,
        questions: Sequence[tuple[str, tuple[str, ...], str]],
        practice: Sequence[Step],
        language: str,
        promised: Sequence[Step] = (),
    ) -> list[Step]:
        """Return what comes before the runs, from consent to practice.

        Parameters
        ----------
        questions
            The comprehension check's questions, each with its choices and the right one.
        practice
            The practice trials, and the steps between them.
        language
            Of the texts.
        promised
            Questions that the consent announces.
        """
        rules, values = self.protocol.session, self.values(language)
        return [
            Consent("consent", {"minutes": f"{self.protocol.expected_minutes:.0f}"}),
            *promised,
            Page("instructions", "instructions", values),
            *_exposure_page(self.protocol, language),
            Page("guidelines", "guidelines", values),
            *example_pages(self.shown_list, outlined=self.outlined),
            comprehension_check(questions, rules.comprehension_attempts, "guidelines_again"),
            *((Page("practice", "practice", values), *practice) if practice else ()),
        ]

    def practised(self, participant: str) -> list[str]:
        """Return the practice presentations, in an order of the lead's own.

        A pack lists right and wrong ones alternately, which would teach leads to alternate. Worked
        examples aren't practised again.
        """
        pages = example_pages(self.shown_list, outlined=self.outlined)
        examples = {page.step.removeprefix("example-") for page in pages}
        left = (name for name in self.shown_list.practice if name not in examples)
        return keyed_order(left, "practice order", participant)

    def checked_practice(self, names: Sequence[str], total: int) -> Sequence[Step]:
        """Return practice with its criterion.

        The first practice has the first trial numbers; repeated practice has numbers after all
        others.

        Parameters
        ----------
        names
            The presentations to practise.
        total
            Main trials; each may have a repeat.
        """
        once = len(names)

        def trials(before: int) -> list[Trial]:
            return self.practice(names, 2 * (once + total) + (before - 1) * once if before else 0)

        return checked_practice(self.protocol.practice, trials, self._is_right, self._is_judged)

    def practice(self, names: Sequence[str], before: int = 0) -> list[Trial]:
        """Return practice trials, each followed by feedback, numbered after those before."""
        feedback_s = self.protocol.trial.practice_feedback_s
        return [
            replace(
                trial, expected=self.shown_list.right[trial.presentation], feedback_s=feedback_s
            )
            for trial in self.trials(names, PRACTICE_RUN, before)
        ]

    def trials(self, names: Sequence[str], run: int, before: int) -> list[Trial]:
        """Return a run's trials, numbered after the trials before that run."""
        return [self._trial(name, run, at, before) for at, name in enumerate(names, start=1)]

    def run(self, trials: Sequence[Trial], before: int, total: int, practised: int) -> list[Step]:
        """Return a run's trials with a break after every so many, and their possible repeats.

        Parameters
        ----------
        trials
            The run's.
        before, total
            Number of main trials before the run, and in all.
        practised
            Practice trials.
        """
        every = self.protocol.session.break_every_trials
        steps: list[Step] = []
        for trial in trials:
            steps.append(trial)
            if trial.position % every == 0 and trial.position < len(trials):
                name = f"break-{trial.run}-{trial.position:04d}"
                steps.append(Break(name, "break", before + trial.position, total))
        if self.protocol.trial.repeat_dropped:
            steps += [_repeat(trial, practised + total) for trial in trials]
        return steps

    def _is_right(self, end: Mapping[str, Any]) -> bool:
        return complies(end["decision"], self.shown_list.right[end["presentation"]])

    def _is_judged(self, trial: Trial) -> bool:
        """Return whether a practice trial counts: not if either decision may be right."""
        return self.shown_list.right[trial.presentation] != "as_seen"

    def _trial(self, name: str, run: int, position: int, before: int) -> Trial:
        number = before + position
        cutoff = Cutoff.of(self.protocol)
        return Trial(
            step=trial_step(number),
            trial=number,
            phase="practice" if run == PRACTICE_RUN else "main",
            run=run,
            position=position,
            presentation=name,
            stimulus=self.shown_list.stimuli[name],
            options={key: decision for decision, key in self.keys.items()},
            device=self.protocol.session.device,
            fixation_s=self.protocol.trial.fixation_s,
            limit_s=self.protocol.trial.limit_s,
            exposure_s=cutoff.exposure_s,
            cutoff=cutoff,
        )


def _repeat(trial: Trial, planned: int) -> Trial:
    return replace(
        trial,
        step=repeat_step(trial.trial),
        trial=planned + trial.trial,
        repeat_of=trial.trial,
    )


def _main_runs(planned: TrialPlan, order: str, before: int) -> tuple[list[Trial], list[Trial]]:
    shown_list = planned.shown_list
    first, second = {
        "without_first": (shown_list.without, shown_list.explained),
        "with_first": (shown_list.explained, shown_list.without),
        SHAM: (shown_list.without, shown_list.sham),
    }[order]
    if order == SHAM and not second:
        raise UserError("order sham: the pack has no second run without explanations")
    return (
        planned.trials(first, 1, before),
        planned.trials(second, 2, before + len(first)),
    )
