"""What accept_reject_accuracy declares to this room."""

from xai_backend.studies.accept_reject_accuracy.command import build
from xai_backend.study import Study

STUDY = Study(build)
