"""The stages of a screening as tasks of a session; each resumes from the journal.

The registry learns the results from the journal, event by event or all at once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Protocol

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from participants.journal import Journal, Recorder
from participants.registry.tables import screenings
from participants.screening.events import CAP_MOVED, SCREENED
from participants.screening.records import TYPES, Procedure, decided, enter, enter_decision, read
from participants.screening.titration import DigitTrial, Phase, Titration
from participants.screening.trials import (
    DIGIT_PAUSE_S,
    GAP_KEYS,
    Arrangement,
    ScreeningPlate,
    ScreeningTrial,
    arranged,
)
from participants.screening.trivector import GapTrial, Trivector
from participants.screening.verdict import (
    ISHIHARA_EDITIONS,
    IshiharaEdition,
    Verdict,
    decide,
    ishihara_score,
)
from participants.session import NO_CHOICE, Attended, Choice
from stimuli.colour.spaces import AXES, Axis
from stimuli.keys import DIGITS
from stimuli.screening import d15
from stimuli.screening.gap_plates import GAPS, UNIT
from stimuli.screening.rules import Screening
from stimuli.screening.rules import Titration as TitrationRules
from stimuli.study import FreshPlates

EDITION: Final = "ishihara_edition"
NO_BOOK: Final = "none"


class ScreeningPresenter(Protocol):
    """Shows the stages; ``plate`` records ``trial_start``, ``flip`` and ``response`` itself."""

    def plate(self, trial: ScreeningTrial) -> Choice:
        """Show a plate until it is answered."""

    def caps(self, task: "D15Task", arrangement: Arrangement, recorder: Recorder) -> Arrangement:
        """Let the person arrange the caps, and record every move; return the full row."""

    def score(self, edition: IshiharaEdition) -> int:
        """Ask the experimenter how many of the book's scored plates were read."""


@dataclass(frozen=True, slots=True)
class OnePlate:
    """A plate as a rehearsal shows it: its answer is recorded but has no consequence.

    Attributes
    ----------
    trial
        What is shown.
    stage
        The kind of plate.
    plates
        The supply that a plate with a digit is from; None for one with a gap.
    """

    trial: ScreeningTrial
    stage: str
    plates: FreshPlates | None = None
    step: str = ""

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Show it."""
        trial = replace(self.trial, trial=len(recorder.ends) + 1)
        trial.record_end(recorder, presenter.plate(trial))
        return frozenset({self.step})


@dataclass(frozen=True, slots=True)
class OneScore:
    """The screen for the book's score as a rehearsal shows it, even if there is no book."""

    edition: IshiharaEdition
    step: str = ""

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Ask for the score."""
        presenter.score(self.edition)
        return frozenset({self.step})


@dataclass(frozen=True, slots=True)
class TrivectorTask:
    """Staircases on three lines.

    Attributes
    ----------
    rules, seed
        The protocol's rules, and the seed of plates and their order.
    fixation_s, short_s, long_s
        Fixation before each plate; exposures of a plate: the decision time of the lead's trials,
        and their limit.
    """

    rules: Screening
    seed: int
    fixation_s: float
    step: str = "trivector"

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Show the plates that aren't answered yet, and record the thresholds."""
        state = Trivector.start(self.rules, self.seed)
        for end in _ends(recorder, "trivector"):
            state = state.answer(_gap(end["answer"]))
        while (trial := state.trial) is not None:
            screening_trial = self._screening_trial(trial, state.progress, len(recorder.ends) + 1)
            choice = presenter.plate(screening_trial)
            screening_trial.record_end(recorder, choice)
            state = state.answer(_gap(choice.choice))
        _record(recorder, "trivector", state.result())
        return frozenset({self.step})

    def rehearsed(self) -> tuple[OnePlate, ...]:
        """Return a plate that anybody can see, and one of each line with the first colour."""
        start_1e4 = self.rules.start_1e4
        gaps = [
            GapTrial(number, axis, GAPS[number % len(GAPS)], start_1e4 if axis else 0.0, self.seed)
            for number, axis in enumerate((None, *AXES))
        ]
        return tuple(
            OnePlate(
                self._screening_trial(gap, gap.number / len(gaps), 1), f"gap {gap.axis or 'catch'}"
            )
            for gap in gaps
        )

    def _screening_trial(self, trial: GapTrial, progress: float, place: int) -> ScreeningTrial:
        return ScreeningTrial(
            step=f"trivector-{trial.number:04d}",
            trial=place,
            phase="main",
            position=trial.number + 1,
            presentation=f"gap-{trial.number:04d}",
            stimulus=ScreeningPlate(
                trial.plate(), trial.axis or "", trial.excursion_1e4, trial.gap
            ),
            options=GAP_KEYS,
            device="keyboard",
            fixation_s=self.fixation_s,
            limit_s=self.rules.limit_s,
            procedure="trivector",
            number=trial.number,
            gap_trial=trial,
            progress=progress,
        )


