"""How many trials of each kind practice and runs have, and how many plates that takes.

Leads practise on easy and hard plates, and the guidelines say how to decide on each. Leads must
accept what they can see, and only that. So a decision can be called wrong only where it is known
what a lead can see: a numeral in light, which anyone sees, or a plate without the stated numeral.
Nobody else knows whether a lead sees a right digit at a low contrast, so either decision may be
right.

Experts see each plate of a task pack at one axis, rung and contrast.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from stimuli.io.canonical import keyed_order
from stimuli.studies.accept_reject.protocol import (
    AS_LEADS,
    HIGHEST,
    AcceptReject,
    Axis,
    Shares,
    Solutions,
)

Expectation = Literal["accept", "reject", "as_seen"]


@dataclass(frozen=True, slots=True)
class PracticePlate:
    """A plate of practice.

    Attributes
    ----------
    kind
        Its kind of control.
    hard
        Whether it is shown one rung below the lead's; otherwise at the top of the ladder.
    explained
        Whether it has a contour.
    """

    kind: str
    hard: bool
    explained: bool

    @property
    def has_numeral(self) -> bool:
        """Whether the plate has a digit."""
        return not self.kind.startswith("no_numeral")


EASY, HARD = False, True
PLAIN, EXPLAINED = False, True
# The first four suit the shortest practice: two of them become worked examples.
EASY_AND_HARD: Final = (
    PracticePlate("high_contrast", EASY, PLAIN),
    PracticePlate("wrong_digit", EASY, PLAIN),
    PracticePlate("high_contrast", EASY, EXPLAINED),
    PracticePlate("no_numeral_s_like", HARD, EXPLAINED),
    PracticePlate("right_digit", HARD, PLAIN),
    PracticePlate("wrong_digit", HARD, EXPLAINED),
    PracticePlate("high_contrast", EASY, EXPLAINED),
    PracticePlate("wrong_digit", EASY, EXPLAINED),
    PracticePlate("high_contrast", EASY, PLAIN),
    PracticePlate("no_numeral", HARD, PLAIN),
    PracticePlate("right_digit", HARD, EXPLAINED),
    PracticePlate("wrong_digit", HARD, PLAIN),
)
RIGHT_AND_WRONG: Final = tuple(
    PracticePlate(kind, EASY, explained)
    for explained in (PLAIN, EXPLAINED)
    for kind in ("right_digit", "wrong_digit")
)
CYCLES: Final[Mapping[str, tuple[PracticePlate, ...]]] = {
    "easy_and_hard": EASY_AND_HARD,
    "right_and_wrong": RIGHT_AND_WRONG,
}


def practised(solutions: Solutions) -> list[PracticePlate]:
    """Return the plates of practice, in order."""
    cycle = CYCLES[solutions.practice_plates]
    return [cycle[number % len(cycle)] for number in range(solutions.practice_trials)]


def expected(kind: str | None, *, is_true: bool) -> Expectation:
    """Return the decision that the guidelines require for a practice presentation.

    Parameters
    ----------
    kind
        Its kind of control; None if it isn't a control.
    is_true
        Whether the shown label is the true one.
    """
    if kind is not None and kind.startswith("right_digit"):
        return "as_seen"
    return "accept" if is_true else "reject"


BELOW: Final = 0
"""The rung of a plate whose contrast lies below the ladder."""
BLANK: Final = "expert_no_numeral"
CLEAR: Final = "expert_high_contrast"
FAINT: Final = "expert_low_contrast"


@dataclass(frozen=True, slots=True)
class ExpertPlace:
    """How an expert sees a plate: axis, rung (`BELOW` if below the ladder) and contrast (Δu′v′)."""

    axis: Axis
    rung: int
    contrast: float


def expert_places(
    protocol: AcceptReject, uses: Iterable[tuple[str, str]]
) -> dict[str, ExpertPlace]:
    """Return how experts see plates, by item.

    Plates to be solved, and those without a numeral among them, are dealt out evenly over the
    places at which experts solve. Digits that anyone can read stand at the ladder's top, those
    that normal colour vision alone can read at a contrast of their own on all of the axes.

    Parameters
    ----------
    protocol
        The protocol of the task pack.
    uses
        Item and use of each plate, as in ``tasks.csv``.
    """
    by_use: dict[str, list[str]] = {}
    for item, use in uses:
        by_use.setdefault(use, []).append(item)
    usual = usual_places(protocol)
    top = [_top(protocol, axis) for axis in dict.fromkeys(place.axis for place in usual)]
    faint = [ExpertPlace(axis, BELOW, protocol.low_contrast) for axis in protocol.plates.axes]
    offered: Mapping[str, Sequence[ExpertPlace]] = {
        "main": usual, BLANK: usual, CLEAR: top, "practice": top, FAINT: faint,
    }  # fmt: skip
    return {
        item: offered[use][nth % len(offered[use])]
        for use in offered
        for nth, item in enumerate(
            keyed_order(by_use.get(use, ()), protocol.seed, "expert place", use)
        )
    }


def usual_places(protocol: AcceptReject) -> list[ExpertPlace]:
    """Return the places at which experts solve plates: by default those of the pack's leads."""
    axis, rung = protocol.experts.axis, protocol.experts.rung
    places = []
    for leads_axis, leads_rung in protocol.lead_places:
        own_axis: Axis = leads_axis if axis == AS_LEADS else axis
        top = len(protocol.plates.ladder(own_axis))
        own_rung = rung if isinstance(rung, int) else {AS_LEADS: leads_rung, HIGHEST: top}[rung]
        places.append(_place(protocol, own_axis, min(own_rung, top)))
    return list(dict.fromkeys(places))


