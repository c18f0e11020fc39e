"""The questions of human_ai_team, in the order of the page."""

from typing import Final

from analysis.questions.inquiry import Inquiry
from analysis.questions.question import Whole
from analysis.questions.screens import SCREENS
from analysis.studies.human_ai_team.data import TeamData, read_data, setting
from analysis.studies.human_ai_team.design import registered
from analysis.studies.human_ai_team.questions.about_people import ABOUT_PEOPLE
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY
from analysis.studies.human_ai_team.questions.adversarial import ADVERSARIAL
from analysis.studies.human_ai_team.questions.ai_alone import AI_ALONE
from analysis.studies.human_ai_team.questions.closing import CLOSING
from analysis.studies.human_ai_team.questions.images import IMAGES
from analysis.studies.human_ai_team.questions.learning import LEARNING
from analysis.studies.human_ai_team.questions.metrics import METRICS
from analysis.studies.human_ai_team.questions.models import MODELS
from analysis.studies.human_ai_team.questions.other_choices import OTHER_CHOICES
from analysis.studies.human_ai_team.questions.participants import PARTICIPANTS, people
from analysis.studies.human_ai_team.questions.prior import PRIOR
from analysis.studies.human_ai_team.questions.published import PUBLISHED
from analysis.studies.human_ai_team.questions.ratings import RATINGS
from analysis.studies.human_ai_team.questions.second import SECOND
from analysis.studies.human_ai_team.questions.times import TIMES
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.words import arm_name
from stimuli.studies.human_ai_team.wording import of_cases
from stimuli.versions import Schema

SCHEMA: Final = Schema("results_human_ai_team")


def _resampling(whole: Whole) -> str:
    drawing = whole.frame.bootstrap
    alone = "" if drawing.drawn == "both" else ", since no image was seen twice"
    return (
        f"Intervals: {whole.frame.intervals}{alone}; of averaged probabilities by the model: delta "
        f"method, Student’s t; of single answers: Wilson’s. Seed of replicates {drawing.seed}."
    )


TEAM: Final[Inquiry[TeamData]] = Inquiry(
    study="human_ai_team",
    title="human_ai_team: does help make a better team with an AI?",
    schema=SCHEMA,
    read=read_data,
    setting=setting,
    main_fits=lambda data: {f"{part}_": fit for part, fit in data.fits.items()},
    sample=PARTICIPANTS,
    people=people,
    questions=(
        ACCURACY,
        TRUST,
        AI_ALONE,
        ADVERSARIAL,
        PRIOR,
        RATINGS,
        METRICS,
        TIMES,
        LEARNING,
        CLOSING,
        ABOUT_PEOPLE,
        SECOND,
        OTHER_CHOICES,
        MODELS,
        IMAGES,
        SCREENS,
    ),
    published=PUBLISHED,
    methods=((PARTICIPANTS,), (ACCURACY, MODELS, TRUST, RATINGS)),
    lacking=(PARTICIPANTS, AI_ALONE, METRICS, TRUST, RATINGS, SECOND, ACCURACY, MODELS),
    promised=(MODELS, ACCURACY, TRUST, ADVERSARIAL, AI_ALONE, PRIOR, TIMES, SECOND, OTHER_CHOICES),
    registered=registered,
    resampling=_resampling,
    arm_words=arm_name,
    wording=lambda protocol, sentence: of_cases(protocol.cases, sentence),
)
"""What is asked of the data of human_ai_team."""
