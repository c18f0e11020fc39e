"""What progressive_reveal declares to this room."""

from xai_backend.studies.progressive_reveal.command import build
from xai_backend.study import Study

STUDY = Study(build)
