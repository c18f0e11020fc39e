"""Accuracy on natural and on adversarial images, separately."""

from matplotlib.figure import Figure

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import level_of, limits_of, pivot, value_of
from analysis.questions.question import Promise, Question
from analysis.report.declared import ReportFigure, changes
from analysis.report.parts import Column
from analysis.report.style import BLUE, ORANGE, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import bare_percent, rounded
from analysis.studies.human_ai_team.accuracy import per_user_accuracy
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.quantities import MEAN, OF_ARM, RIGHT, SD
from analysis.studies.human_ai_team.trials import ATTACKED, NATURAL
from analysis.studies.human_ai_team.words import (
    HEAD_IN,
    PART_WORDS,
    arm_name,
    arms_axis,
    counted,
    lowest,
    right_axis,
)


def compute(data: TeamData) -> Estimates:
    """Return accuracy by arm on each kind of images that was shown."""
    return Estimates(
        tuple(
            row
            for part in (NATURAL, ATTACKED)
            for row in per_user_accuracy(data.answers, data.rates, part)
        )
    )


BY_IMAGES = pivot(
    "Natural and adversarial images separately.",
    (
        level_of("part", "Images", PART_WORDS.__getitem__, once=True),
        level_of("method", "Arm", arm_name),
        value_of(MEAN),
        limits_of(MEAN, write=rounded(bare_percent, 1)),
        value_of(SD),
        Column("Right", counted(RIGHT), str),
    ),
    by=("part", "method"),
    note="On adversarial images the AI’s labels are always wrong: alone it is right on none if it "
    "accepts its labels. The section on the AI alone has its own rule of accepting and rejecting.",
    strong=changes("part"),
    row_headers=2,
)


def draw(answer: Estimates) -> Figure:
    """Return right answers on natural and on adversarial images by arm."""
    arms = answer.levels("method", MEAN)[::-1]
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, HEAD_IN + 0.34 * len(arms)), layout="constrained"
        )
        for up, part, colour, marker in (
            (0.12, NATURAL, BLUE, "o"),
            (-0.12, ATTACKED, ORANGE, "s"),
        ):
            for row in answer.rows(MEAN, part=part)[::-1]:
                draw_estimate(axes, row, arms.index(row.of["method"]) + up, colour, marker)
            axes.plot([], [], marker, color=colour, label=f"{part} images", linestyle="none")
        arms_axis(axes, [arm_name(method) for method in arms])
        right_axis(axes, [lowest(row) for row in answer.rows(MEAN)])
        axes.set_xlabel("right answers, mean over participants")
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    return figure


def _both(answer: Estimates) -> bool:
    """Return whether both kinds of images were shown."""
    return len(answer.levels("part")) > 1


FIGURE = ReportFigure(
    "parts",
    "Right answers on natural and on adversarial images, means over participants with 95 % "
    "intervals over participants and images. Dotted: chance. The AI’s "
    "labels of adversarial images are all wrong.",
    "Two points with intervals for each arm",
    draw,
    _both,
)
ADVERSARIAL = Question(
    id="adversarial",
    title="Natural and adversarial images",
    answer=Estimates,
    quantities=OF_ARM,
    compute=compute,
    parts=(FIGURE, BY_IMAGES),
    shown=_both,
    needs={"adversarial": "separate results for natural and adversarial images"},
    registered=lambda protocol: (
        Promise("The same on natural and on adversarial images.")
        if protocol.bins.adversarial_per_level
        else None
    ),
)
"""Natural and adversarial images separately."""
