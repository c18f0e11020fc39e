"""Whole sessions of simulated experts: whom the low-contrast controls refuse and let pass.

The people are those of `screening_people`: their own thresholds can be found, and the limits of
screening say who has normal colour vision.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.book import Effort, Measured, Part
from bench.parts.expert_controls_page import text
from bench.parts.screening_people import Simulated, own_thresholds
from bench.parts.spread import spread
from bench.parts.words import SOURCE_NAMES, SOURCES
from participants.folder import DataFolder
from participants.studies.accept_reject.annotation import (
    CONTROLS,
    LEADS_PRACTICE,
    MAIN,
    right_label,
)
from participants.studies.accept_reject.expert_sessions import ExpertSession, expert_sessions
from participants.studies.accept_reject.robots.expert import RobotExpert
from participants.studies.accept_reject.robots.percept import templates_of
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import keyed_order
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from stimuli.studies.accept_reject.tables import TASKS
from tests.participants.screening.rules import RULES
from tests.participants.studies.accept_reject.experts import SeeingExpert, annotate

Kind = tuple[Axis, float]
Found = dict[str, Any]

PACKS: Final = 8
A_PACK: Final[Mapping[Kind, int]] = {
    ("deutan", 0.0): 5,
    **{("deutan", strength): 5 for strength in (0.3, 0.5, 0.7)},
    **{("protan", strength): 1 for strength in (0.3, 0.5, 0.7)},
}
"""People of each kind who annotate a pack; packs have plates of their own."""
LOOKED_AT: Final = 8
"""Plates to solve that a person looks at, of all that are shown; they count for no control."""
EASY: Final = (*CONTROLS, LEADS_PRACTICE)
THRESHOLD_PLATES, LOOKS = 100, 3
WITHIN, LEADS = RULES.expert_red_green_1e4, RULES.lead_red_green_1e4
EDGES_1E4: Final = (0.0, 40.0, 50.0, 60.0, 70.0, WITHIN, LEADS, np.inf)
GROUPS: Final = ("normal", "within", "between", "above")
MINIMA: Final = (0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


@dataclass(frozen=True, slots=True)
class Sitting:
    """People who annotate one pack of a source's digits."""

    source: str
    pack: int
    people: tuple[Simulated, ...]


def attended(sitting: Sitting) -> list[Found]:
    """Return what each person's session says once it is read back."""
    pack = _pack(sitting)
    templates, told = templates_of(pack), _told(pack, sitting.pack)
    codes = {f"P{number:03d}": person for number, person in enumerate(sitting.people)}
    with tempfile.TemporaryDirectory() as folder:
        data = DataFolder(Path(folder) / "data")
        for code, person in codes.items():
            robot = RobotExpert(pack, templates, sitting.pack, code, person.robot.observer)
            expert = SeeingExpert(robot=robot, told=told)
            annotate(data, pack, code, expert, purpose="robot", robot="expert")
        sessions, _ = expert_sessions(data)
    return [
        {
            **asdict(codes[session.participant]),
            "source": sitting.source,
            "contrast": pack.protocol.low_contrast,
            **_found(session, told),
        }
        for session in sessions
    ]


def _pack(sitting: Sitting) -> Pack:
    changes = {"seed": sitting.pack, "plates": {"source": sitting.source}}
    protocol = load_protocol("accept_reject", changes=changes)
    assert isinstance(protocol, AcceptReject)
    # S's maps at one place: experts see none.
    return sketch_tasks(protocol, [("deutan", 1)], SketchRates(), load_digits(sitting.source))[0]


def _told(pack: Pack, number: int) -> dict[str, str]:
    """Return the answers to plates at which nobody looks, to save time.

    Those of most plates to solve, which count for no control, and right ones to the controls
    that anyone can read.
    """
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    to_solve = (item for item, row in rows.items() if row["use"] == MAIN)
    left = keyed_order(to_solve, "looked at", number)[LOOKED_AT:]
    easy = {item: right_label(row) for item, row in rows.items() if row["use"] in EASY}
    return {**dict.fromkeys(left, NO_SOLUTION), **easy}


def _found(session: ExpertSession, told: Mapping[str, str]) -> Found:
    solved = [
        plate.label == plate.right_label
        for plate in session.plates
        if plate.use == MAIN and plate.item not in told
    ]
    return {
        "solved": sum(solved),
        "looked_at": len(solved),
        "plates": len(session.plates),
        "faint": session.faint,
        "faint_right": session.faint_right,
        "least": session.least_faint,
        "passes": not session.failed,
    }


