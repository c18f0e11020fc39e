"""What human_ai_team declares to this room."""

from xai_backend.studies.human_ai_team.command import build
from xai_backend.study import Study

STUDY = Study(build)
