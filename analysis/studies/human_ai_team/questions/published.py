"""What the paper reports, beside what was found, and what no data at hand can reproduce."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, select
from analysis.questions.metrics import METRIC
from analysis.questions.question import Answered, Lacking, Question, Unavailable
from analysis.report.about import about
from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import NOTHING, number, percent
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
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY, Accuracy
from analysis.studies.human_ai_team.questions.adversarial import ADVERSARIAL
from analysis.studies.human_ai_team.questions.ai_alone import AI_ALONE, AiAlone
from analysis.studies.human_ai_team.questions.metrics import METRICS, R
from analysis.studies.human_ai_team.questions.participants import (
    PARTICIPANTS,
    Participants,
    qualified,
)
from analysis.studies.human_ai_team.words import arm_name, hundredths
from stimuli.studies.human_ai_team.protocol import CONFIDENCE, NEIGHBOURS, HumanAiTeam

REFERENCE: Final = (
    "Nguyen, Kim & Nguyen (2021), The effectiveness of feature attribution methods and its "
    "correlation with automatic evaluation scores: ImageNet and Stanford Dogs, at least 30 lay "
    "people an arm, and 11 experts of machine learning."
)
REMARK: Final = (
    "Other images and participants give other numbers; the comparison shows the scale. The "
    "standard deviations of lay users divide by n, those of the experts by n − 1; ours beside them "
    "divide likewise. The paper’s AI alone is over all images, its teams over the six bins: see "
    "the section on the AI alone. A value of ours is only beside one on the same base and of the "
    "same set of images, ImageNet or dogs, as the protocol’s labels say."
)
GRADCAM, EXTREMAL, SALIENT = "gradcam", "extremal_perturbation", "salient_object"
ARMS: Final = (CONFIDENCE, GRADCAM, EXTREMAL, SALIENT, NEIGHBOURS)
IMAGENET, DOGS = "ImageNet", "Stanford Dogs"
LAY: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    IMAGENET: ((72.44, 8.25), (72.58, 8.11), (73.85, 6.88), (72.06, 7.63), (76.08, 5.86)),
    DOGS: ((61.71, 11.39), (60.56, 9.27), (56.67, 10.57), (61.67, 10.87), (57.20, 10.58)),
}
"""Mean and sd (dividing by n) of accuracy per person, per cent, in the order of `ARMS`."""
EXPERTS: Final[Mapping[str, tuple[float, float, int, float, float]]] = {
    NEIGHBOURS: (76.67, 2.98, 6, 78.45, 73.44),
    GRADCAM: (68.00, 8.69, 5, 67.31, 69.57),
}
"""Of experts on ImageNet: mean, sd (dividing by n − 1), n; right on natural, on adversarial."""
ACCURACY_OF_AI: Final[Mapping[str, float]] = {IMAGENET: 80.79, DOGS: 81.14}
"""On all natural images, at T* = .55 and .50."""
BEST_OF_PAPER: Final[Mapping[str, float]] = {IMAGENET: 0.55, DOGS: 0.50}
NATURAL: Final[Mapping[str, tuple[float, ...]]] = {
    IMAGENET: (84.79, 88.77, 87.97, 86.95, 88.23),
    DOGS: (76.45, 79.78, 76.03, 75.05, 82.88),
}
"""Teams on natural images, bins weighted, in the order of `ARMS`."""
ATTACKED: Final[Mapping[str, tuple[float, ...]]] = {
    IMAGENET: (71.00, 69.93, 74.77, 71.68, 75.07),
    DOGS: (68.36, 64.77, 58.58, 67.19, 58.17),
}
DOG_LABEL: Final = re.compile(r"n020(8[5-9]|9\d)\d{3}|n021(0\d|1[0-3])\d{3}")
"""WordNet's ids of ImageNet's 120 breeds of dogs: n02085620 to n02113978."""
QUALIFIED_DOGS: Final = ((35, 36), (30, 33), (31, 32), (32, 36), (31, 36))
CORRELATIONS: Final[Mapping[tuple[str, str, str], float]] = {
    (IMAGENET, GRADCAM, "iou"): 0.22,
    (IMAGENET, GRADCAM, "wsl"): 0.15,
    (IMAGENET, GRADCAM, "pointing_game"): 0.21,
    (DOGS, GRADCAM, "wsl"): -0.118,
    (DOGS, GRADCAM, "pointing_game"): -0.081,
    (DOGS, GRADCAM, "iou"): -0.112,
    (DOGS, EXTREMAL, "wsl"): 0.032,
    (DOGS, EXTREMAL, "pointing_game"): 0.074,
    (DOGS, EXTREMAL, "iou"): 0.036,
}
"""Pearson’s r of a metric with the share of people who were right, image by image."""
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


def combine(data: TeamData, answers: Answered) -> Published | Unavailable:
    """Return the paper's values with ours, where base and set of images are the same."""
    if data.protocol.cases == "texts":
        return Unavailable("published values", "the published participants judged photographs")
    here = data_set_of(data.protocol)
    rows = (
        *_lay(answers.of(ACCURACY), here),
        *_experts(answers, here),
        *_teams(answers, here),
        *_alone(answers.of(AI_ALONE), here),
        *_correlations(answers.get(METRICS), here),
        *_qualified(answers.of(PARTICIPANTS), here),
    )
    on_bins = {name.partition(",")[0]: ai_on_bins(own) for name, own in PUBLISHED_WEIGHTS.items()}
    return Published(REFERENCE, REMARK, rows, on_bins)


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