def _top(protocol: AcceptReject, axis: Axis) -> ExpertPlace:
    return _place(protocol, axis, len(protocol.plates.ladder(axis)))


def _place(protocol: AcceptReject, axis: Axis, rung: int) -> ExpertPlace:
    return ExpertPlace(axis, rung, protocol.plates.ladder(axis)[rung - 1])


WITHOUT, WITH = 1, 2
RUNS = (WITHOUT, WITH)

# In the run with explanations some controls come in kinds; see `run_slots` for their split.
EXPLAINED_KINDS: Mapping[str, tuple[str, ...]] = {
    "right_digit": (
        "right_digit",
        "right_digit_elsewhere",
        "right_digit_shuffled",
        "right_digit_blank",
    ),
    "wrong_digit": ("wrong_digit", "wrong_digit_true_place", "wrong_digit_own_shape"),
    "no_numeral": ("no_numeral_s_like", "no_numeral_e_like"),
}

ENOUGH_MATCHED = 6
"""Least number of a lead's matched right digits in a run that shows harm reliably."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a list: the run, who solved, and for controls the kind.

    Attributes
    ----------
    run
        1 without, 2 with explanations.
    solver
        ``S``, ``E`` or ``control``.
    control_kind
        Kind of control; empty for S and E.
    probe
        Whether no explanation is shown, although the run has explanations.
    method
        Index, among the protocol's methods, of the one that explains a solution of S's.
    """

    run: int
    solver: str
    control_kind: str = ""
    probe: bool = False
    method: int = 0

    @property
    def explained(self) -> bool:
        """Whether an explanation belongs to what is shown here."""
        return self.run == WITH and not self.probe

    @property
    def bare(self) -> "Slot":
        """The slot as it is in a run without explanations."""
        kinds = (base for base, kinds in EXPLAINED_KINDS.items() if self.control_kind in kinds)
        kind = next(kinds, self.control_kind)
        return replace(self, run=WITHOUT, control_kind=kind, probe=False, method=0)

    @property
    def needs_numeral(self) -> bool:
        """Whether the plate in this slot has a digit."""
        return not self.control_kind.startswith("no_numeral")


