"""What simulatability declares to this room."""

from xai_backend.studies.simulatability.command import build
from xai_backend.study import Study

STUDY = Study(build)
