"""What a screening shows: plates as trials of a session, and caps that people put in order."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

from participants.journal import Recorder
from participants.screening.trivector import GapTrial
from participants.session import Choice, TimedChoice, to_microseconds
from stimuli.colour.spaces import Axis
from stimuli.plates.plate import Plate
from stimuli.screening.d15 import CAPS
from stimuli.screening.gap_plates import GAPS


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which caps lie in the row, from the pilot on; the others lie in the tray.

    Attributes
    ----------
    row
        Caps from 1 to 15, in order; the pilot before them never moves.
    """

    row: tuple[int, ...] = ()

    @property
    def full(self) -> bool:
        """Whether no cap is left in the tray."""
        return len(self.row) == CAPS

    def moved(self, cap: int, place: int | None) -> "Arrangement":
        """Return the arrangement after a cap was moved.

        Parameters
        ----------
        cap
            1 to 15.
        place
            Its new place in the row, from 1; a place beyond the row's end means the end. None puts
            it back into the tray.
        """
        others = tuple(other for other in self.row if other != cap)
        if place is None:
            return replace(self, row=others)
        before = others[: place - 1]
        return replace(self, row=(*before, cap, *others[len(before) :]))


def arranged(moves: Iterable[tuple[int, int | None]]) -> Arrangement:
    """Return the arrangement after moves, each a cap and its place."""
    arrangement = Arrangement()
    for cap, place in moves:
        arrangement = arrangement.moved(cap, place)
    return arrangement


GAP_KEYS: Final[Mapping[str, str]] = {gap: gap for gap in GAPS}
"""Arrow keys have the names of the directions in which a gap points."""
DIGIT_PAUSE_S: Final = 30.0
"""Time for naming a digit after a plate has disappeared."""


@dataclass(frozen=True, slots=True)
class ScreeningPlate:
    """What a trial shows.

    Attributes
    ----------
    plate, axis, excursion_1e4
        The dots, the line, and how far the figure lies from its ground. A plate with a gap has its
        colours already; one with a digit gets them when it is drawn.
    rung, phase
        Rung and phase of a titration; otherwise 0 and ``gap``.
    expected
        The right answer.
    """

    plate: Plate
    axis: Axis | Literal[""]
    excursion_1e4: float
    expected: str
    rung: int = 0
    phase: str = "gap"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningTrial(TimedChoice):
    """A trial of the trivector or of a titration.

    Attributes
    ----------
    procedure, number
        The procedure it belongs to, and its number there, from 0.
    gap_trial
        The trivector's trial; None for a digit.
    progress
        Approximate share of the procedure that is over, 0…1.
    """

    procedure: str
    number: int
    gap_trial: GapTrial | None = None
    progress: float = 0.0

    def record_start(self, recorder: Recorder, plate_sha256: str) -> None:
        """Record that the plate is about to be shown; outside timed windows."""
        plate: ScreeningPlate = self.stimulus
        recorder.append(
            "trial_start",
            trial=self.trial,
            procedure=self.procedure,
            number=self.number,
            phase=plate.phase,
            axis=plate.axis,
            excursion_1e4=round(plate.excursion_1e4, 4),
            rung=plate.rung,
            expected=plate.expected,
            exposure_s=self.longest_look_s,
            plate_sha256=plate_sha256,
        )

    def record_end(self, recorder: Recorder, choice: Choice) -> None:
        """Record the answer."""
        recorder.append(
            "trial_end",
            durable=True,
            trial=self.trial,
            procedure=self.procedure,
            number=self.number,
            answer=choice.choice,
            right=choice.choice == self.stimulus.expected,
            rt_s=None if choice.rt_s is None else to_microseconds(choice.rt_s),
            lag_s=choice.lag_s,
            **asdict(choice.presented),
        )
