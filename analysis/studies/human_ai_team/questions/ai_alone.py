"""The AI alone over its threshold, and teams with it on the same base."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row, share_row
from analysis.questions.pivot import (
    Wide,
    interval_of,
    level_of,
    limits_of,
    n_of,
    pivot,
    value_of,
)
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, changes
from analysis.report.parts import Column, Paragraph
from analysis.report.style import BLUE, INK, ORANGE, WIDTH_IN, figure_style, subplots
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    count,
    estimated_alike,
    grouped,
    listed,
    number,
    percent,
)
from analysis.statistics.proportions import Count
from analysis.studies.human_ai_team.alone import (
    AI_AT,
    AI_BEST,
    BEST_T,
    EQUAL,
    OVER_AI,
    PACK,
    TEAM,
    SourceCounts,
    weighted_rows,
)
from analysis.studies.human_ai_team.alone import BINS as BINS_OF_ARM
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.strata import strata
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm_name
from stimuli.studies.human_ai_team.tables import BINS

BASES: Final = {"all": "all images", "bins": "the six bins, as many as there are"}
ATTACKED_BASES: Final = {"adversarial": "adversarial images"}
LOOKS: Final = ((BLUE, "o", "-"), (ORANGE, "s", (0, (4, 1.6))))


RIGHT = Quantity(
    "right_by_bin", "Right",
    "Right answers in a bin (whether the AI is right, and how hard the image is), with Wilson’s "
    "limits.",
    percent,
)  # fmt: skip
IMAGES = Quantity("images_of_bin", "Images", "Different images that they are about.")


@dataclass(frozen=True, slots=True)
class AiAlone(Estimates):
    """The AI alone, and teams on natural images."""

    source: Annotated[
        SourceCounts | None, about("Images of which the AI's confidence is known, if any.")
    ]
    bin_weights: Annotated[
        dict[str, dict[str, float]], about("How often bins occur, by the name of the weights.")
    ]
    threshold: Annotated[
        float | None,
        about("The threshold of the AI's own rule, best on natural images; null if not known."),
    ]
    whole: Annotated[bool, about("Whether the source's images are all, not only those shown.")]


def compute(data: TeamData) -> AiAlone:
    """Return the AI alone on each base, and each arm's accuracy with its bins weighted."""
    source, sweep = data.source, data.thresholds
    teams = weighted_rows(data.answers, data.weights, sweep, data.plan)
    return AiAlone(
        (*sweep, *teams, *bin_rows(data.answers)),
        source=None if source is None else source.counts(),
        bin_weights=data.weights,
        threshold=data.threshold,
        whole=source is not None and source.whole,
    )


def bin_rows(answers: Answers) -> Iterator[EstimateRow]:
    """Yield each arm's accuracy in each bin, with Wilson's limits of its answers as they are."""
    frame = answers.frame[answers.frame["level"] != ""]
    kinds = strata(frame)
    for bin_ in BINS:
        for method in answers.arms:
            rows = frame[(kinds == bin_) & (frame["method"] == method)]
            if len(rows):
                of = {"bin": bin_, "method": method}
                right = Count(int(rows["correct"].sum()), len(rows))
                yield share_row(RIGHT, of, right)
                yield estimate_row(IMAGES, of, rows["item"].nunique())


def _base_words(base: str) -> str:
    return {**BASES, **ATTACKED_BASES}.get(base, f"the six bins, weighted {_weights(base)}")


def _weights(name: str) -> str:
    """Return how bins are weighted, in words."""
    return {PACK: "as they occur", EQUAL: "equally"}.get(name, f"as in {name}")


THRESHOLDS = pivot(
    "The AI alone by its own rule, at its best threshold on each base.",
    (
        level_of("base", "Base", _base_words),
        value_of(BEST_T),
        value_of(AI_BEST, heading="Right"),
        limits_of(AI_BEST, write=bare_percent),
        n_of(AI_BEST, "Images"),
    ),
    by=("base",),
    of=lambda answer: [row for row in answer.rows(BEST_T, AI_BEST) if "base" in row.of],
    note=lambda answer: _threshold_note(answer),
)


