"""What human_ai_team declares to this room."""

from stimuli.catalogue import Late
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=HumanAiTeam,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=Late("stimuli.studies.human_ai_team.origins:origins_of"),
    texts=Late("stimuli.studies.human_ai_team.shown_text:texts_of"),
)
