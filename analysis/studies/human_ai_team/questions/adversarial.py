"""Accuracy on natural and on adversarial images, separately."""

from dataclasses import dataclass
from typing import Annotated, Any

from matplotlib.figure import Figure

from analysis.questions.question import Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, as_mapping, changes
from analysis.report.parts import Column, limits
from analysis.report.style import BLUE, ORANGE, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import grouped, number, rounded
from analysis.studies.human_ai_team.accuracy import ArmAccuracy, per_user_accuracy
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, NATURAL, PARTS
from analysis.studies.human_ai_team.words import (
    HEAD_IN,
    PART_WORDS,
    MeanShare,
    arm_name,
    arms_axis,
    right_axis,
)


@dataclass(frozen=True, slots=True)
class ByImages:
    """Accuracy per participant by arm, on two kinds of images."""

    natural: Annotated[tuple[ArmAccuracy, ...], about("On natural images.")]
    adversarial: Annotated[tuple[ArmAccuracy, ...], about("On adversarial images.")]

    @property
    def both(self) -> bool:
        """Whether both kinds of images were shown."""
        return bool(self.natural and self.adversarial)


def compute(data: TeamData) -> ByImages:
    """Return accuracy by arm on each kind of images."""
    answers, rates = data.answers, data.rates
    if answers.parts == PARTS:
        natural, attacked = (
            per_user_accuracy(answers, rates, part) for part in (NATURAL, ATTACKED)
        )
        return ByImages(natural, attacked)
    rows = per_user_accuracy(answers, rates, ALL)
    return ByImages((), rows) if answers.frame["adversarial"].all() else ByImages(rows, ())


def _rows(found: ByImages) -> list[dict[str, Any]]:
    """Return the rows of both kinds of images, each with the name of its images."""
    named = {NATURAL: found.natural, ATTACKED: found.adversarial}
    return [{"part": part, **as_mapping(row)} for part, rows in named.items() for row in rows]


BY_IMAGES = ReportTable(
    "accuracy_by_part",
    _rows,
    "Natural and adversarial images separately.",
    (
        Column("Images", lambda row: PART_WORDS[row["part"]], once=True),
        Column("Arm", lambda row: arm_name(row["method"])),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("Right", lambda row: f"{grouped(row['right'])} of {grouped(row['answers'])}", str),
    ),
    "On adversarial images the AI’s labels are always wrong: alone it is right on none if it "
    "accepts its labels. The section on the AI alone has its own rule of accepting and rejecting.",
    strong=changes("part"),
    row_headers=2,
)


def draw(found: ByImages) -> Figure:
    """Return right answers on natural and on adversarial images by arm."""
    parts = ((NATURAL, found.natural, BLUE, "o"), (ATTACKED, found.adversarial, ORANGE, "s"))
    rows = (*found.natural, *found.adversarial)
    arms = list(dict.fromkeys(row.method for row in rows))[::-1]
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, HEAD_IN + 0.34 * len(arms)), layout="constrained"
        )
        for up, (part, own, colour, marker) in zip((0.12, -0.12), parts, strict=True):
            for row in sorted(own, key=lambda row: arms.index(row.method)):
                place = arms.index(row.method) + up
                draw_estimate(axes, MeanShare.of(row), place, colour, marker)
            axes.plot([], [], marker, color=colour, label=f"{part} images", linestyle="none")
        arms_axis(axes, [arm_name(method) for method in arms])
        right_axis(axes, [MeanShare.of(row).lowest for row in rows])
        axes.set_xlabel("right answers, mean over participants")
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    return figure


FIGURE = ReportFigure(
    "parts",
    "Right answers on natural and on adversarial images, means over participants with 95 % "
    "intervals over participants and images. Dotted: chance. The AI’s "
    "labels of adversarial images are all wrong.",
    "Two points with intervals for each arm",
    draw,
    "both",
)
ADVERSARIAL = Question(
    id="adversarial",
    title="Natural and adversarial images",
    answer=ByImages,
    compute=compute,
    parts=(FIGURE, BY_IMAGES),
    shown=lambda found: found.both,
    needs={"adversarial": "separate results for natural and adversarial images"},
    registered=lambda protocol: (
        Promise("secondary", "The same on natural and on adversarial images.")
        if protocol.bins.adversarial_per_level
        else None
    ),
)
"""Natural and adversarial images separately."""
