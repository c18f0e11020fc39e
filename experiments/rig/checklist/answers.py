"""Points of the checklist, and what was answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from experiments.rig.checks.catalogue import CHECKLIST
from experiments.rig.checks.finding import Finding
from participants.texts import ChecklistText

Source = Literal["asked", "file", "confirmed", "unanswered", "skipped"]

MUST_HOLD: Final[Mapping[str, bool]] = {
    "night_light": True,
    "hdr": True,
    "enhancement": True,
    "lookup_table": True,
    "warm_up": True,
    "ambient_light": False,
    "distance": False,
    "lenses": True,
    "acuity": True,
    "language": True,
    "keyboard_layout": False,
}
"""Every point, in order: whether a session needs a reason to begin where it doesn't hold."""
DISTANCE, LIGHT = "distance_cm", "ambient_lux"
PLAUSIBLE: Final[Mapping[str, tuple[float, float]]] = {DISTANCE: (20, 300), LIGHT: (0.1, 5000)}
"""Least and greatest that is taken of each value: else a unit or a decimal point is wrong."""
CONFIRMED: Final = "confirmed"
DEMANDING_PURPOSE: Final = "main"


def is_plausible(name: str, value: object) -> bool:
    """Return whether something is a number that a distance (cm) or light (lux) can have."""
    least, most = PLAUSIBLE[name]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and least <= value <= most


@dataclass(frozen=True, slots=True)
class Answers:
    """What the experimenter answered.

    Attributes
    ----------
    source
        Where the answers come from.
    text
        What was shown; None where nothing was.
    holds
        Whether each point is met, by name.
    values
        Distance (cm) and light (lux), where they were given.
    reasons
        Why to go on although a point doesn't hold, by its name.
    """

    source: Source
    text: ChecklistText | None = None
    holds: Mapping[str, bool] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def unmet(self) -> tuple[str, ...]:
        """Points that must hold and don't, without a reason."""
        return tuple(
            point
            for point, holds in self.holds.items()
            if not holds and MUST_HOLD[point] and not self.reasons.get(point)
        )

    def fields(self) -> dict[str, Any]:
        """Return the fields of the journal's ``checklist`` event."""
        return {
            "source": self.source,
            "language": self.text.language if self.text else "",
            "version": self.text.version if self.text else "",
            "sha256": self.text.sha256 if self.text else "",
            "holds": dict(self.holds),
            "values": dict(self.values),
            "reasons": dict(self.reasons),
        }


SKIPPED: Final = Answers("skipped")
UNANSWERED: Final = Answers("unanswered")


def confirmed(text: ChecklistText, values: Mapping[str, float]) -> Answers:
    """Return that all points hold, as ``--checklist confirmed`` says."""
    return Answers(CONFIRMED, text, dict.fromkeys(MUST_HOLD, True), values)


def judged(answers: Answers, purpose: str) -> Finding | None:
    """Return what the answers mean for a session of a purpose; None where nobody is concerned."""
    if answers.source == "skipped":
        return None
    if answers.source == "unanswered":
        found = "nobody went through it"
        remedy = "start at a terminal, or give --checklist FILE or --checklist confirmed"
        unfit = purpose == DEMANDING_PURPOSE
        return CHECKLIST.failed(found, remedy) if unfit else CHECKLIST.warned(found, remedy)
    if answers.unmet:
        points = ", ".join(answers.unmet)
        return CHECKLIST.failed(f"doesn't hold: {points}", "set it right, or give a reason")
    failing = [point for point, holds in answers.holds.items() if not holds]
    if failing:
        return CHECKLIST.warned(f"doesn't hold: {', '.join(failing)}", "it is recorded")
    return CHECKLIST.passed("every point holds")
