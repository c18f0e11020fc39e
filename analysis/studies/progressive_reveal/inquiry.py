"""The questions of progressive_reveal, in the order of the page."""

from typing import Final

from analysis.questions.inquiry import Inquiry
from analysis.questions.metrics import metric_r, metrics_question
from analysis.questions.question import Whole
from analysis.questions.screens import SCREENS
from analysis.report.wording import grouped
from analysis.studies.progressive_reveal.data import RevealData, read_data, setting
from analysis.studies.progressive_reveal.design import registered
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.first_answers import FIRST_ANSWERS
from analysis.studies.progressive_reveal.questions.images import IMAGES
from analysis.studies.progressive_reveal.questions.likeness import LIKENESS
from analysis.studies.progressive_reveal.questions.models import MODELS
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.other_choices import OTHER_CHOICES
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.progressive_reveal.questions.participants import PARTICIPANTS, people
from analysis.studies.progressive_reveal.questions.published import PUBLISHED
from analysis.studies.progressive_reveal.questions.seen import SEEN
from analysis.studies.progressive_reveal.questions.steps import STEPS
from analysis.studies.progressive_reveal.questions.suits import SUITS
from stimuli.versions import Schema

METRICS = metrics_question(
    metric_r("images", "the mean share of the image that was uncovered when a round ended"),
    lambda data: data.table.frame.assign(correct=data.table.frame["share"]),
    note="Less is better: a metric that helps people has a negative r if high is good. Rounds "
    "without recognition end with what was uncovered then.",
)
SCHEMA: Final = Schema("results_progressive_reveal")
COLUMNS: Final = (
    *("purpose", "attempts", "first_attempt_right", "guess_rate", "step_first_key"),
    *("pixels_first_key", "keystrokes", "table_walk", "rt_s", "typing_s", "left", "model_correct"),
)
"""The order in which missing columns are listed."""


def _resampling(whole: Whole) -> str:
    drawing = whole.frame.bootstrap
    return (
        f"Intervals of averages, life tables and restricted means: {whole.frame.intervals}; of "
        f"curves over pixels: percentile, {grouped(drawing.replicates)} replicates unless stated, "
        f"seed {drawing.seed}."
    )


REVEAL: Final[Inquiry[RevealData]] = Inquiry(
    study="progressive_reveal",
    title="progressive_reveal: how much of an image must an explanation uncover?",
    schema=SCHEMA,
    read=read_data,
    setting=setting,
    main_fits=lambda data: {"": data.results.fit},
    sample=PARTICIPANTS,
    people=people,
    questions=(
        AVERAGES,
        NEEDED,
        STEPS,
        PAIRS,
        FIRST_ANSWERS,
        IMAGES,
        LIKENESS,
        METRICS,
        SUITS,
        OTHER_CHOICES,
        MODELS,
        SCREENS,
        SEEN,
    ),
    published=PUBLISHED,
    methods=((PARTICIPANTS,), (AVERAGES, NEEDED, MODELS, PAIRS)),
    lacking=(NEEDED, LIKENESS, PAIRS, PARTICIPANTS, IMAGES, SUITS, MODELS),
    promised=(MODELS, NEEDED, STEPS, PAIRS, AVERAGES, FIRST_ANSWERS, LIKENESS, OTHER_CHOICES),
    registered=registered,
    resampling=_resampling,
    headline=(PARTICIPANTS, STEPS, NEEDED, AVERAGES),
    columns=dict.fromkeys(COLUMNS, ""),
)
"""What is asked of the data of progressive_reveal."""
