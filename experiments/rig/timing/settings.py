"""What both programs of the bench are told: the same trial, spelt as JSON on their command line."""

import json
from dataclasses import asdict, dataclass

ON_FRAMES, OFF_FRAMES = 12, 18
SIZE_PX = (1280, 720)
REFRESH_HZ = 60.0


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """A run of equal trials: a picture comes, stays and goes; presses are recorded throughout.

    Attributes
    ----------
    trials
        Number of trials.
    refresh_hz
        Frame rate of the pacing.
    on_frames, off_frames
        Refreshes with and without the picture.
    size_px
        Width and height of the window; None for the whole screen.
    wait_blanking
        PsychoPy's ``waitBlanking`` for the plain script's window.
    blinking
        Change the suite's marker with every frame of the picture, not only with the first and
        the one after the last, so that a photodiode sees each. The number of frames must then
        be odd, so that the end is seen too.
    """

    trials: int
    refresh_hz: float = REFRESH_HZ
    on_frames: int = ON_FRAMES
    off_frames: int = OFF_FRAMES
    size_px: tuple[int, int] | None = SIZE_PX
    wait_blanking: bool = True
    blinking: bool = False

    @property
    def period_s(self) -> float:
        """Length of a refresh."""
        return 1 / self.refresh_hz

    @property
    def on_s(self) -> float:
        """Planned duration of the picture."""
        return self.on_frames * self.period_s

    @property
    def trial_s(self) -> float:
        """Length of a trial."""
        return (self.on_frames + self.off_frames) * self.period_s

    def to_json(self) -> str:
        """Return the settings as one word of a command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "TrialSettings":
        """Return the settings from the text of `to_json`."""
        values = json.loads(text)
        size_px = values.pop("size_px")
        return cls(**values, size_px=None if size_px is None else (size_px[0], size_px[1]))