def _threshold_note(answer: AiAlone) -> str:
    sentences = [
        "By its own rule the AI alone accepts its label if its confidence reaches T. The best of "
        "19 thresholds was sought on the same images. Intervals are over images."
    ]
    rows = answer.rows(AI_AT, base="adversarial")
    if rows:
        most = max(row.interval.estimate for row in rows)
        sentences.append(
            "Of adversarial images the AI is right on none if it accepts every label. By its own "
            f"rule it is right where it rejects: the table has the threshold that is best on "
            f"natural images; at T = {number(float(rows[-1].of['threshold']))} it would be right "
            f"on {percent(most)}."
        )
    if answer.source is None:
        sentences.append(
            "If only weights are known, T can only lie between two bins: .35 accepts medium and "
            "high confidence, .7 high confidence only."
        )
    return " ".join(sentences)


TEAMS = pivot(
    "Teams and the AI alone on one base: natural images, the six bins weighted by how often they "
    "occur.",
    (
        level_of("weights", "Weighted", _weights, once=True),
        level_of("method", "Arm", arm_name),
        value_of(TEAM),
        limits_of(TEAM, write=bare_percent),
        value_of(AI_BEST),
        interval_of(AI_BEST, write=bare_percent),
        value_of(OVER_AI),
        interval_of(OVER_AI),
    ),
    by=("weights", "method"),
    of=lambda answer: [row for row in answer.rows(TEAM, AI_BEST, OVER_AI) if "weights" in row.of],
    note="A team’s accuracy can be given where it has answers in every bin. The AI alone is at its "
    "best threshold on these bins. The difference’s interval has the uncertainty of both; weights "
    "count as known. Equal weights give the plain mean over the bins.",
    strong=changes("weights"),
    row_headers=2,
)


def _bin_columns(answer: AiAlone) -> tuple[Column, ...]:
    return (
        level_of("bin", "Bin", lambda name: name.replace("_", ", ")),
        *(Column(arm_name(name), _share_of(name), str) for name in answer.levels("method", RIGHT)),
    )


def _share_of(method: str) -> Callable[[Wide], str]:
    """Return a function that writes an arm's share of right answers, with its answers."""
    name = f"{RIGHT.id}/{method}"

    def write(row: Wide) -> str:
        n = row[f"{name}.n"]
        return NOTHING if n is None else f"{percent(row[name])} of {grouped(n)}"

    return write


BY_BIN = pivot(
    "Accuracy by bin (whether the AI is right, and how hard the image is by its confidence): the "
    "share of right answers, and the number of answers.",
    _bin_columns,
    by=("bin",),
    over="method",
    of=lambda answer: answer.rows(RIGHT),
    note="tables/estimates.csv has Wilson’s intervals of single answers, which take them as "
    "independent.",
)


def introduction(answer: AiAlone) -> Paragraph:
    """Return which images the AI judged."""
    source = answer.source
    if source is None:
        return Paragraph(
            "The AI’s confidence isn’t known. By the published weights of the bins the AI alone "
            "can still be given on the six bins."
        )
    return Paragraph(
        f"The AI judged {source.words} ({count(source.images, 'image')}) and is right on "
        f"{percent(source.right, 1)} of them. {_of_bins(source)}"
    )


def _of_bins(source: SourceCounts) -> str:
    """Return how many of the images the bins have, and on what teams are compared."""
    if source.in_bins == source.images:
        return "Each of these images is in one of the six bins."
    return (
        f"The six bins have {grouped(source.in_bins)} of these images and leave out those between "
        "the bins. So the figure has both bases. Teams are compared with the AI on the bins only."
    )


def draw(answer: AiAlone) -> Figure:
    """Return the AI alone over its threshold on both bases, with teams on the bins beside it."""
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 3.0), layout="constrained")
        for (base, words), (colour, marker, line) in zip(BASES.items(), LOOKS, strict=True):
            rows = answer.rows(AI_AT, base=base)
            axes.plot(
                [float(row.of["threshold"]) for row in rows], [row.estimate for row in rows],
                marker, color=colour, linestyle=line, markersize=3.6, label=f"AI alone, {words}",
            )  # fmt: skip
            for best, at in zip(answer.rows(AI_BEST, base=base), answer.rows(BEST_T, base=base),
                                strict=True):  # fmt: skip
                axes.plot(at.estimate, best.estimate, marker, color=colour,
                          markersize=8, markerfacecolor="none")  # fmt: skip
        _name_teams(axes, answer.rows(TEAM, weights=next(iter(answer.bin_weights))))
        axes.set_xlim(0.02, 0.98)
        axes.set_xlabel("threshold T: the AI alone accepts its label from this confidence on")
        axes.set_ylabel("right, natural images")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    return figure


