"""The questions of simulatability, in the order of the page."""

from typing import Final, cast

from analysis.questions.inquiry import Inquiry
from analysis.questions.question import Whole
from analysis.questions.screens import SCREENS
from analysis.report.wording import grouped
from analysis.studies.simulatability.data import SimulatabilityData, read_data, setting
from analysis.studies.simulatability.design import registered
from analysis.studies.simulatability.questions.about_people import ABOUT_PEOPLE
from analysis.studies.simulatability.questions.change import CHANGE
from analysis.studies.simulatability.questions.closing import CLOSING
from analysis.studies.simulatability.questions.confidence import CONFIDENCE
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.questions.explanations import EXPLAINED
from analysis.studies.simulatability.questions.items import ITEM_ANSWERS
from analysis.studies.simulatability.questions.models import MODELS
from analysis.studies.simulatability.questions.other_choices import OTHER_CHOICES
from analysis.studies.simulatability.questions.participants import PARTICIPANTS, people
from analysis.studies.simulatability.questions.published import PUBLISHED
from analysis.studies.simulatability.questions.ratings import RATINGS
from analysis.studies.simulatability.questions.regression import REGRESSION
from analysis.studies.simulatability.questions.second import SECOND
from analysis.studies.simulatability.questions.seen import SEEN
from analysis.studies.simulatability.questions.times import TIMES
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.versions import Schema

SCHEMA: Final = Schema("results_simulatability")


def _resampling(whole: Whole) -> str:
    replicates = cast(Simulatability, whole.protocol).analysis.published_replicates
    return (
        f"Intervals: {whole.frame.intervals}. For probabilities that the model averages: delta "
        f"method, Student’s t. Published bootstrap: {grouped(replicates)} replicates of "
        f"participants, then items. Seed of the replicates: {whole.frame.bootstrap.seed}."
    )


SIMULATABILITY: Final[Inquiry[SimulatabilityData]] = Inquiry(
    study="simulatability",
    title="simulatability: do explanations help people predict a model?",
    schema=SCHEMA,
    read=read_data,
    setting=setting,
    main_fits=lambda data: {f"{domain}_": fit for domain, fit in data.models.items()},
    sample=PARTICIPANTS,
    people=people,
    questions=(
        EFFECTS, CHANGE, REGRESSION, ITEM_ANSWERS, RATINGS, CONFIDENCE, TIMES, CLOSING,
        ABOUT_PEOPLE, SECOND, OTHER_CHOICES, MODELS, EXPLAINED, SCREENS, SEEN,
    ),
    published=PUBLISHED,
    methods=((PARTICIPANTS,), (EFFECTS, MODELS, CHANGE)),
    lacking=(EFFECTS, RATINGS, CONFIDENCE, SECOND, MODELS),
    promised=(EFFECTS, MODELS, CHANGE, REGRESSION, ITEM_ANSWERS, RATINGS, SECOND, OTHER_CHOICES),
    registered=registered,
    resampling=_resampling,
)  # fmt: skip
"""What is asked of the data of simulatability."""
