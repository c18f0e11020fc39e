"""What the paper reports, beside what was found, and what no data at hand can reproduce."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

from analysis.questions.estimates import EstimateRow, Quantity, select
from analysis.questions.metrics import METRIC
from analysis.questions.published import TITLE, Ours, Paper
from analysis.questions.question import Lacking, Question, TypedAnswers, Unavailable
from analysis.report.about import about
from analysis.report.frame import PaperBeside
from analysis.report.wording import number, percent
from analysis.studies.human_ai_team.alone import (
    AI_AT,
    AI_BEST,
    BEST_T,
    PUBLISHED_WEIGHTS,
    TEAM,
    sweep_rows,
)
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.people import LEFT_OUT
from analysis.studies.human_ai_team.quantities import MEAN, RIGHT, SD, SD_N
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY
from analysis.studies.human_ai_team.questions.adversarial import ADVERSARIAL
from analysis.studies.human_ai_team.questions.ai_alone import AI_ALONE
from analysis.studies.human_ai_team.questions.metrics import METRICS, R
from analysis.studies.human_ai_team.questions.participants import (
    PARTICIPANTS,
    qualified,
)
from analysis.studies.human_ai_team.words import arm_name, hundredths
from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, HumanAiTeam

Entry = Mapping[str, Any]
Find = Callable[[Entry], Ours]
GRADCAM, EXTREMAL, SALIENT = "gradcam", "extremal_perturbation", "salient_object"
PAPER: Final = Paper.read(Path(__file__).parents[1])
IMAGENET, DOGS = "ImageNet", "Stanford Dogs"
DOG_LABEL: Final = re.compile(r"n020(8[5-9]|9\d)\d{3}|n021(0\d|1[0-3])\d{3}")
"""WordNet's ids of ImageNet's 120 breeds of dogs: n02085620 to n02113978."""
METRIC_WORDS: Final = {"iou": "IoU", "wsl": "WSL", "pointing_game": "pointing game"}
_CALLED: Final[Mapping[str, str]] = {
    "3-nn": NEIGHBOURS, "3nn": NEIGHBOURS, "nn": NEIGHBOURS, "ep": EXTREMAL, "sod": SALIENT,
    "grad-cam": GRADCAM,
}  # fmt: skip
"""What tables from elsewhere call the published arms."""


UNPUBLISHED: Final = (
    Lacking(
        "the published accuracies and tests of lay users", "most of their answers aren't at hand"
    ),
    Lacking(
        "the published correlations of metrics with accuracy",
        "the maps that were shown aren't at hand",
    ),
    Lacking(
        "the published accuracy of the AI alone and of teams on natural images",
        "the network's answers on all images, and most lay users’ answers, aren't at hand",
    ),
)
"""Results that can't be recomputed from published data."""


@dataclass(frozen=True, slots=True)
class Published(PaperBeside):
    """What the paper reports, beside the same here."""

    ai_alone_on_bins: Annotated[
        dict[str, dict[str, float]],
        about("The AI alone on the six bins, by images and threshold, from published weights."),
    ]


def combine(data: TeamData, answers: TypedAnswers) -> Published | Unavailable:
    """Return the paper's values with ours, where base and set of images are the same."""
    if data.protocol.cases == "texts":
        return Unavailable("published values", "the published participants judged photographs")
    images = data_set_of(data.protocol)
    ours = {
        table: partial(_of_same_images, find, images)
        for table, find in _ours(answers, images).items()
    }
    paper = PAPER.beside(ours, {"method": arm_name, "metric": METRIC_WORDS.__getitem__})
    on_bins = {
        name.partition(",")[0]: ai_on_bins(weights) for name, weights in PUBLISHED_WEIGHTS.items()
    }
    return Published(paper.reference, paper.remark, paper.rows, on_bins)


def _of_same_images(find: Find, images: str | None, entry: Entry) -> Ours:
    """Return our value of an entry; nothing if the entry is of another set of images."""
    return find(entry) if entry["images"] == images else Ours()


