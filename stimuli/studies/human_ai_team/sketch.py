"""A pack in memory, without a network: coloured shapes, and help drawn from where they lie.

What a sketch shows of an arm is an assumption, never a result.
"""

from dataclasses import dataclass

from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.material import Material
from stimuli.studies.human_ai_team.protocol import HumanAiTeam


@dataclass(frozen=True, slots=True)
class SketchRates:
    """What a sketch assumes."""


def sketch(protocol: HumanAiTeam, rates: SketchRates = SketchRates()) -> Pack:
    """Return a solution pack in memory; the same for the same arguments."""
    files = compose(protocol, sketch_material(protocol, rates))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def sketch_material(protocol: HumanAiTeam, rates: SketchRates = SketchRates()) -> Material:
    """Return drawn images, and help of all of a protocol's arms."""
    raise NotImplementedError
