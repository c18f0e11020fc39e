"""Images that only one arm's people judge rightly, and those that nobody does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.pivot import level_of, pivot, value_of
from analysis.questions.question import Pictured, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Paragraph
from analysis.report.seen import Pixels, at_most, of_pack, picture_of
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.report.wording import count, grouped, listed
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.strata import strata
from analysis.studies.human_ai_team.words import arm_name
from stimuli.languages import ENGLISH
from stimuli.names import words_of
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import help_kind
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LABELS

NOBODY: Final = "nobody"
LEAST_AN_ARM: Final = 2
MOST_SHOWN: Final = 8
LARGEST_PX: Final = 224
_ACROSS: Final = 4
RESULT: Final = "images that only one arm judges rightly"


@dataclass(frozen=True, slots=True)
class OddImage:
    """An image that every answer of one arm judged rightly and every other wrongly, or nobody."""

    item: Annotated[str, about("The image.")]
    by: Annotated[str, about("The only arm that judged it rightly, or nobody.")]
    kind: Annotated[str, about("Its kind: its bin.")]
    answers: Annotated[int, about("Answers in all arms.")]
    right: Annotated[int, about("Right ones.")]
    label: Annotated[str | None, about("The AI's label; null without the pack.")] = None
    image: Annotated[
        str | None, about("Its picture in the pack; null without the pack, or for a text.")
    ] = None


SHEET_IMAGES = Quantity("sheet_images", "Images", "Images of the pack’s sheets.", grouped, "n")
WITHOUT = Quantity(
    "without_help", "Without help", "Images for which the arm has no help.", grouped, "n"
)
BLANK = Quantity(
    "blank_maps", "Blank maps", "Maps in which every point has the same value.", grouped, "n"
)


@dataclass(frozen=True, slots=True)
class OddImages(Estimates):
    """Images that only one arm judges rightly, and those that nobody does."""

    images: Annotated[tuple[OddImage, ...], about("The images, by arm; nobody's last.")]
    counted: Annotated[
        int, about("Images that two arms or more judged, with two answers or more in each.")
    ]
    arms: Annotated[tuple[str, ...], about("The arms, the reference first.")]


Here = Pictured[OddImages]


def compute(data: TeamData) -> OddImages | Unavailable:
    """Return the images, with the pack's labels and pictures if the pack is available."""
    answers, pack = data.answers, data.dataset.pack
    if len(answers.arms) < 2:
        return Unavailable(RESULT, "there is one arm")
    frame = answers.frame
    kinds = pd.Series(strata(frame), frame.index).groupby(frame["item"]).first()
    cells = frame.groupby(["item", "method"])["correct"].agg(["sum", "size"])
    cells = cells[cells["size"] >= LEAST_AN_ARM]
    arms = cells.groupby("item").size()
    items = set(arms.index[arms >= 2])
    if not items:
        reason = f"no image has {LEAST_AN_ARM} answers in each of two arms"
        return Unavailable(RESULT, reason)
    known = {} if pack is None else _named(pack)
    rows = [
        OddImage(item, by, str(kinds[item]), n, right, **known.get(item, {}))
        for item, by, n, right in _odd(cells, items)
    ]
    order = {name: place for place, name in enumerate((*answers.arms, NOBODY))}
    rows.sort(key=lambda row: (order[row.by], row.item))
    sheet_rows = () if pack is None else tuple(_help_shown(pack, answers.arms))
    return OddImages(sheet_rows, tuple(rows), len(items), answers.arms)


def _odd(cells: pd.DataFrame, items: set[Any]) -> Iterator[tuple[str, str, int, int]]:
    """Yield item, arm (or nobody), answers and right ones."""
    for item, of_item in cells.groupby(level="item"):
        if item not in items:
            continue
        of_item = of_item.droplevel("item")
        right, n = of_item["sum"].astype(int), of_item["size"]
        some = right.index[right > 0]
        whole = len(some) == 1 and right[some[0]] == n[some[0]]
        if len(some) == 0 or whole:
            by = str(some[0]) if len(some) else NOBODY
            yield str(item), by, int(n.sum()), int(right.sum())


def _named(pack: Pack) -> dict[str, dict[str, Any]]:
    """Return label and picture of every image by its item."""
    names = words_of(pack.table(LABELS), pack.protocol.language_near(ENGLISH))
    items = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    named = {}
    for row in pack.table(KEY):
        if row["role"] == "main":
            item = items[str(row["presentation"])]
            label = str(item["shown_label"])
            named[str(row["item"])] = {
                "label": names.get(label, label),
                "image": item["image_file"],
            }
    return named


