"""A small solution pack of each study, in memory, for tests that need any pack of it."""

from collections.abc import Callable, Mapping
from typing import Final

from stimuli.pack import Pack
from tests.participants.studies.accept_reject.packs import tiny_sketch
from tests.participants.studies.human_ai_team import taken as team
from tests.participants.studies.simulatability import taken as cases
from tests.stimuli.studies.progressive_reveal.small import small_sketch

SMALL_PACKS: Final[Mapping[str, Callable[[], Pack]]] = {
    "accept_reject": tiny_sketch,
    "human_ai_team": team.pack_of,
    "progressive_reveal": small_sketch,
    "simulatability": cases.pack_of,
}
