"""Study accept_reject: what a lead goes through, and how a decision is judged."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from participants.session import (
    Break,
    Check,
    Consent,
    Decision,
    Outcome,
    Page,
    PlateStimulus,
    Question,
    SessionPlan,
    Step,
    Trial,
    trial_step,
)
from stimuli.canonical import seed_of
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.protocol.accept_reject import AcceptReject
from stimuli.studies.accept_reject.tables import ITEMS, KEY, LISTS, PRACTICE_RUN
from stimuli.tables import Row

STUDY = "accept_reject"
ORDERS = ("without_first", "with_first")
WITHOUT_RUN, WITH_RUN = 1, 2
LEAST_PRACTICE_FOR_EXAMPLES = 4
BUTTONS = ("left", "right")

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


def judge(
    protocol: AcceptReject, trial: Trial, decision: Decision, rt_s: float | None, lag_s: float
) -> Outcome:
    """Return a decision's outcome under the internal cutoff.

    In time is ``rt_s <= cutoff_s`` on the raw stamps; an acceptance that took longer
    counts as a rejection (Saralajew et al. 2022, section 2.4). The rig's lag changes
    neither: the corrected time stands beside the raw one.

    Parameters
    ----------
    protocol
        Holds the cutoff.
    trial
        The trial that was judged; its limit bounds ``rt_s``.
    decision, rt_s
        The lead's decision, and press minus onset in seconds (None without an answer).
    lag_s
        The rig's constant lag in seconds.

    Raises
    ------
    ValueError
        If there is a decision without a time, a time without a decision, or a time
        that is no finite number.
    """
    if (decision == "none") != (rt_s is None):
        raise ValueError(f"trial {trial.trial}: decision {decision!r} with rt_s {rt_s!r}")
    if rt_s is None:
        return Outcome(in_time=False, accepted=False, rt_corrected_s=None)
    if not math.isfinite(rt_s):
        raise ValueError(f"trial {trial.trial}: rt_s is {rt_s!r}")
    in_time = rt_s <= protocol.trial.cutoff_s
    return Outcome(in_time, in_time and decision == "accept", rt_s - lag_s)


def plan_session(
    pack: Pack, list_id: str, order: str, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a lead's session.

    Parameters
    ----------
    pack
        A solution pack of the study.
    list_id
        The lead's list.
    order
        ``without_first`` or ``with_first``.
    language
        Of the texts.
    participant
        The lead's code; decides on which side acceptance lies.

    Raises
    ------
    UserError
        If the pack is not one for leads of this study, or has no such list; if the
        order, the language or the protocol's cutoff mode is not offered.
    """
    protocol = _protocol_of(pack)
    if order not in ORDERS:
        raise UserError(f"order {order!r}: is not one of {', '.join(ORDERS)}")
    if language not in protocol.languages:
        raise UserError(f"language {language!r}: the protocol has {', '.join(protocol.languages)}")
    accept_key, reject_key = decision_keys(protocol, pack.pack_id, participant)
    return SessionPlan(
        study=STUDY,
        pack_id=pack.pack_id,
        protocol_hash=pack.manifest.protocol_hash,
        list_id=list_id,
        order=order,
        language=language,
        device=protocol.session.device,
        accept_key=accept_key,
        reject_key=reject_key,
        steps=_steps(pack, protocol, list_id, order),
        judge=partial(judge, protocol),
    )


def decision_keys(protocol: AcceptReject, pack_id: str, participant: str) -> tuple[str, str]:
    """Return the keys (or buttons) that accept and reject; sides by the lead's code."""
    session = protocol.session
    sides = BUTTONS if session.device == "mouse" else (session.left_key, session.right_key)
    accept_left = seed_of("accept side", pack_id, participant) % 2 == 0
    return sides if accept_left else (sides[1], sides[0])


def _protocol_of(pack: Pack) -> AcceptReject:
    manifest = pack.manifest
    if (manifest.study, manifest.kind) != (STUDY, "solutions"):
        raise UserError(
            f"pack {pack.pack_id}: is a pack of {manifest.kind} of {manifest.study}; "
            f"a lead's session needs solutions of {STUDY}"
        )
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    if protocol.trial.cutoff_mode != "internal":
        raise UserError(
            f"pack {pack.pack_id}: trial.cutoff_mode is {protocol.trial.cutoff_mode!r}; "
            "sessions run with internal only"
        )
    return protocol


def _steps(pack: Pack, protocol: AcceptReject, list_id: str, order: str) -> tuple[Step, ...]:
    runs = _presentations(pack, list_id)
    stimuli = _stimuli(pack, protocol, {name for run in runs.values() for name in run})
    practice = runs[PRACTICE_RUN]
    right = _right_decisions(pack, stimuli, practice)
    examples = _examples(practice, right)
    practised = [name for name in practice if name not in examples]
    chronological = [WITHOUT_RUN, WITH_RUN] if order == "without_first" else [WITH_RUN, WITHOUT_RUN]
    trials = _practice_trials(protocol, practised, stimuli, right)
    first, second = (
        _main_trials(protocol, runs[run], stimuli, number, len(trials) + offset)
        for number, run, offset in (
            (1, chronological[0], 0),
            (2, chronological[1], len(runs[chronological[0]])),
        )
    )
    planned = len(trials) + len(first) + len(second)
    guidelines = Page("guidelines", "guidelines")
    steps: list[Step] = [Consent("consent"), Page("instructions", "instructions"), guidelines]
    steps += [
        Page(
            f"example_{decision}",
            f"example_{decision}",
            {"label": stimuli[name].shown_label},
            stimuli[name],
        )
        for name, decision in examples.items()
    ]
    steps += [Page("answering", "answering"), _check(protocol, guidelines)]
    if trials:
        steps += [Page("practice", "practice"), *trials]
    steps.append(Page("before_first_run", "before_first_run"))
    steps += _run_steps(protocol, first, 0, len(first) + len(second), planned)
    steps.append(
        Break(
            "between_runs",
            "between_runs",
            len(first),
            len(first) + len(second),
            protocol.session.between_runs_s,
        )
    )
    steps += _run_steps(protocol, second, len(first), len(first) + len(second), planned)
    steps.append(Page("before_questions", "before_questions"))
    steps += [Question(name, name, choices) for name, choices in QUESTIONS]
    steps += [Page("debrief", "debrief"), Consent("consent_renewed", renewed=True)]
    steps.append(Page("end", "end"))
    return tuple(steps)


