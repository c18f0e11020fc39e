"""What is marked by triggers, and by which number."""

from collections.abc import Mapping
from typing import Final, Literal

Mark = Literal["onset", "offset", "step", "response", "block"]

CODES: Final[Mapping[Mark, int]] = {
    "onset": 1,
    "offset": 2,
    "step": 3,
    "response": 4,
    "block": 8,
}
"""Each code is sent once, right after the flip that puts the critical stimulus on (onset), takes
it away (offset) or changes it in steps (step), at the frame on which an answer was found
(response; its own time stands in the journal), and before the first trial of a run (block).
0 is the resting state of a line that has one."""

RESTING: Final = 0
