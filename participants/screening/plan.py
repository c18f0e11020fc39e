"""What somebody goes through who is screened: consent, the stages, and what came out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from participants.journal import Event
from participants.lists import Assignment
from participants.planning import MINUTES_STEP, plan_of, rules_of
from participants.screening.stages import (
    EDITION,
    NO_BOOK,
    D15Task,
    DecisionTask,
    IshiharaTask,
    TitrationTask,
    TrivectorTask,
    results_in,
)
from participants.screening.trials import ScreeningPlate
from participants.screening.verdict import ISHIHARA_EDITIONS
from participants.session import Break, Consent, Page, Question, Report, SessionPlan, Step
from participants.session.kept_answers import TOLD_RESULT, YES, told_result
from stimuli.catalogue import studies_of
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.pack import Pack
from stimuli.screening.d15 import CAPS
from stimuli.screening.gap_plates import catch_plate
from stimuli.screening.rules import STAGE_TABLE

TEXTS: Final = "screening"
"""Folder of the texts, for every study that screens."""
VERDICTS: Final = ("verdict_lead", "verdict_expert", "verdict_neither")
FOUND: Final = ("titration_found", "titration_none")
SCREENING_MINUTES: Final = 15
PLATE_S: Final = 6.0
"""About how long a plate of a titration takes, fixation and answer included."""

RecordedEvents = Sequence[tuple[str, Mapping[str, Any]]]


def plan_screening(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a screening.

    It has the consent, the question whether the person wants to be told the result, then the pack's
    stages: trivector, D-15, the score of the printed book, the decision, and for leads the
    titration. The result is shown to people who want to be told.

    Parameters
    ----------
    pack
        Of kind screening (`stimuli.screening.rules.screening_pack`).
    assignment
        None: there are no lists.
    language
        Of the texts.
    participant
        The person's code; determines the plates and their order.

    Raises
    ------
    UserError
        If the pack is of another kind, the language is not offered, or there are no plates for a
        titration.
    """
    manifest = pack.manifest
    rules_of(pack, manifest.study, "screening", "a screening's", language)
    stages = pack.table(STAGE_TABLE)
    names = tuple(str(row["stage"]) for row in stages)
    planned = _Planned(pack, participant, int(str(stages[0]["attempt"])), stages[-1]["axis"])
    steps = planned.steps(names)
    return plan_of(
        pack,
        assignment,
        language,
        steps,
        texts=TEXTS,
        settled=lambda events: _settled(steps, events),
    )


