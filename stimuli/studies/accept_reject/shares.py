"""How many trials of each kind a run holds, and how many plates that takes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stimuli.studies.accept_reject.expert_places import BLANK, CLEAR, FAINT
from stimuli.studies.accept_reject.practice import practised
from stimuli.studies.accept_reject.protocol import AcceptReject, Shares

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
"""Matched right digits of a lead in a run from which harm can be told well enough."""


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
        Whether no explanation is shown in spite of the run.
    method
        With which of S's methods an explained solution of S's is explained, by its place among
        the protocol's.
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
        """Whether the plate in this slot bears a digit."""
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

    Kinds of a control are split evenly. Where this leaves fewer matched ones than the protocol's
    ``least_matched``, these come first and the other kinds share the rest. Kinds start at another
    one in each list, so that a kind that is too rare for one list still occurs over the lists.
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
    """Return that a list holds too few matched right digits to tell harm; empty if it doesn't."""
    kinds = [
        [slot.control_kind for slot in run_slots(protocol, run, number)]
        for run in RUNS
        for number in range(protocol.solutions.lists)
    ]
    fewest = min(own.count("right_digit") for own in kinds)
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
    """Return how many trials are set apart for matched controls; 0 for an even split."""
    return min(least, count) if len(kinds) > 1 and count // len(kinds) < least else 0


def _kinds(name: str, run: int) -> tuple[str, ...]:
    return EXPLAINED_KINDS.get(name, (name,)) if run == WITH else (name,)