@dataclass(frozen=True, slots=True)
class D15Task:
    """The caps of the D-15 are put in order.

    Attributes
    ----------
    tray
        The caps as they lie in the tray.
    """

    tray: tuple[int, ...]
    step: str = "d15"

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Let the person arrange them, and record the score."""
        begun = arranged((move["cap"], move["place"]) for move in recorder.of(CAP_MOVED))
        row = presenter.caps(self, begun, recorder).row
        _record(recorder, "d15", d15.score(row), order=list(row))
        return frozenset({self.step})


@dataclass(frozen=True, slots=True)
class IshiharaTask:
    """The experimenter enters the score of the printed book, if it was used."""

    step: str = "ishihara"

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Ask for the score, unless there was no book."""
        edition = next(
            end["value"] for end in reversed(recorder.of("answer")) if end["question"] == EDITION
        )
        if edition != NO_BOOK:
            rule = ISHIHARA_EDITIONS[int(edition)]
            read = presenter.score(rule)
            _record(recorder, "ishihara", ishihara_score(rule.plates, read))
        return frozenset({self.step})

    def rehearsed(self) -> tuple[OneScore, ...]:
        """Return the screen that asks, for the first edition."""
        return (OneScore(next(iter(ISHIHARA_EDITIONS.values()))),)