def share_counts(total: int, shares: Shares) -> dict[str, int]:
    """Return how many of a run's trials each share gets: largest remainders, sum exact."""
    exact = {name: total * share for name, share in shares.model_dump().items()}
    counts = {name: int(value + 1e-9) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (counts[name] - exact[name], name))
    for name in by_remainder[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


def run_slots(protocol: AcceptReject, run: int, list_number: int) -> list[Slot]:
    """Return the slots of one run of one list, grouped by kind.

    The kinds of a control are split evenly. If this leaves fewer matched ones than the protocol's
    ``least_matched``, these come first and the other kinds share the rest. Each list starts with
    another kind, so that a kind that is too rare for one list still occurs over the lists.
    """
    counts = share_counts(protocol.solutions.trials_per_run, protocol.solutions.shares)
    probes = probe_counts(protocol) if run == WITH else {}
    slots: list[Slot] = []
    for name, count in counts.items():
        if name in ("S", "E"):
            bare = probes.get(name, 0)
            slots += [Slot(run, name, probe=True)] * bare
            methods = len(protocol.system.methods) if (name, run) == ("S", WITH) else 1
            slots += [
                Slot(run, name, method=k * methods // (count - bare)) for k in range(count - bare)
            ]
            continue
        kinds = _kinds(name, run)
        matched = _matched(count, kinds, protocol.solutions.least_matched) if name in kinds else 0
        others = kinds[1:] if matched else kinds
        slots += [Slot(run, "control", name)] * matched
        slots += [
            Slot(run, "control", others[(k + list_number) % len(others)])
            for k in range(count - matched)
        ]
    return slots


def matched_remark(protocol: AcceptReject) -> str:
    """Return a remark if a list holds too few matched right digits to show harm; else empty."""
    kinds = [
        [slot.control_kind for slot in run_slots(protocol, run, number)]
        for run in RUNS
        for number in range(protocol.solutions.lists)
    ]
    fewest = min(controls.count("right_digit") for controls in kinds)
    if fewest >= ENOUGH_MATCHED:
        return ""
    return (
        f"A run has only {fewest} matched right {'digit' if fewest == 1 else 'digits'}. With "
        f"fewer than {ENOUGH_MATCHED}, the analysis seldom detects that explanations do harm. "
        "Raise solutions.trials_per_run, solutions.shares.right_digit or solutions.least_matched."
    )


def probe_counts(protocol: AcceptReject) -> dict[str, int]:
    """Return how many of S's and E's trials of the run with explanations are probes."""
    solutions = protocol.solutions
    counts = share_counts(solutions.trials_per_run, solutions.shares)
    wanted = round(solutions.trials_per_run * solutions.probe_share)
    return {
        "S": min((wanted + 1) // 2, counts["S"]),
        "E": min(wanted // 2, counts["E"]),
    }


def tasks_needed(protocol: AcceptReject) -> dict[str, int]:
    """Return how many plates of each use a task pack must hold.

    A list shows every ``main`` and ``no_numeral`` plate once; the lists differ in
    who solved a plate and in which run it comes.
    """
    slots = [slot for run in RUNS for slot in run_slots(protocol, run, 0)]
    main = sum(slot.needs_numeral for slot in slots)
    experts, practice = protocol.experts, practised(protocol.solutions)
    with_numeral = sum(plate.has_numeral for plate in practice)
    return {
        "main": main,
        "no_numeral": len(slots) - main,
        "practice": with_numeral,
        "practice_no_numeral": len(practice) - with_numeral,
        BLANK: round(main * experts.no_numeral_share),
        CLEAR: round(main * experts.high_contrast_share),
        FAINT: round(main * experts.low_contrast_share),
    }


def _matched(count: int, kinds: tuple[str, ...], least: int) -> int:
    """Return the number of trials reserved for matched controls; 0 for an even split."""
    return min(least, count) if len(kinds) > 1 and count // len(kinds) < least else 0


def _kinds(name: str, run: int) -> tuple[str, ...]:
    return EXPLAINED_KINDS.get(name, (name,)) if run == WITH else (name,)
