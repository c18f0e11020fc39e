"""What a lead sees who judges the labels of images or texts, from consent to the end."""

from typing import Final

from participants.lists import Assignment
from participants.planning import (
    given_place,
    plan_about_cases,
    plan_of,
    require_shown,
    rows_of_list,
    rules_of,
)
from participants.session import Page, Question, SessionPlan, Step, settled_choices, was_answered
from participants.studies.accept_reject.plan import CLOSING, STUDY, TrialPlan, decision_keys
from participants.studies.accept_reject.shown import ShownList, right_decisions
from stimuli.cases import texts_in
from stimuli.images.sets import NO_SOLUTION
from stimuli.names import words_of
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import LABELLED, LISTS, PRACTICE_RUN
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LABELS, RUN, LabelledCase

ORDER: Final = "one_run"
TEXTS: Final = "accept_reject_accuracy"

CHECK_QUESTIONS = (
    ("check_fits", ("accept", "reject"), "accept"),
    ("check_other", ("accept", "reject"), "reject"),
    ("check_background", ("accept", "reject"), "reject"),
    ("check_no_solution", ("accept", "reject"), "reject"),
    ("check_when", ("as_soon_as_sure", "after_a_signal"), "as_soon_as_sure"),
)
QUESTIONS = (
    ("known_labels", ("all", "most", "half", "few")),
    ("noticed_kinds", ("yes", "no", "unsure")),
    ("source_guess", ("all_people", "some_machine", "all_machine", "cannot_say")),
)


def plan_session(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a lead's session.

    It has the consent, instructions, worked examples, comprehension check, practice with feedback,
    one run with breaks, questionnaire, debrief and renewed consent.

    Parameters
    ----------
    pack
        A solution pack of labelled images or texts.
    assignment
        The lead's list and side of acceptance; the order is ``one_run``.
    language
        Of the texts and of the labels' words.
    participant
        The lead's code.

    Raises
    ------
    UserError
        If the pack is not one for leads, or has no such list; if the order or the
        language is not offered.
    """
    protocol: AcceptRejectAccuracy = rules_of(pack, STUDY, "solutions", "a lead's", language)
    place = given_place(assignment, (ORDER,), "; labels come in one run")
    keys = decision_keys(protocol, pack.pack_id, participant, place.accept_side)
    shown_list = shown_by(pack, place.list, language)
    plan = plan_of(
        pack,
        place,
        language,
        _steps(TrialPlan(protocol, shown_list, keys), language, participant),
        device=protocol.session.device,
        keys=keys,
        settled=settled_choices,
        answered=was_answered,
        wait_after=protocol.session.wait_after_unanswered,
        texts=TEXTS,
    )
    return plan_about_cases(plan, protocol.cases)


def _steps(planned: TrialPlan, language: str, participant: str) -> tuple[Step, ...]:
    practised = planned.practised(participant)
    run = planned.trials(planned.shown_list.without, RUN, len(practised))
    practice = planned.checked_practice(practised, len(run))
    return (
        *planned.opening(CHECK_QUESTIONS, practice, language),
        Page("before_run", "before_run", planned.values(language)),
        *planned.run(run, 0, len(run), len(practised)),
        Page("before_questions", "before_questions"),
        *(Question(name, name, choices) for name, choices in QUESTIONS),
        *CLOSING,
    )


def shown_by(pack: Pack, list_id: str, language: str) -> ShownList:
    """Return what a list shows; the key is opened only for its practice presentations.

    Raises
    ------
    UserError
        If the pack has no such list, or lacks something that the list names.
    """
    rows = rows_of_list(pack, LISTS, list_id, "run")
    practice, main = (
        tuple(str(row["presentation"]) for row in rows if row["run"] == run)
        for run in (PRACTICE_RUN, RUN)
    )
    labels = {str(row["presentation"]): row for row in pack.table(LABELLED)}
    require_shown(pack, {*practice, *main}, labels)
    words = {**words_of(pack.table(LABELS), language), NO_SOLUTION: NO_SOLUTION}
    texts = texts_in(pack, language)
    stimuli = {
        name: LabelledCase(
            str(labels[name]["image_file"] or ""),
            words[str(labels[name]["shown_label"])],
            texts.get(name),
        )
        for name in (*practice, *main)
    }
    shown_label = {name: str(labels[name]["shown_label"]) for name in practice}
    return ShownList(practice, main, (), (), stimuli, right_decisions(pack, shown_label))
