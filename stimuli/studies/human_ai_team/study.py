"""What human_ai_team declares to this room."""

from stimuli.studies.human_ai_team.origins import origins_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.shown_text import texts_of
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=HumanAiTeam,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)