def pictures(pack: Pack, answer: OddImages) -> dict[str, Pixels]:
    """Return the figure's pictures by their path in the pack."""
    return {
        str(row.image): at_most(picture_of(pack.asset(str(row.image)), "RGB"), LARGEST_PX)
        for row in _in_figure(answer)
    }


def _in_figure(answer: OddImages) -> list[OddImage]:
    """Return the images that the figure shows: one of each arm in turn, up to a number."""
    of_arm: dict[str, list[OddImage]] = {}
    for row in answer.images:
        if row.image is not None:
            of_arm.setdefault(row.by, []).append(row)
    turns = sorted(
        (place, number, row)
        for number, rows in enumerate(of_arm.values())
        for place, row in enumerate(rows)
    ) if of_arm else []  # fmt: skip
    chosen = [row for *_, row in turns[:MOST_SHOWN]]
    return [row for row in answer.images if row in chosen]


def _help_shown(pack: Pack, arms: tuple[str, ...]) -> Iterator[EstimateRow]:
    main = [str(row["presentation"]) for row in pack.table(KEY) if row["role"] == "main"]
    helps: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in pack.table(HELPS):
        helps.setdefault((str(row["arm"]), str(row["presentation"])), []).append(row)
    known = {arm for arm, _ in helps}
    for arm in arms:
        if arm not in known:
            continue
        of_images = [helps.get((arm, name), []) for name in main]
        is_map = help_kind(arm) == "heatmap"
        files = [str(rows[0]["help_file"]) for rows in of_images if rows] if is_map else []
        blank = sum(
            bool((p := picture_of(pack.asset(path), "L")).min() == p.max()) for path in files
        )
        numbers = (len(main), sum(not rows for rows in of_images), blank)
        for quantity, number in zip((SHEET_IMAGES, WITHOUT, BLANK), numbers, strict=True):
            yield estimate_row(quantity, {"method": arm}, number)


def introduction(answer: OddImages) -> Paragraph:
    """Return how many there are, by arm."""
    of = {name: sum(row.by == name for row in answer.images) for name in (*answer.arms, NOBODY)}
    by_arm = [f"{arm_name(name)} {n}" for name, n in of.items() if n and name != NOBODY]
    alone = f"by arm: {listed(by_arm)}" if by_arm else "none"
    return Paragraph(
        f"{count(answer.counted, 'image')} had at least {LEAST_AN_ARM} answers in each of two or "
        f"more arms. Images that all of one arm judged rightly and nobody of the others: {alone}. "
        f"Images that nobody judged rightly: {grouped(of[NOBODY]) if of[NOBODY] else 'none'}. With "
        "few answers to an image this happens by chance, too."
    )


def _introduction(here: Here) -> Paragraph:
    return introduction(here.answer)


def draw(here: Here) -> Figure:
    """Return some of these images, with the AI's label."""
    rows = _in_figure(here.answer)
    down = -(-len(rows) // _ACROSS)
    with figure_style():
        figure, panels = subplots(
            down, _ACROSS, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, down * (WIDTH_IN / _ACROSS + 0.4)),
        )  # fmt: skip
        for axes in panels.flat:
            axes.set_axis_off()
        for axes, row in zip(panels.flat, rows, strict=False):
            axes.imshow(here.pictures[row.image], interpolation="antialiased")
            who = "nobody" if row.by == NOBODY else f"only {arm_name(row.by)}"
            kind = row.kind.replace("_", ", ")
            axes.set_title(f"{who}\n“{row.label}” ({kind})", fontsize=6.5, loc="left")
    return figure


FIGURE = ReportFigure(
    "odd_images",
    "Images that only one arm judged rightly, or nobody, with the AI’s label and whether it is "
    "right: up to two rows, taken in turn from the arms.",
    "Photographs with the name of an arm above each",
    draw,
    lambda here: here.pictures and _in_figure(here.answer),
)
TABLE = ReportTable("odd_images", lambda here: here.answer.images or None)
HELP = pivot(
    "Help that the pack lacks, and blank maps, by arm.",
    (
        level_of("method", "Arm", arm_name),
        value_of(SHEET_IMAGES),
        value_of(WITHOUT),
        value_of(BLANK),
    ),
    by=("method",),
    of=lambda here: here.answer.estimates,
    note="A map is blank if every point has the same value: it shows participants nothing.",
)
IMAGES = Question(
    id="images",
    title="Images that only one arm judges rightly",
    answer=OddImages,
    quantities=(SHEET_IMAGES, WITHOUT, BLANK),
    compute=compute,
    parts=(_introduction, FIGURE, HELP, TABLE),
    pictures=of_pack(pictures),
)
"""Images that only one arm judges rightly, and those that nobody does."""
