"""What leads saw: explained plates, drawn from the pack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from matplotlib.figure import Figure

from analysis.questions.question import Pictured, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import Paragraph
from analysis.report.seen import (
    LABEL_IN,
    NO_PICTURES,
    Cell,
    PictureRow,
    Pixels,
    of_pack,
    picture_rows,
)
from analysis.report.style import WIDTH_IN
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.words import solver_words
from participants.studies.accept_reject.shown import stimulus_of
from stimuli.colour.display import SRGB
from stimuli.maps.relevance import contour_image, outlined, region_from_bytes
from stimuli.pack import Pack
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.render import render
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import ITEMS, KEY
from stimuli.studies.accept_reject.tasks import plate_spec

SIDE_PX: Final = 160
LINE_LEAST_PX: Final = 2.0
SOLVERS: Final = ("S", "E")
_ABREAST: Final = 5
"""Most plates side by side: with more, contours are too small to be seen."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExplainedPlate:
    """An example of the plates with a digit and an explanation by a solver."""

    digit: Annotated[str, about("The plate's digit.")]
    presentation: Annotated[str, about("Its presentation, by its name.")]
    solver: Annotated[str, about("Who explained: S or E.")]
    method: Annotated[str, about("The method of the explanation.")]
    label: Annotated[str, about("The solution.")]


@dataclass(frozen=True, slots=True)
class Seen:
    """What leads saw."""

    plates: Annotated[
        tuple[ExplainedPlate, ...] | None,
        about("Explained plates, by digit; null if the pack isn't at hand."),
    ]


Here = Pictured[Seen]


def compute(data: LeadData) -> Seen:
    """Return which plates of the pack the figure shows."""
    pack = data.dataset.pack
    return Seen(None if pack is None else seen_plates(pack))


def seen_plates(pack: Pack) -> tuple[ExplainedPlate, ...]:
    """Return which plates of a pack, with its pictures, the figure shows."""
    items = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    rows = [
        {
            **{name: row[name] for name in ("presentation", "item", "solver", "true_label")},
            "method": row["method"] or "",
            "explained": bool(row["explained"]),
            "outlined": item["region_file"] is not None,
            "label": item["shown_label"],
            "place": f"{item['axis']} {item['rung']}",
        }
        for row in pack.table(KEY)
        if row["solver"] in SOLVERS
        for item in [items[str(row["presentation"])]]
    ]
    rows.sort(key=lambda row: (row["item"], row["place"], row["presentation"]))
    return _examples(rows)


def _examples(rows: Sequence[Row]) -> tuple[ExplainedPlate, ...]:
    """Return for each digit the plate of which most explanations are shown, with these."""
    by_plate: dict[tuple[str, str, str], dict[tuple[str, str], Row]] = {}
    for row in rows:
        if row["explained"] and row["outlined"]:
            plate = by_plate.setdefault((row["true_label"], row["item"], row["place"]), {})
            plate.setdefault((row["solver"], row["method"]), row)
    by_digit: dict[str, dict[tuple[str, str], Row]] = {}
    for (digit, *_), ways in by_plate.items():
        if len(ways) > len(by_digit.get(digit, {})):
            by_digit[digit] = ways
    names = ("presentation", "solver", "method", "label")
    return tuple(
        ExplainedPlate(digit, *(row[name] for name in names))
        for digit in sorted(by_digit)
        for row in by_digit[digit].values()
    )


def pictures(pack: Pack, answer: Seen) -> dict[str, Pixels]:
    """Return the figure's pictures by presentation, on an assumed sRGB display."""
    items = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    return {
        row.presentation: _picture(pack, protocol, stimulus_of(items[row.presentation], protocol))
        for row in answer.plates or ()
    }


def _picture(pack: Pack, protocol: AcceptReject, stimulus: PlateStimulus) -> Pixels:
    plate = plate_from_bytes(pack.asset(stimulus.plate_file))
    spec = plate_spec(protocol.plates)
    pixels = render(plate, stimulus.axis, stimulus.contrast, SIDE_PX, SRGB, spec)
    if stimulus.region_file is None:
        return pixels
    region = region_from_bytes(pack.asset(stimulus.region_file))
    line_px = max(LINE_LEAST_PX, protocol.explanation.line_share * SIDE_PX)
    return outlined(pixels, contour_image(region, SIDE_PX, line_px))


def draw_examples(here: Here) -> Figure:
    """Return explained plates: one column per digit, one row for each who explained.

    Digits that don't fit side by side continue in a block below.
    """
    plates = here.answer.plates or ()
    digits = list(dict.fromkeys(row.digit for row in plates))
    ways = sorted(
        {(row.solver, row.method) for row in plates}, key=lambda way: (way[0] != "S", way[1])
    )
    cells = {(row.digit, row.solver, row.method): _cell(row, here) for row in plates}
    across = min(len(digits), _ABREAST)
    blocks = [
        [
            PictureRow(
                _way_name(way, here),
                [cells.get((digit, *way)) for digit in digits[start : start + across]],
                digits[start : start + across] if way == ways[0] else (),
            )
            for way in ways
        ]
        for start in range(0, len(digits), across)
    ]
    return picture_rows(blocks, (WIDTH_IN - LABEL_IN) / _ABREAST, 0.25)


def _cell(row: ExplainedPlate, here: Here) -> Cell:
    solved = "" if row.label == row.digit else f"solved as {row.label.replace('_', ' ')}"
    return Cell(here.pictures[row.presentation], solved)


def _way_name(way: tuple[str, str], here: Here) -> str:
    """Return who explained and how, a word or two a line."""
    solver, method = way
    name = solver_words(here.whole.of(PARTICIPANTS))[solver].replace("simulated ", "simulated\n")
    return f"{name}\n{method}".strip()


def _without_pictures(here: Here) -> Paragraph | None:
    return NO_PICTURES if here.answer.plates is None else None


EXAMPLES = ReportFigure(
    "explained_plates",
    "Explained plates by digit and by who explained: for each digit, the plate with the most "
    "explanations in the pack. Digits without one are left out; a cell is empty if the plate has "
    "no such explanation. A note says where the solution isn’t the plate’s digit.",
    "Rows of plates with contours, a column for each digit",
    draw_examples,
    lambda here: here.pictures and here.answer.plates,
)
SEEN = Question(
    id="seen",
    title="What leads saw",
    answer=Seen,
    compute=compute,
    parts=(EXAMPLES, _without_pictures),
    pictures=of_pack(pictures),
)
"""What leads saw."""