def threshold_1e4(person: Simulated) -> float:
    """Return the higher of a person's protan and deutan thresholds, 10⁻⁴ of u′v′."""
    return max(own_thresholds(person, THRESHOLD_PLATES, LOOKS, ("protan", "deutan")).values())


def measure(effort: Effort) -> Measured:
    """Let people of each kind annotate packs of each source's digits."""
    dealt = [_dealt(pack) for pack in range(PACKS)]
    dealt = [dealt[0][::5]] if effort.quick else dealt
    everybody = [person for people in dealt for person in people]
    effort.say(f"{len(everybody)} people's own thresholds")
    own = spread(threshold_1e4, everybody, here=effort.quick)
    thresholds = dict(zip(everybody, own, strict=True))
    figures: Found = {"packs": len(dealt), "limit": WITHIN, "lead_limit": LEADS, "sources": {}}
    for source in ("uci",) if effort.quick else sources_at_hand(effort):
        effort.say(f"sessions with digits of {SOURCE_NAMES[source]}")
        sittings = [Sitting(source, pack, people) for pack, people in enumerate(dealt)]
        rows = [row for some in spread(attended, sittings, here=effort.quick) for row in some]
        for row in rows:
            row["threshold"] = thresholds[_person(row)]
        figures["sources"][source] = summary(rows)
    return Measured(text(figures), figures)


def _dealt(pack: int) -> tuple[Simulated, ...]:
    return tuple(
        Simulated(axis, strength, pack * count + number)
        for (axis, strength), count in A_PACK.items()
        for number in range(count)
    )


def _person(row: Found) -> Simulated:
    return Simulated(row["axis"], row["strength"], row["number"], row["lapse"])


def sources_at_hand(effort: Effort) -> list[str]:
    """Return the sources whose digits there are: UCI's always, MNIST's if they can be loaded."""
    try:
        load_digits("mnist")
    except UserError as missing:
        effort.say(f"without MNIST: {missing}")
        return ["uci"]
    return list(SOURCES)


def summary(rows: Sequence[Found]) -> Found:
    """Return the figures of a source: by kind, by own threshold, and by the minimum asked for."""
    first = rows[0]
    return {
        "contrast": first["contrast"],
        "plates": first["plates"],
        "looked_at": first["looked_at"],
        "faint": first["faint"],
        "least": first["least"],
        "by_kind": [
            {"axis": axis, "strength": strength, **_group(own)}
            for axis, strength in A_PACK
            if (own := [r for r in rows if (r["axis"], r["strength"]) == (axis, strength)])
        ],
        "by_threshold": [
            {"above": low, "to": None if np.isinf(high) else high, **_group(own)}
            for low, high in pairwise(EDGES_1E4)
            if (own := [r for r in rows if low < r["threshold"] <= high])
        ],
        "by_minimum": [_at(minimum, rows) for minimum in MINIMA],
    }


def _group(rows: Sequence[Found]) -> Found:
    return {
        "people": len(rows),
        "threshold": round(float(np.median([row["threshold"] for row in rows])), 1),
        "within": sum(row["threshold"] <= WITHIN for row in rows),
        "solved": _share(rows, "solved", "looked_at"),
        "faint": _share(rows, "faint_right", "faint"),
        "passes": sum(row["passes"] for row in rows),
    }


def _share(rows: Sequence[Found], right: str, of: str) -> float:
    return round(sum(row[right] for row in rows) / sum(row[of] for row in rows), 4)


def group_of(strength: float, threshold: float) -> str:
    """Return a person's group: normal cones, or an anomaly and how the own threshold lies."""
    if not strength:
        return "normal"
    if threshold <= WITHIN:
        return "within"
    return "between" if threshold <= LEADS else "above"


def _at(minimum: float, rows: Sequence[Found]) -> Found:
    """Return how many of each group would pass if they had to read that share."""
    groups = [group_of(row["strength"], row["threshold"]) for row in rows]
    passes = [row["faint_right"] >= minimum * row["faint"] for row in rows]
    return {
        "minimum": minimum,
        "needed": ceil(round(minimum * rows[0]["faint"], 6)),
        "passes": {
            name: [
                sum(p for p, g in zip(passes, groups, strict=True) if g == name),
                groups.count(name),
            ]
            for name in GROUPS
        },
    }


PARTS = (Part("experts", "Which experts pass the low-contrast controls", measure),)