def _name_teams(axes: Axes, teams: Sequence[EstimateRow]) -> None:
    """Write each team's accuracy at the right edge, the names kept apart."""
    low, high = axes.get_ylim()
    known = [(row.estimate, row.of["method"]) for row in teams if row.estimate is not None]
    values = [estimate for estimate, _ in known]
    low, high = min([low, *values]) - 0.02, max([high, *values]) + 0.02
    axes.set_ylim(low, min(high, 1.02))
    gap, above = 0.055 * (high - low), -1.0
    for estimate, method in sorted(known, key=lambda pair: pair[0]):
        y = max(estimate, above + gap)
        above = y
        axes.plot([0.975, 1.0], [estimate] * 2, color=INK, linewidth=1.2, clip_on=False,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        if y > estimate:
            axes.plot([1.0, 1.03], [estimate, y], color=INK, linewidth=0.5, clip_on=False,
                      transform=axes.get_yaxis_transform())  # fmt: skip
        axes.annotate(
            f"{arm_name(method)} {percent(estimate, 1)}", (1.035, y),
            xycoords=("axes fraction", "data"), va="center", fontsize=7.5, annotation_clip=False,
        )  # fmt: skip


FIGURE = ReportFigure(
    "threshold",
    "The AI alone on natural images over its threshold T, on two bases; rings: the best T. "
    "At the right edge: teams, their bins weighted.",
    "Two lines over the threshold, teams at the right edge",
    draw,
    "source",
)


def _headline(answer: AiAlone, _: Whole) -> list[str]:
    """Return teams beside the AI alone, only on the bins: the base that both have."""
    rows = [row for row in answer.rows(TEAM, weights=PACK) if row.estimate is not None]
    if not rows:
        return []
    shares = estimated_alike(
        bare_percent, [(row.estimate, row.ci_low, row.ci_high) for row in rows], " %"
    )
    words = [
        f"{arm_name(row.of['method'])} {share}" for row, share in zip(rows, shares, strict=True)
    ]
    return [
        f"On natural images, bins weighted as they occur: {listed(words)}; the AI alone on the "
        f"same bins {percent(answer.row(AI_BEST, base=PACK).estimate, 1)}."
    ]


def _lacking(data: TeamData, answer: AiAlone | None) -> list[Lacking]:
    assert answer is not None
    rows = []
    if not (data.answers.frame["level"] != "").any():
        reason = "neither level, bin nor confidence is in the table"
        rows.append(Lacking("accuracy by bin, and weighted accuracy", reason))
    elif not answer.rows(TEAM, weights=PACK):
        reason = "there is no table of available images; published weights are used instead"
        rows.append(Lacking("weights of the bins from these images", reason))
    if not answer.rows(AI_AT, base="all"):
        rows.append(Lacking("the AI alone over its threshold", "the AI's confidence isn't known"))
    elif "ai" not in data.dataset.beside:
        reason = "there is no table of the AI on all images; the shown images are used instead"
        rows.append(Lacking("the AI alone on all images of the source", reason))
    return rows


AI_ALONE = Question(
    id="ai_alone",
    title="The AI alone, and teams on the same base",
    answer=AiAlone,
    quantities=(AI_AT, BEST_T, AI_BEST, TEAM, BINS_OF_ARM, OVER_AI, RIGHT, IMAGES),
    compute=compute,
    parts=(introduction, FIGURE, THRESHOLDS, TEAMS, BY_BIN),
    headline=_headline,
    lacking=_lacking,
    registered=lambda _: Promise(
        "Accuracy of the AI at every threshold, and of teams of AI and participants."
    ),
)
"""The AI alone, and teams on the same base."""