def _by_arm(rows: Iterable[EstimateRow], known: bool = True) -> dict[str, EstimateRow]:
    """Return rows by the published name of their arm; none if the images aren't alike."""
    return {published_arm(row.of["method"]): row for row in rows if known}


def _mark(
    words: str,
    paper: tuple[str, str, float],
    row: EstimateRow | None,
    write: Callable[[EstimateRow], str] = lambda row: percent(row.estimate, 2),
) -> Beside:
    """Return a share beside ours; what the paper says are words, their place, and per cent."""
    text, place, value = paper
    if row is None or row.estimate is None:
        return Beside(words, text, place, NOTHING, value, None)
    return Beside(words, text, place, write(row), value, 100 * row.estimate)


def _with_sd(accuracy: Accuracy, sd: Quantity) -> Callable[[EstimateRow], str]:
    return lambda row: (
        f"{hundredths(row.estimate)} % ({hundredths(accuracy.row(sd, **row.of).estimate)})"
    )


def _lay(accuracy: Accuracy, here: str | None) -> Iterator[Beside]:
    write = _with_sd(accuracy, SD_N)
    for data_set, values in LAY.items():
        ours = _by_arm(accuracy.rows(MEAN), data_set == here)
        for arm, (mean, sd) in zip(ARMS, values, strict=True):
            words = f"Accuracy per person, {arm_name(arm)} (sd / n), lay users, {data_set}"
            paper = (f"{number(mean)} % ({number(sd)})", "paper", mean)
            yield _mark(words, paper, ours.get(arm), write)


def _experts(answers: Answered, here: str | None) -> Iterator[Beside]:
    accuracy, images, alike = answers.of(ACCURACY), answers.of(ADVERSARIAL), here == IMAGENET
    ours, write = _by_arm(accuracy.rows(MEAN), alike), _with_sd(accuracy, SD)
    for arm, (mean, sd, n, *rights) in EXPERTS.items():
        yield _mark(
            f"Accuracy per person, {arm_name(arm)} (sd / n − 1), experts, {IMAGENET}",
            (f"{number(mean)} % ({number(sd)}), n {n}", "Table 1", mean),
            ours.get(arm),
            lambda row: f"{write(row)}, n {row.n}",
        )
        for part, value in zip(("natural", "adversarial"), rights, strict=True):
            yield _mark(
                f"Right answers on {part} images, {arm_name(arm)}, experts, {IMAGENET}",
                (f"{number(value)} %", "paper", value),
                _by_arm(images.rows(RIGHT, part=part), alike).get(arm),
                lambda row: f"{hundredths(row.estimate)} % ({row.count} of {row.n})",
            )


def _teams(answers: Answered, here: str | None) -> Iterator[Beside]:
    alone, images = answers.of(AI_ALONE), answers.of(ADVERSARIAL)
    attacked = images.rows(RIGHT, part="adversarial")
    for data_set in (IMAGENET, DOGS):
        wanted = ("pack", f"{data_set}, published")
        weighted = [row for name in wanted for row in alone.rows(TEAM, weights=name)]
        for place, arm in enumerate(ARMS):
            for words, values, rows in (
                ("Natural images, bins weighted", NATURAL, weighted),
                ("Adversarial images", ATTACKED, attacked),
            ):
                value = values[data_set][place]
                yield _mark(
                    f"{words}, {arm_name(arm)}, {data_set}",
                    (f"{number(value)} %", "Figure 2", value),
                    _by_arm(rows, data_set == here).get(arm),
                )


def _alone(alone: AiAlone, here: str | None) -> Iterator[Beside]:
    """Yield the AI alone on all images; the natural images that were shown are another base."""
    best, at = alone.row(AI_BEST, base="all"), alone.row(BEST_T, base="all")
    for data_set, value in ACCURACY_OF_AI.items():
        text = f"{number(value)} % (T = {number(BEST_OF_PAPER[data_set])})"
        yield _mark(
            f"AI alone on all natural images, {data_set}",
            (text, "Figure 2", value),
            best if data_set == here and alone.whole else None,
            lambda row: f"{percent(row.estimate, 2)} (T = {number(at.estimate)})",
        )


def _correlations(metrics: Estimates | None, here: str | None) -> Iterator[Beside]:
    rows = metrics.rows(R) if metrics else ()
    ours = {(here, published_arm(row.of["method"]), row.of[METRIC]): row.estimate for row in rows}
    for (data_set, arm, metric), value in CORRELATIONS.items():
        own = ours.get((data_set, arm, metric))
        yield Beside(
            f"r of {METRIC_WORDS[metric]} with participants’ accuracy, {arm_name(arm)}, {data_set}",
            number(value, 3),
            "paper",
            number(own, 3),
            value,
            own,
        )


def _qualified(people: Participants, here: str | None) -> Iterator[Beside]:
    ours = _by_arm(people.rows(LEFT_OUT), here == DOGS)
    for arm, (kept, every) in zip(ARMS, QUALIFIED_DOGS, strict=True):
        own = ours.get(arm)
        known = own is not None and own.n
        yield Beside(
            f"Qualified, {arm_name(arm)}, lay users, {DOGS}",
            f"{kept} of {every}",
            "published outputs",
            f"{qualified(own)} of {own.n}" if known else NOTHING,
            kept / every,
            qualified(own) / own.n if known else None,
        )


PUBLISHED = Question(
    id="published",
    title="Published values beside ours",
    answer=Published,
    combine=combine,
    lacking=lambda data, _: UNPUBLISHED if data.protocol.cases == "images" else (),
)
"""What the paper reports, beside ours."""
