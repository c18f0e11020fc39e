"""The AI alone over its threshold, and teams with it on the same base."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.parts import Column, Paragraph, between, limits
from analysis.report.style import BLUE, INK, ORANGE, WIDTH_IN, figure_style, subplots
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    count,
    estimated,
    grouped,
    listed,
    number,
    percent,
    points,
)
from analysis.studies.human_ai_team.accuracy import BinAccuracy, bin_rows
from analysis.studies.human_ai_team.alone import (
    PACK,
    AtThreshold,
    SourceCounts,
    WeightedTeam,
    weighted_rows,
)
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm, arm_name, tenths

BASES: Final = {"all": "all images", "bins": "the six bins, as many as there are"}
ATTACKED_BASES: Final = {"adversarial": "adversarial images"}
LOOKS: Final = ((BLUE, "o", "-"), (ORANGE, "s", (0, (4, 1.6))))


@dataclass(frozen=True, slots=True)
class AiAlone:
    """The AI alone, and teams on natural images."""

    source: Annotated[
        SourceCounts | None, about("Images of which the AI's confidence is known, if any.")
    ]
    thresholds: Annotated[tuple[AtThreshold, ...], about("The AI alone, by base and threshold.")]
    bin_weights: Annotated[
        dict[str, dict[str, float]], about("How often bins occur, by the name of the weights.")
    ]
    teams: Annotated[tuple[WeightedTeam, ...], about("Teams with their bins weighted.")]
    bins: Annotated[tuple[BinAccuracy, ...], about("Right answers by bin and arm.")]
    threshold: Annotated[
        float | None,
        about("The threshold of the AI's own rule, best on natural images; null if not known."),
    ]
    whole: Annotated[bool, about("Whether the source's images are all, not only those shown.")]


def compute(data: TeamData) -> AiAlone:
    """Return the AI alone on each base, and each arm's accuracy with its bins weighted."""
    source, sweep = data.source, data.thresholds
    return AiAlone(
        source=None if source is None else source.counts(),
        thresholds=sweep,
        bin_weights=data.weights,
        teams=weighted_rows(data.answers, data.weights, sweep, data.plan),
        bins=bin_rows(data.answers),
        threshold=data.threshold,
        whole=source is not None and source.whole,
    )


def _base_words(base: str) -> str:
    return {**BASES, **ATTACKED_BASES}.get(base, f"the six bins, weighted ({base})")


THRESHOLDS = ReportTable(
    "ai_alone",
    "thresholds",
    "The AI alone by its own rule, at its best threshold on each base.",
    (
        Column("Base", lambda row: _base_words(row.base)),
        Column("T", "threshold", number),
        Column("Right", "accuracy", tenths),
        limits(bare_percent),
        Column("Images", "images", grouped, "n"),
    ),
    lambda found: _threshold_note(found),
    shown=lambda found: [row for row in found.thresholds if row.best],
)


def _threshold_note(found: AiAlone) -> str:
    said = [
        "By its own rule the AI alone accepts its label if its confidence reaches T. The best of "
        "19 thresholds was sought on the same images. Intervals are over images."
    ]
    own = [row for row in found.thresholds if row.base == "adversarial"]
    if own:
        most = max(row.accuracy for row in own)
        said.append(
            "Of adversarial images the AI is right on none if it accepts every label. By its own "
            f"rule it is right where it rejects: the table has the threshold that is best on "
            f"natural images; at T = {number(own[-1].threshold)} it would be right on "
            f"{percent(most)}."
        )
    if {row.threshold for row in found.thresholds} & {0.35, 0.7} and found.source is None:
        said.append(
            "If only weights are known, T can only lie between two bins: .35 accepts medium and "
            "high confidence, .7 high confidence only."
        )
    return " ".join(said)


TEAMS = ReportTable(
    "weighted",
    "teams",
    "Teams and the AI alone on one base: natural images, the six bins weighted by how often they "
    "occur.",
    (
        Column("Weights", "weights", once=True),
        Column("Arm", arm()),
        Column("Team", "estimate", tenths),
        limits(bare_percent),
        Column("AI alone", "ai", tenths),
        Column("95 % interval", between("ai", bare_percent), str),
        Column("Team less AI", "over_ai", points, "points"),
        Column("95 % interval", between("over_ai", points), str),
    ),
    "A team’s accuracy can be given where it has answers in every bin. The AI alone is at its best "
    "threshold on these bins. The difference’s interval has the uncertainty of both; weights count "
    "as known. Equal weights give the plain mean over the bins.",
    strong=changes("weights"),
    row_headers=2,
)


@dataclass(frozen=True, slots=True)
class _Bin:
    """A bin's accuracy in every arm, which is a row of the page."""

    bin: str
    by_arm: Mapping[str, BinAccuracy]

    def share(self, method: str) -> str:
        """Return an arm's share of right answers, with its answers."""
        own = self.by_arm.get(method)
        return NOTHING if own is None else f"{percent(own.rate)} of {grouped(own.n)}"


def _by_bin(found: AiAlone) -> list[_Bin]:
    rows: dict[str, dict[str, BinAccuracy]] = {}
    for row in found.bins:
        rows.setdefault(row.bin, {})[row.method] = row
    return [_Bin(*own) for own in rows.items()]


