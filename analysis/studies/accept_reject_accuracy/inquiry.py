"""The questions of accept_reject_accuracy, in the order of the page."""

from typing import Final

from analysis.questions.inquiry import Inquiry
from analysis.questions.question import Whole
from analysis.questions.screens import SCREENS
from analysis.studies.accept_reject_accuracy.data import AccuracyData, read_data, setting
from analysis.studies.accept_reject_accuracy.design import registered
from analysis.studies.accept_reject_accuracy.questions.accuracy import ACCURACY
from analysis.studies.accept_reject_accuracy.questions.beyond_labels import BEYOND_LABELS
from analysis.studies.accept_reject_accuracy.questions.controls import CONTROLS
from analysis.studies.accept_reject_accuracy.questions.noticed import NOTICED
from analysis.studies.accept_reject_accuracy.questions.participants import PARTICIPANTS, people
from analysis.studies.accept_reject_accuracy.questions.sensitivity import SENSITIVITY
from analysis.studies.accept_reject_accuracy.questions.uncertainty import UNCERTAINTY
from stimuli.cases import of_cases
from stimuli.versions import Schema

SCHEMA: Final = Schema("results_accept_reject_accuracy")


def _resampling(whole: Whole) -> str:
    return (
        f"Intervals of p_S, p_E and acc_L: {whole.frame.intervals}; of single labels and shares: "
        f"Wilson’s. Seed of replicates {whole.frame.bootstrap.seed}."
    )


LABELS: Final[Inquiry[AccuracyData]] = Inquiry(
    study="accept_reject_accuracy",
    title="accept_reject: how accurate is a classifier for those who judge it?",
    schema=SCHEMA,
    read=read_data,
    setting=setting,
    sample=PARTICIPANTS,
    people=people,
    questions=(ACCURACY, UNCERTAINTY, BEYOND_LABELS, CONTROLS, NOTICED, SENSITIVITY, SCREENS),
    published=None,
    methods=((PARTICIPANTS,), (ACCURACY, UNCERTAINTY)),
    lacking=(),
    promised=(),
    registered=registered,
    resampling=_resampling,
    wording=lambda protocol, sentence: of_cases(protocol.cases, sentence),
    empty_files=True,
)
"""What is asked of the data of accept_reject_accuracy."""