def _ours(answers: TypedAnswers, images: str | None) -> dict[str, Find]:
    """Return functions that find our values, by the paper's tables."""
    accuracy, alone = answers.of(ACCURACY), answers.of(AI_ALONE)
    adversarial, metrics = answers.of(ADVERSARIAL), answers.get(METRICS)
    means = accuracy.rows(MEAN)
    weighted = [row for name in ("pack", f"{images}, published")
                for row in alone.rows(TEAM, weights=name)]  # fmt: skip
    qualified_of = answers.of(PARTICIPANTS).rows(LEFT_OUT)
    correlations = {
        (published_arm(row.of["method"]), row.of[METRIC]): row.estimate
        for row in (metrics.rows(R) if metrics else ())
    }

    def with_sd(sd: Quantity, row: EstimateRow) -> str:
        spread = accuracy.row(sd, **row.of).estimate
        return f"{hundredths(row.estimate)} % ({hundredths(spread)})"

    def of_part(entry: Entry) -> Ours:
        return _share(
            _of_arm(adversarial.rows(RIGHT, part=entry["part"]), entry),
            lambda row: f"{hundredths(row.estimate)} % ({row.count} of {row.n})",
        )

    def best(_: Entry) -> Ours:
        """Return the AI alone on all images; the natural ones that were shown are another base."""
        at = alone.row(BEST_T, base="all").estimate
        row = alone.row(AI_BEST, base="all") if alone.whole else None
        return _share(row, lambda row: f"{percent(row.estimate, 2)} (T = {number(at)})")

    def correlation(entry: Entry) -> Ours:
        r = correlations.get((entry["method"], entry["metric"]))
        return Ours(number(r, 3), r)

    def who_qualified(entry: Entry) -> Ours:
        row = _of_arm(qualified_of, entry)
        if row is None or not row.n:
            return Ours()
        return Ours(f"{qualified(row)} of {row.n}", qualified(row) / row.n)

    return {
        "lay": lambda entry: _share(_of_arm(means, entry), partial(with_sd, SD_N)),
        "experts": lambda entry: _share(
            _of_arm(means, entry), lambda row: f"{with_sd(SD, row)}, n {row.n}"
        ),
        "experts_right": of_part,
        "natural": lambda entry: _share(_of_arm(weighted, entry)),
        "adversarial": lambda entry: _share(
            _of_arm(adversarial.rows(RIGHT, part="adversarial"), entry)
        ),
        "ai_alone": best,
        "correlations": correlation,
        "qualified": who_qualified,
    }


def data_set_of(protocol: HumanAiTeam) -> str | None:
    """Return which of the published sets of images a protocol's images are like.

    Without a choice of labels they are like ImageNet, with dogs' labels alone like Stanford Dogs.
    Images of another choice, or of a network that doesn't know ImageNet's labels, are like neither.
    """
    if not protocol.system.network.startswith("resnet"):
        return None
    labels = protocol.images.labels
    if not labels:
        return IMAGENET
    dogs = "dog" in protocol.name.casefold() or all(DOG_LABEL.fullmatch(name) for name in labels)
    return DOGS if dogs else None


def ai_on_bins(weights: Mapping[str, float]) -> dict[str, float]:
    """Return what the AI alone reaches on the six bins, by its threshold (see `sweep_rows`)."""
    rows = select(sweep_rows(None, {"own": weights}), AI_AT)
    return {row.of["threshold"]: row.interval.estimate for row in rows}


def published_arm(method: str) -> str:
    """Return which of the published arms a table's arm is; else its own name."""
    folded = method.casefold().replace(" ", "_")
    return _CALLED.get(folded, folded)


def _of_arm(rows: Iterable[EstimateRow], entry: Entry) -> EstimateRow | None:
    """Return the last row of an entry's arm."""
    of_arm = [row for row in rows if published_arm(row.of["method"]) == entry["method"]]
    return of_arm[-1] if of_arm else None


def _share(
    row: EstimateRow | None,
    write: Callable[[EstimateRow], str] = lambda row: percent(row.estimate, 2),
) -> Ours:
    """Return our value of a row that is a share, in per cent."""
    if row is None or row.estimate is None:
        return Ours()
    return Ours(write(row), 100 * row.estimate)


PUBLISHED = Question(
    id="published",
    title=TITLE,
    answer=Published,
    combine=combine,
    lacking=lambda data, _: UNPUBLISHED if data.protocol.cases == "images" else (),
)
"""What the paper reports, beside ours."""