def _presentations(pack: Pack, list_id: str) -> dict[int, list[str]]:
    rows = [row for row in pack.table(LISTS) if row["list"] == list_id]
    if not rows:
        known = sorted({str(row["list"]) for row in pack.table(LISTS)})
        raise UserError(f"pack {pack.pack_id}: has no list {list_id!r}; it has {', '.join(known)}")
    rows.sort(key=lambda row: (row["run"], row["position"]))
    return {
        run: [str(row["presentation"]) for row in rows if row["run"] == run]
        for run in (PRACTICE_RUN, WITHOUT_RUN, WITH_RUN)
    }


def _stimuli(pack: Pack, protocol: AcceptReject, wanted: set[str]) -> dict[str, PlateStimulus]:
    rows = pack.table(ITEMS)
    stimuli = {
        str(row["presentation"]): _stimulus(row, protocol)
        for row in rows
        if row["presentation"] in wanted
    }
    missing = sorted(wanted - set(stimuli))
    if missing:
        raise UserError(f"pack {pack.pack_id}: lists.csv shows {missing[0]!r}, items.csv has none")
    return stimuli


def _stimulus(row: Row, protocol: AcceptReject) -> PlateStimulus:
    axis, rung = str(row["axis"]), int(row["rung"])
    region = row["region_file"]
    return PlateStimulus(
        plate_file=str(row["plate_file"]),
        region_file=None if region is None else str(region),
        shown_label=str(row["shown_label"]),
        axis=axis,
        rung=rung,
        contrast=protocol.plates.ladder(axis)[rung - 1],
    )


def _right_decisions(
    pack: Pack, stimuli: dict[str, PlateStimulus], practice: Sequence[str]
) -> dict[str, Decision]:
    """Right decisions of the practice presentations alone; without any the key stays shut."""
    if not practice:
        return {}
    wanted = set(practice)
    truth = {
        row["presentation"]: row["true_label"]
        for row in pack.table(KEY)
        if row["presentation"] in wanted
    }
    return {
        name: "accept" if stimuli[name].shown_label == truth[name] else "reject"
        for name in practice
    }


def _examples(practice: Sequence[str], right: dict[str, Decision]) -> dict[str, Decision]:
    """One practice presentation to accept and one to reject; they are not practised again."""
    if len(practice) < LEAST_PRACTICE_FOR_EXAMPLES:
        return {}
    firsts = {decision: name for name, decision in reversed(list(right.items()))}
    return {firsts[decision]: decision for decision in ("accept", "reject") if decision in firsts}


def _check(protocol: AcceptReject, guidelines: Page) -> Check:
    return Check(
        step="check",
        questions=tuple(Question(name, name, choices) for name, choices, _ in CHECK_QUESTIONS),
        right=tuple(right for _, _, right in CHECK_QUESTIONS),
        attempts=protocol.session.comprehension_attempts,
        again=Page("guidelines_again", guidelines.text),
        call=Page("call_experimenter", "call_experimenter", reader="experimenter"),
    )


def _practice_trials(
    protocol: AcceptReject,
    names: Iterable[str],
    stimuli: dict[str, PlateStimulus],
    right: dict[str, Decision],
) -> list[Trial]:
    return [
        Trial(
            step=trial_step(number),
            trial=number,
            phase="practice",
            run=PRACTICE_RUN,
            position=number,
            presentation=name,
            stimulus=stimuli[name],
            fixation_s=protocol.trial.fixation_s,
            limit_s=protocol.trial.limit_s,
            right_decision=right[name],
            feedback_s=protocol.trial.practice_feedback_s,
        )
        for number, name in enumerate(names, start=1)
    ]


def _main_trials(
    protocol: AcceptReject,
    names: Sequence[str],
    stimuli: dict[str, PlateStimulus],
    run: int,
    before: int,
) -> list[Trial]:
    return [
        Trial(
            step=trial_step(before + position),
            trial=before + position,
            phase="main",
            run=run,
            position=position,
            presentation=name,
            stimulus=stimuli[name],
            fixation_s=protocol.trial.fixation_s,
            limit_s=protocol.trial.limit_s,
        )
        for position, name in enumerate(names, start=1)
    ]


def _run_steps(
    protocol: AcceptReject, trials: Sequence[Trial], before: int, total: int, planned: int
) -> list[Step]:
    """A run's trials with a break after every so many, and their possible repeats."""
    every = protocol.session.break_every_trials
    steps: list[Step] = []
    for trial in trials:
        steps.append(trial)
        if trial.position % every == 0 and trial.position < len(trials):
            step = f"break-{trial.run}-{trial.position:04d}"
            steps.append(Break(step, "break", before + trial.position, total))
    if protocol.trial.repeat_dropped:
        steps += [_repeat(trial, planned) for trial in trials]
    return steps


def _repeat(trial: Trial, planned: int) -> Trial:
    number = planned + trial.trial
    return replace(trial, step=trial_step(number), trial=number, repeat_of=trial.trial)
