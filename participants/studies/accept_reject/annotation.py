"""What an expert goes through, from consent to the end; and what an answer must be to stand."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from participants import session
from participants.lists import Assignment
from participants.planning import minutes_told, plan_of, rules_of
from participants.session.kept_answers import told_result
from participants.session.strokes import AREA_DECIMALS
from participants.strokes import PAINT_BRUSH, Mask, mask_of, mask_sha256, painted_area
from participants.studies.accept_reject.plan import STUDY
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Row
from stimuli.keys import DIGITS
from stimuli.pack import Pack
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import BLANK, CLEAR, FAINT, ExpertPlace, expert_places
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import NO_NUMERAL, TASKS

MAIN: Final = "main"
LEADS_PRACTICE: Final = "practice"
CONTROLS: Final = (BLANK, CLEAR)
"""Uses of plates whose right answer anyone should give: no numeral, or one that anyone sees."""

PRACTICE_WITH_NUMERAL: Final = 3
LEAST_ON_NUMERAL: Final = 0.5
LEAST_OF_NUMERAL: Final = 0.25
SPARED_BLANKS: Final = 4
"""A blank plate is used in practice only if at least this many are left as controls."""

NO_SOLUTION_KEY: Final = "n"
ANSWER_KEYS: Final = {digit: digit for digit in DIGITS} | {NO_SOLUTION_KEY: NO_SOLUTION}
"""The answers by their keys."""

Refusal = Literal["no_answer", "nothing_painted", "painted_without_solution"]


def plan_annotation(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> session.SessionPlan:
    """Return the plan of an expert's session.

    It has the consent, instructions with a worked example, practice with feedback, every plate once
    (controls included) in the expert's own random order with breaks, debrief and renewed consent.
    The labels of plates are opened for practice only.

    Parameters
    ----------
    pack
        A task pack of the study.
    assignment
        None: every expert is shown the same plates.
    language
        Of the texts.
    participant
        The expert's code; determines the order.

    Raises
    ------
    UserError
        If the pack holds no tasks of this study, or the language is not offered.
    """
    protocol: AcceptReject = rules_of(pack, STUDY, "tasks", "an expert's", language)
    steps = _steps(pack, protocol, participant)
    return plan_of(pack, assignment, language, steps, welcome_back="expert_welcome_back")


def right_label(row: Row) -> str:
    """Return the right answer to a plate, from its row of ``tasks.csv``."""
    return NO_SOLUTION if row["true_label"] == NO_NUMERAL else str(row["true_label"])


def refusal(label: str | None, painted: bool) -> Refusal | None:
    """Return why an answer can't be confirmed yet, or None if it can.

    A digit needs a painting of its place; "no solution" must have no painting.
    """
    if label is None:
        return "no_answer"
    if label == NO_SOLUTION:
        return "painted_without_solution" if painted else None
    return None if painted else "nothing_painted"


def painting_fits(painted: Mask, figure: NDArray[np.bool_]) -> bool:
    """Return whether a painting shows the numeral and isn't a scribble; only for practice.

    Parameters
    ----------
    painted
        bool (256, 256), as from `mask_of`.
    figure
        bool (side, side): where the numeral is, in the same square.

    Returns
    -------
    bool
        True if at least half of the painting lies on the numeral, and a quarter of the numeral is
        painted: thin strokes along it suffice.
    """
    side = len(figure)
    centres = (np.arange(side) * 2 + 1) * len(painted) // (2 * side)
    sampled = painted[np.ix_(centres, centres)]
    both, painted_px, numeral_px = (int(area.sum()) for area in (sampled & figure, sampled, figure))
    enough = both >= LEAST_OF_NUMERAL * numeral_px
    return both > 0 and enough and both >= LEAST_ON_NUMERAL * painted_px


def _started(task: session.StrokeTask, plate_sha256: str) -> dict[str, Any]:
    plate = task.stimulus
    return {"axis": plate.axis, "rung": plate.rung, "plate_sha256": plate_sha256}


def _ended(result: session.StrokeResult) -> dict[str, Any]:
    assert result.rt_s is not None
    mask = mask_of(result.acts)
    return {
        "label": result.label,
        "rt_s": session.to_microseconds(result.rt_s),
        "mask_sha256": mask_sha256(mask),
        "area": round(painted_area(mask), AREA_DECIMALS),
    }


PAINTING: Final = session.StrokeKind(PAINT_BRUSH, refusal, _started, _ended, ANSWER_KEYS)
"""A plate is read, and its numeral painted."""


def _steps(pack: Pack, protocol: AcceptReject, participant: str) -> tuple[session.Step, ...]:
    rows = pack.table(TASKS)
    places = expert_places(protocol, [(str(row["item"]), str(row["use"])) for row in rows])
    key = ("annotation", pack.pack_id, participant)
    example, practised = _practice_rows(rows, key)
    wanted = (MAIN, *CONTROLS, FAINT)
    rest = [row for row in rows if row["use"] in wanted and row not in practised]
    order = keyed_order((str(row["item"]) for row in rest), *key, "order")
    by_item = {str(row["item"]): row for row in rest}
    practice = [
        _task(protocol, row, places, _Place("practice", place, len(practised), place))
        for place, row in enumerate(practised, 1)
    ]
    before = len(practice)
    main = [
        _task(protocol, by_item[item], places, _Place("main", place, len(order), place + before))
        for place, item in enumerate(order, 1)
    ]
    minutes = minutes_told(len(practice) + len(main), protocol.experts.expected_plate_s)
    intro = [session.Page("expert_practice", "expert_practice"), *practice] if practice else []
    return (
        session.Consent("expert_consent", {"plates": str(len(main)), "minutes": minutes}),
        told_result(),
        session.Page("expert_instructions", "expert_instructions"),
        session.Page("expert_tools", "expert_tools"),
        *([_example(protocol, example, places)] if example else []),
        *intro,
        session.Page("expert_start", "expert_start", {"plates": str(len(main))}),
        *session.with_breaks(main, protocol.session.break_every_trials, "break"),
        session.Page("expert_debrief", "expert_debrief"),
        session.Consent(session.RENEWED, renewed=True),
        session.Page("expert_end", "expert_end"),
    )


def _practice_rows(rows: Sequence[Row], key: tuple[str, ...]) -> tuple[Row | None, list[Row]]:
    """Return the plate of the worked example, and those of the practice, a blank one last.

    They are plates of the leads' practice, where their answers are revealed too.
    """
    drawn = _drawn(rows, LEADS_PRACTICE, key)[: PRACTICE_WITH_NUMERAL + 1]
    blanks = _drawn(rows, BLANK, key)
    spared = blanks[:1] if len(blanks) > SPARED_BLANKS and drawn else []
    return (drawn[0] if drawn else None), [*drawn[1:], *spared]


def _drawn(rows: Sequence[Row], use: str, key: tuple[str, ...]) -> list[Row]:
    by_item = {str(row["item"]): row for row in rows if row["use"] == use}
    return [by_item[item] for item in keyed_order(by_item, *key, use)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A plate's number within practice or the plates that count, and in the session."""

    phase: session.Phase
    position: int
    total: int
    trial: int


def _task(
    protocol: AcceptReject, row: Row, places: Mapping[str, ExpertPlace], place: _Place
) -> session.StrokeTask:
    seen = places[str(row["item"])]
    practised = place.phase == "practice"
    right = right_label(row)
    return session.StrokeTask(
        **asdict(place),
        item=str(row["item"]),
        stimulus=PlateStimulus(
            plate_file=str(row["plate_file"]),
            region_file=None,
            shown_label=right if practised else "",
            axis=seen.axis,
            rung=seen.rung,
            contrast=seen.contrast,
        ),
        kind=PAINTING,
        fixation_s=protocol.trial.fixation_s,
        right_label=right if practised else None,
        feedback_s=protocol.trial.practice_feedback_s if practised else 0.0,
    )


def _example(protocol: AcceptReject, row: Row, places: Mapping[str, ExpertPlace]) -> session.Page:
    stimulus = _task(protocol, row, places, _Place("practice", 1, 1, 1)).stimulus
    values = {"label": stimulus.shown_label}
    return session.Page("expert_example", "expert_example", values, stimulus)