@dataclass(frozen=True, slots=True)
class DecisionTask:
    """The protocol's rules decide on a person's role from the results.

    Attributes
    ----------
    rules
        The protocol's.
    skips
        Ids of the steps that only a lead goes through.
    """

    rules: Screening
    skips: frozenset[str] = frozenset()
    step: str = "decision"

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Decide, and record it."""
        results = results_in(recorder.recorded)
        verdict = TypeAdapter(Verdict).dump_python(self.verdict(results), mode="json")
        recorder.append(SCREENED, durable=True, procedure="decision", result=verdict)
        return self.settles(results_in(recorder.recorded)["decision"])

    def verdict(self, results: Mapping[str, Mapping[str, Any]]) -> Verdict:
        """Return the verdict of the rules on results, which are given by procedure."""
        trivector = result_of("trivector", results["trivector"])
        d15_score, book = (
            result_of(name, results[name]) if name in results else None
            for name in ("d15", "ishihara")
        )
        return decide(self.rules, trivector, d15_score, book)

    def settles(self, decision: Mapping[str, Any]) -> frozenset[str]:
        """Return the ids of the steps that a decision settles."""
        lead = decision["role"] == "lead"
        return frozenset({self.step}) | (frozenset() if lead else self.skips)


@dataclass(frozen=True, slots=True)
class TitrationTask:
    """A part of a lead's titration: some plates, and perhaps a break after them.

    Attributes
    ----------
    rules, plates
        The protocol's, and a supply of plates.
    axis
        The lead's axis; None if the screening's decision says it.
    part, trials
        Which part it is, from 1, and how many plates each has.
    steps
        Ids of all parts and of the breaks between them.
    fixation_s, short_s, long_s
        Fixation before each plate; exposures of a plate: the decision time of the lead's trials,
        and their limit.
    """

    rules: TitrationRules
    plates: FreshPlates
    axis: Axis | None
    part: int
    trials: int
    steps: frozenset[str]
    fixation_s: float
    short_s: float
    long_s: float

    @property
    def step(self) -> str:
        """``titration-1`` and so on."""
        return f"titration-{self.part}"

    def perform(self, presenter: ScreeningPresenter, recorder: Attended) -> frozenset[str]:
        """Show the part's plates; at the titration's end record the rung."""
        axis = self.axis or results_in(recorder.recorded)["decision"]["axis"]
        ladder = self.plates.ladders[axis]
        state = Titration.start(self.rules, ladder)
        for end in _ends(recorder, "titration"):
            state = state.answer(end["right"])
        while (trial := state.trial) is not None:
            if trial.number >= self.part * self.trials:
                return frozenset({self.step})
            screening_trial = self._screening_trial(trial, axis, len(recorder.ends) + 1)
            choice = presenter.plate(screening_trial)
            screening_trial.record_end(recorder, choice)
            state = state.answer(choice.choice == screening_trial.stimulus.expected)
        _record(recorder, "titration", state.result(), axis=axis)
        return self.steps

    def rehearsed(self) -> tuple[OnePlate, ...]:
        """Return a plate in the middle of the ladder for each exposure; only for part 1."""
        if self.part > 1:
            return ()
        axis = self.axis or next(iter(self.plates.ladders))
        middle = (1 + len(self.plates.ladders[axis])) // 2
        phases: tuple[Phase, ...] = ("short", "long")
        return tuple(
            OnePlate(self._screening_trial(trial, axis, 1), f"digit {trial.phase}", self.plates)
            for number, phase in enumerate(phases)
            for trial in (DigitTrial(number, phase, middle),)
        )

    def _screening_trial(self, trial: DigitTrial, axis: Axis, place: int) -> ScreeningTrial:
        plate, digit = self.plates.draw(trial.number)
        excursion = self.plates.ladders[axis][trial.rung - 1] / UNIT
        exposure_s = self.long_s if trial.phase == "long" else self.short_s
        return ScreeningTrial(
            step=f"plate-{trial.number:04d}",
            trial=place,
            phase="main",
            position=trial.number + 1,
            presentation=f"digit-{trial.number:04d}",
            stimulus=ScreeningPlate(plate, axis, excursion, str(digit), trial.rung, trial.phase),
            options={digit: digit for digit in DIGITS},
            device="keyboard",
            fixation_s=self.fixation_s,
            limit_s=exposure_s + DIGIT_PAUSE_S,
            exposure_s=exposure_s,
            procedure="titration",
            number=trial.number,
        )


def results_in(recorded: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Mapping[str, Any]]:
    """Return the last result of each procedure, from the kinds and fields of events."""
    return {fields["procedure"]: fields["result"] for kind, fields in recorded if kind == SCREENED}


def result_of(procedure: Procedure, record: Mapping[str, Any]) -> Any:
    """Return a procedure's result in its type, from an event's ``result``."""
    kind = TYPES[procedure]
    values = {field.name: record[field.name] for field in fields(kind)}
    return TypeAdapter(kind).validate_python(values)


def _record(recorder: Recorder, procedure: Procedure, result: Any, **more: Any) -> None:
    plain = TypeAdapter(TYPES[procedure]).dump_python(result, mode="json")
    recorder.append(SCREENED, durable=True, procedure=procedure, result={**more, **plain})


def _ends(recorder: Attended, procedure: str) -> Sequence[Mapping[str, Any]]:
    return [end for end in recorder.ends if end["procedure"] == procedure]


def _gap(answer: str) -> Any:
    return None if answer == NO_CHOICE else answer


def learn_screening(connection: Connection, journal: Journal) -> None:
    """Enter a screening's results that the registry lacks; repeating it changes nothing."""
    code, session = (str(journal.header[name]) for name in ("participant", "session"))
    known = Counter(
        connection.scalars(select(screenings.c.procedure).where(screenings.c.session == session))
    )
    for event in journal.of(SCREENED):
        if not known[event["procedure"]]:
            learn_result(connection, code, session, event.fields, event.t_utc)


def learn_result(
    connection: Connection, code: str, session: str, fields: Mapping[str, Any], stamp: str
) -> None:
    """Enter the result of one stage of a screening, or the decision of the rules.

    Parameters
    ----------
    connection
        Of a transaction.
    code, session
        Whose, and where.
    fields
        Of the event ``screened``.
    stamp
        When, as `participants.clock.utc_text` has it.
    """
    procedure, record = fields["procedure"], fields["result"]
    if procedure == "decision":
        verdict = Verdict(record["role"], record["axis"], tuple(record["reasons"]))
        enter_decision(connection, code, decided(verdict, None), session, stamp)
        return
    result = result_of(procedure, record)
    enter(connection, code, procedure, result, session, stamp)
    if procedure == "titration":
        verdict = _last_verdict(connection, code) or Verdict("lead", record["axis"], ())
        decision = decided(replace(verdict, axis=record["axis"]), result)
        enter_decision(connection, code, decision, session, stamp)


def _last_verdict(connection: Connection, code: str) -> Verdict | None:
    rows = select(screenings.c.result).where(
        screenings.c.code == code, screenings.c.procedure == "decision"
    )
    text = connection.scalar(rows.order_by(screenings.c.id.desc()).limit(1))
    return None if text is None else read("decision", text).verdict