@dataclass(frozen=True, slots=True)
class _Planned:
    """What the steps are made from."""

    pack: Pack
    participant: str
    attempt: int
    axis: Any

    @property
    def protocol(self) -> Any:
        """The pack's protocol, of any study whose protocol has screening and titration."""
        return self.pack.protocol

    def steps(self, stages: Sequence[str]) -> tuple[Step, ...]:
        decides = {"trivector", "d15"} <= set(stages)
        titration = self._titration() if "titration" in stages else ()
        more = self._titration_minutes() if titration else 0
        parts: list[Step] = [
            Consent("screening_consent", {"minutes": _minutes(stages), "more": str(more)}),
            told_result(),
        ]
        if "trivector" in stages:
            parts += self._trivector()
        if "d15" in stages:
            parts.extend((Page("d15_instructions", "d15_instructions"), self._d15()))
        if "ishihara" in stages:
            editions = tuple(str(edition) for edition in ISHIHARA_EDITIONS)
            parts.extend((Question(EDITION, EDITION, (*editions, NO_BOOK)), IshiharaTask()))
        if decides:
            skips = frozenset(step.step for step in titration)
            decision = DecisionTask(self.protocol.screening, skips)
            parts.extend((decision, _verdict_report()))
        end = Page("screening_end", "screening_end")
        return (*parts, *titration, end)

    def _trivector(self) -> list[Step]:
        rules, protocol = self.protocol.screening, self.protocol
        seed = seed_of("trivector", self.pack.pack_id, self.participant)
        example = ScreeningPlate(catch_plate("right", seed), "", 0.0, "right")
        return [
            Page("gap_instructions", "gap_instructions", figure=example),
            TrivectorTask(rules, seed, protocol.trial.fixation_s),
        ]

    def _d15(self) -> D15Task:
        key = ("d15", self.pack.pack_id, self.participant)
        return D15Task(tuple(keyed_order(range(1, CAPS + 1), *key)))

    def _titration(self) -> tuple[Step, ...]:
        protocol = self.protocol
        make = studies_of("stimuli")[protocol.catalogue_name].fresh_plates
        plates = make(protocol, self.participant, self.attempt)
        rules, every = protocol.titration, protocol.session.break_every_trials
        timing = protocol.trial
        times = (timing.fixation_s, timing.cutoff_s, timing.limit_s)
        count = math.ceil((rules.trials + 2 * (rules.neighbours + 1) * rules.verify_trials) / every)
        breaks = [
            Break(f"titration-break-{part}", "break", part, count, progress="titration_progress")
            for part in range(1, count)
        ]
        names = frozenset(
            {f"titration-{part}" for part in range(1, count + 1)} | {step.step for step in breaks}
        )
        parts = [
            TitrationTask(rules, plates, self.axis, part, every, names, *times)
            for part in range(1, count + 1)
        ]
        ordered = [step for pair in zip(parts, breaks, strict=False) for step in pair]
        values = {"seconds": f"{timing.cutoff_s:g}"}
        return (
            Page("titration_instructions", "titration_instructions", values),
            *ordered,
            parts[-1],
            _titration_report(),
        )

    def _titration_minutes(self) -> int:
        rules = self.protocol.titration
        plates = rules.trials + 2 * rules.verify_trials
        return MINUTES_STEP * math.ceil(plates * PLATE_S / 60 / MINUTES_STEP)


def wants_to_know(recorded: RecordedEvents) -> bool:
    """Return whether the person's last answer was that they want to be told the result."""
    answers = [
        fields["value"]
        for kind, fields in recorded
        if kind == "answer" and fields["question"] == TOLD_RESULT
    ]
    return bool(answers) and answers[-1] == YES


def _minutes(stages: Sequence[str]) -> str:
    return str(SCREENING_MINUTES if len(stages) > 1 else MINUTES_STEP)


def _verdict_report() -> Report:
    examples = (
        _verdict("expert", "red_green_normal"),
        _verdict("neither", "red_green_between"),
        _verdict("lead", "red_green_raised,d15_passed"),
    )
    return Report("verdict", _verdict_page, VERDICTS, examples)


def _verdict(role: str, reasons: str) -> Page:
    return Page("verdict", f"verdict_{role}", {"reasons": reasons})


def _titration_report() -> Report:
    examples = tuple(Page(text, text) for text in FOUND)
    return Report("titration_report", _titration_page, FOUND, examples)


def _verdict_page(recorded: RecordedEvents) -> Page | None:
    decision = results_in(recorded)["decision"]
    if not wants_to_know(recorded):
        return None
    return _verdict(decision["role"], ",".join(decision["reasons"]))


def _titration_page(recorded: RecordedEvents) -> Page | None:
    titration = results_in(recorded).get("titration")
    if titration is None or not wants_to_know(recorded):
        return None
    return Page("titration_report", FOUND[titration["rung"] is None])


def _settled(steps: Sequence[Step], events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of the tasks that a journal shows to be over, and of the steps they skip."""
    results = results_in([(event.event, event.fields) for event in events])
    plates = sum(
        event.event == "trial_end" and event["procedure"] == "titration" for event in events
    )
    settled: set[str] = set()
    for step in steps:
        match step:
            case DecisionTask() if "decision" in results:
                settled |= step.settles(results["decision"])
            case TitrationTask() if "titration" in results:
                settled |= step.steps
            case TitrationTask() if plates >= step.part * step.trials:
                settled.add(step.step)
            case TrivectorTask() | D15Task() | IshiharaTask() if step.step in results:
                settled.add(step.step)
    return frozenset(settled)
