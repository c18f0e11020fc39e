"""From material to a pack's files: sheets, opaque ids, files of one length."""

from stimuli.studies.human_ai_team.material import Material
from stimuli.studies.human_ai_team.protocol import HumanAiTeam


def compose(protocol: HumanAiTeam, material: Material) -> dict[str, bytes]:
    """Return the files of a solution pack.

    Raises
    ------
    UserError
        If the material doesn't fit the protocol: what, and what to do.
    """
    raise NotImplementedError
