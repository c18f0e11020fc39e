"""Read answers from the trial table: which count, and which are right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.report.wording import are, count, were
from analysis.statistics.bootstrap import Resampling, Units
from stimuli.studies.human_ai_team.material import band_of, band_of_percent, is_on_limit, level_of
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, Bins, HumanAiTeam
from stimuli.studies.human_ai_team.tables import (
    LEVELS,
)

Array = np.ndarray

PRACTICE, VALIDATION = "practice", "validation"
ALL, NATURAL, ATTACKED = "all", "natural", "adversarial"
PARTS: Final = (ALL, NATURAL, ATTACKED)
YES, NO = "yes", "no"

_OUTSIDE: Final = "bin"
"""What tables from elsewhere may call the column of levels, or of low, mid and high."""

_MID: Final = frozenset({"mid", "medium", "middle"})


@dataclass(frozen=True, slots=True)
class Answers:
    """Answered main trials.

    Attributes
    ----------
    frame
        One row for each answer: ``participant, item, method`` (text), ``right`` (the AI is),
        ``followed`` (its label was accepted), ``correct``, ``adversarial`` (bool), ``level`` (easy,
        medium, hard; empty if not known), ``confidence`` (the AI's, 0…1), ``rt_s``, ``position``
        (number among the trials; NaN if not known), ``prior`` (1 if the person had seen such a
        thing before, else 0), ``rating`` (how sure the person was), ``own_followed`` and
        ``own_correct`` (of the answer before the advice: 1, 0), ``help_s`` (real; NaN if not
        known), ``list`` (text).
    arms
        The methods, the reference first.
    reference
        The arm that others are compared with; None if it doesn't occur, or no other arm does.
    unanswered
        Main trials without an answer by arm; they are left out.
    notes
        What was decided about odd rows, one sentence each.
    """

    frame: pd.DataFrame
    arms: tuple[str, ...]
    reference: str | None
    unanswered: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def participants(self) -> int:
        """Number of participants."""
        return int(self.frame["participant"].nunique())

    @property
    def advised(self) -> tuple[str, ...]:
        """The arms in which the AI's confidence or help was seen."""
        return tuple(arm for arm in self.arms if arm != HUMAN_ALONE)

    @property
    def parts(self) -> tuple[str, ...]:
        """All images; if both kinds occur, natural and adversarial ones separately, too."""
        return PARTS if self.frame["adversarial"].nunique() == 2 else (ALL,)

    @property
    def images_twice(self) -> int:
        """How many images have two answers or more."""
        return int((self.frame["item"].value_counts() > 1).sum())

    @property
    def seen_twice(self) -> bool:
        """Whether any image has two answers."""
        return self.images_twice > 0

    @property
    def seen_twice_in_arm(self) -> bool:
        """Whether any image has two answers in one arm."""
        return bool(self.frame.duplicated(["item", "method"]).any())

    @property
    def answers_an_image(self) -> float:
        """How many answers an image has on average."""
        return len(self.frame) / max(self.frame["item"].nunique(), 1)

    @property
    def within(self) -> bool:
        """Whether anybody has answers in two arms."""
        return bool((self.frame.groupby("participant")["method"].nunique() > 1).any())

    @property
    def right_share(self) -> float:
        """Share of answers in which the AI was right: the mix that accuracy is given for."""
        return float(self.frame["right"].mean())

    def of(self, keep: pd.Series | Array) -> "Answers":
        """Return the answers that a mask keeps, with the arms that are left."""
        frame = self.frame[np.asarray(keep, dtype=bool)].reset_index(drop=True)
        left = set(frame["method"])
        arms = tuple(arm for arm in self.arms if arm in left)
        reference = self.reference if self.reference in left and len(arms) > 1 else None
        return replace(self, frame=frame, arms=arms, reference=reference)

    def part(self, name: str) -> "Answers":
        """Return the answers to all images, to natural or to adversarial ones."""
        if name == ALL:
            return self
        return self.of(self.frame["adversarial"] == (name == ATTACKED))

    def pairs(self) -> list[tuple[str, str]]:
        """Return all pairs of arms, each to be compared as the first less the second.

        Those with the reference come first, as another arm less the reference.
        """
        others = [arm for arm in self.arms if arm != self.reference]
        with_reference = [(arm, self.reference) for arm in others] if self.reference else []
        return [*with_reference, *combinations(others, 2)]

    def plan(self, plan: Resampling) -> Resampling:
        """Return the plan, in which only participants are resampled if no image was seen twice."""
        return plan if self.seen_twice else replace(plan, drawn="participants")

    def units(self) -> Units:
        """Return participant and item of each answer."""
        return Units.of(self.frame["participant"], self.frame["item"])


def phase_rows(trials: pd.DataFrame, phase: str) -> pd.DataFrame:
    """Return the rows of practice or validation; none if the table has no phases."""
    return trials[_phases(trials) == phase]


def main_rows(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are neither practice nor validation."""
    return trials[~_phases(trials).isin([PRACTICE, VALIDATION])]


def read_answers(trials: pd.DataFrame, protocol: HumanAiTeam) -> Answers:
    """Return the answered main trials.

    Parameters
    ----------
    trials
        Trial table; of its columns `participant`, `item`, `method`, `ai_correct` and `decision`
        must be there.
    protocol
        Gives the order of arms, the reference and the limits of the bins.
    """
    main = main_rows(trials)
    answered = main["decision"].isin([YES, NO])
    frame, notes = _answers(main[answered].reset_index(drop=True), protocol)
    arms, reference = _arms(frame["method"].unique(), protocol)
    silent = main[~answered].groupby("method").size()
    if len(silent):
        total = int(silent.sum())
        some = count(total, "main trial")
        notes.append(f"{some} without an answer {were(total)} left out.")
    return Answers(
        frame, arms, reference, {str(arm): int(n) for arm, n in silent.items()}, tuple(notes)
    )


def _phases(trials: pd.DataFrame) -> pd.Series:
    if "phase" not in trials:
        return pd.Series("", index=trials.index)
    return trials["phase"].fillna("").astype(str).str.strip().str.casefold()


def _answers(main: pd.DataFrame, protocol: HumanAiTeam) -> tuple[pd.DataFrame, list[str]]:
    right = main["ai_correct"].astype(bool).to_numpy()
    followed = (main["decision"] == YES).to_numpy()
    confidence, level, notes = known_levels(main, protocol.bins)
    own_decision = _read_yes_no(main, "own_decision")
    frame = pd.DataFrame(
        {
            **{name: main[name].astype(str) for name in ("participant", "item", "method")},
            "right": right,
            "followed": followed,
            "correct": right == followed,
            "adversarial": _flag(main, "adversarial"),
            "level": level,
            "confidence": confidence,
            "rt_s": _number(main, "rt_s"),
            "position": _number(main, "position"),
            "prior": _number(main, "prior_knowledge"),
            "rating": _number(main, "confidence_rating"),
            "own_followed": own_decision,
            "own_correct": np.where(np.isnan(own_decision), np.nan, (own_decision == 1) == right),
            "help_s": _number(main, "help_shown_s"),
            "list": _text(main, "sheet"),
        }
    )
    return frame, [*notes, *_stored(main, frame)]


def _arms(methods: Sequence[str], protocol: HumanAiTeam) -> tuple[tuple[str, ...], str | None]:
    known = list(protocol.help.arms)
    order = {arm: place for place, arm in enumerate(known)}
    arms = sorted(map(str, methods), key=lambda arm: (order.get(arm, len(known)), arm))
    wanted = protocol.analysis.reference_arm.casefold()
    reference = next((arm for arm in arms if arm.casefold() == wanted), None)
    if reference is not None:
        arms.sort(key=lambda arm: arm != reference)
    arms.sort(key=lambda arm: arm == HUMAN_ALONE)
    return tuple(arms), reference if len(arms) > 1 else None


def _stored(main: pd.DataFrame, frame: pd.DataFrame) -> Iterator[str]:
    if "correct" in main:
        stored = main["correct"]
        odd = stored.notna() & (stored.fillna(False).astype(bool) != frame["correct"])
        if odd.any():
            yield (
                f"In {count(int(odd.sum()), 'trial')} the table's correct differs from what "
                "ai_correct and decision give; the latter was taken."
            )


def _flag(main: pd.DataFrame, name: str) -> Any:
    if name not in main:
        return False
    return main[name].fillna(False).astype(bool).to_numpy()


def _number(main: pd.DataFrame, name: str) -> Array:
    if name not in main:
        return np.full(len(main), np.nan)
    column = main[name]
    if column.dtype == object:
        column = column.map({"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0})
    return column.astype("Float64").to_numpy(dtype=float, na_value=np.nan)


def _read_yes_no(main: pd.DataFrame, name: str) -> Array:
    """Return 1 for yes and 0 for no; NaN without an answer."""
    if name not in main:
        return np.full(len(main), np.nan)
    return main[name].map({YES: 1.0, NO: 0.0}).astype(float).to_numpy()


def _text(main: pd.DataFrame, name: str) -> Any:
    return main[name].fillna("").astype(str).to_numpy() if name in main else ""


def known_levels(main: pd.DataFrame, bins: Bins) -> tuple[Array, Array, list[str]]:
    """Return the AI's confidence (0…1, NaN if not known) and each image's level.

    Parameters
    ----------
    main
        Trials; ``ai_correct`` must be there. The column ``level`` takes precedence over ``bin``,
        and ``bin`` over ``confidence``, which may be a share or per cent.
    bins
        Limits of the bins.

    Returns
    -------
    tuple
        (n,) float; (n,) text, empty if not known or between the bins; notes.
    """
    confidence, whole = _confidence(main)
    right = main["ai_correct"].astype(bool).to_numpy()
    for name in ("level", _OUTSIDE):
        levels = _read_levels(main, name, right)
        if levels is not None:
            return confidence, levels, []
    known = np.isfinite(confidence)
    level = np.array(
        [
            _by_confidence(p, ok, bins, whole) if is_known else ""
            for p, ok, is_known in zip(confidence.tolist(), right.tolist(), known, strict=True)
        ],
        dtype=object,
    )
    if not known.any():
        return confidence, level, []
    between = int((known & (level == "")).sum())
    settled = [is_on_limit(round(100 * p), bins) for p in confidence[known]] if whole else []
    notes = []
    if any(settled):
        notes.append(
            f"The AI's confidence is known in whole per cent: {count(sum(settled), 'answer')} at "
            f"{100 * bins.low_below:g} or {100 * bins.mid_below:g} per cent were taken to lie "
            "below these limits."
        )
    if between:
        notes.append(
            f"{count(between, 'answer')} to images between the bins {are(between)} in no bin; all "
            "other results include them."
        )
    return confidence, level, notes


def _confidence(main: pd.DataFrame) -> tuple[Array, bool]:
    """Return confidences as shares, and whether they are only whole per cents."""
    if "confidence" not in main:
        return np.full(len(main), np.nan), False
    values = main["confidence"].astype(float).to_numpy()
    known = values[np.isfinite(values)]
    if len(known) and known.max() > 1:
        values, known = values / 100, known / 100
    whole = np.isclose(100 * known, np.round(100 * known), rtol=0, atol=1e-6)
    return values, bool(len(known) and whole.all())


def _by_confidence(confidence: float, right: bool, bins: Bins, whole: bool) -> str:
    band = band_of_percent(round(100 * confidence), bins) if whole else band_of(confidence, bins)
    return level_of(band, right) or ""


def _read_levels(main: pd.DataFrame, name: str, right: Array) -> Array | None:
    """Return the levels that a column states; None if it states none."""
    if name not in main:
        return None
    words = main[name].fillna("").astype(str).str.casefold().str.strip().to_numpy(dtype=object)
    level = np.array(
        [_level(word, ok) for word, ok in zip(words, right, strict=True)], dtype=object
    )
    return level if (level != "").any() else None


def _level(word: str, right: Any) -> str:
    last = word.replace("-", "_").rpartition("_")[2]
    if last in LEVELS:
        return last
    if last in _MID:
        return "medium"
    if last in ("low", "high"):
        return "easy" if (last == "high") == bool(right) else "hard"
    return ""