def _bin_columns(found: AiAlone) -> tuple[Column, ...]:
    arms = dict.fromkeys(row.method for row in found.bins)
    return (
        Column("Bin", lambda row: row.bin.replace("_", ", ")),
        *(Column(arm_name(name), _share_of(name), str) for name in arms),
    )


def _share_of(method: str) -> Callable[[_Bin], str]:
    return lambda row: row.share(method)


BINS = ReportTable(
    "bins",
    "bins",
    "Accuracy by bin (whether the AI is right, and how hard the image is by its confidence): right "
    "answers of all.",
    _bin_columns,
    "tables/bins.csv has Wilson’s intervals of single answers, which take them as independent.",
    shown=_by_bin,
)


def introduction(found: AiAlone) -> Paragraph:
    """Return which images the AI judged."""
    source = found.source
    if source is None:
        return Paragraph(
            "The AI’s confidence isn’t known. By the published weights of the bins the AI alone "
            "can still be given on the six bins."
        )
    return Paragraph(
        f"The AI judged {source.words}, {count(source.images, 'image')}, and is right on "
        f"{percent(source.right, 1)} of them. The six bins contain "
        f"{grouped(source.in_bins)} of these images and leave out those between the bins. So "
        "the figure has both bases. Teams are compared with the AI on the bins only."
    )


def draw(found: AiAlone) -> Figure:
    """Return the AI alone over its threshold on both bases, with teams on the bins beside it."""
    shown = next(iter(found.bin_weights))
    teams = [row for row in found.teams if row.weights == shown and row.estimate is not None]
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 3.0), layout="constrained")
        for (base, words), (colour, marker, line) in zip(BASES.items(), LOOKS, strict=True):
            own = [row for row in found.thresholds if row.base == base]
            axes.plot(
                [row.threshold for row in own], [row.accuracy for row in own], marker,
                color=colour, linestyle=line, markersize=3.6, label=f"AI alone, {words}",
            )  # fmt: skip
            for row in own:
                if row.best:
                    axes.plot(row.threshold, row.accuracy, marker, color=colour,
                              markersize=8, markerfacecolor="none")  # fmt: skip
        _name_teams(axes, teams)
        axes.set_xlim(0.02, 0.98)
        axes.set_xlabel("threshold T: the AI alone accepts its label from this confidence on")
        axes.set_ylabel("right, natural images")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    return figure


def _name_teams(axes: Axes, teams: Sequence[WeightedTeam]) -> None:
    """Write each team's accuracy at the right edge, the names kept apart."""
    low, high = axes.get_ylim()
    known = [(row.estimate, row) for row in teams if row.estimate is not None]
    values = [estimate for estimate, _ in known]
    low, high = min([low, *values]) - 0.02, max([high, *values]) + 0.02
    axes.set_ylim(low, min(high, 1.02))
    gap, above = 0.055 * (high - low), -1.0
    for estimate, row in sorted(known, key=lambda pair: pair[0]):
        y = max(estimate, above + gap)
        above = y
        axes.plot([0.975, 1.0], [estimate] * 2, color=INK, linewidth=1.2, clip_on=False,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        axes.annotate(
            f"{arm_name(row.method)} {percent(estimate, 1)}", (1.01, y),
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


def _headline(found: AiAlone, _: Whole) -> list[str]:
    """Return teams beside the AI alone, only on the bins: the base that both have."""
    rows = [row for row in found.teams if row.weights == PACK and row.estimate is not None]
    if not rows:
        return []
    words = [
        f"{arm_name(row.method)} "
        f"{estimated(bare_percent, row.estimate, row.ci_low, row.ci_high, ' %')}"
        for row in rows
    ]
    return [
        f"On natural images, bins weighted as they occur: {listed(words)}; the AI alone on the "
        f"same bins {percent(rows[0].ai, 1)}."
    ]


def _lacking(data: TeamData, found: AiAlone | None) -> list[Lacking]:
    assert found is not None
    rows = []
    if not (data.answers.frame["level"] != "").any():
        reason = "neither level, bin nor confidence is in the table"
        rows.append(Lacking("accuracy by bin, and weighted accuracy", reason))
    elif all(row.weights != PACK for row in found.teams):
        reason = "there is no table of available images; published weights are used instead"
        rows.append(Lacking("weights of the bins from these images", reason))
    if not found.thresholds or found.thresholds[0].base != "all":
        rows.append(Lacking("the AI alone over its threshold", "the AI's confidence isn't known"))
    elif "ai" not in data.dataset.beside:
        reason = "there is no table of the AI on all images; the shown images are used instead"
        rows.append(Lacking("the AI alone on all images of the source", reason))
    return rows


AI_ALONE = Question(
    id="ai_alone",
    title="The AI alone, and teams on the same base",
    answer=AiAlone,
    compute=compute,
    parts=(introduction, FIGURE, THRESHOLDS, TEAMS, BINS),
    headline=_headline,
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "Accuracy of the AI at every threshold, and of teams of AI and participants."
    ),
)
"""The AI alone, and teams on the same base."""
