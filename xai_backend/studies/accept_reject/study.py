"""What accept_reject declares to this room."""

from xai_backend.studies.accept_reject.command import build
from xai_backend.study import Study

STUDY = Study(build)
