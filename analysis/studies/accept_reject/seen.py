"""What leads saw: which plates of the pack stand for all, and their pictures."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from analysis.report.seen import Pixels
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

LARGE_PX, SMALL_PX = 420, 160
LINE_LEAST_PX: Final = 2.0
SOLVERS: Final = ("S", "E")


def seen_results(pack: Pack | None) -> dict[str, Any] | None:
    """Return which plates the figures show; None without a pack.

    Parameters
    ----------
    pack
        With its pictures.

    Returns
    -------
    dict
        ``sequence``: a plate that the system solved rightly, without and with its explanation;
        None where there is none. ``examples``: by digit and by who explained, one plate.
    """
    if pack is None:
        return None
    shown = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    rows = [
        {
            **{name: row[name] for name in ("presentation", "item", "solver", "true_label")},
            "method": row["method"] or "",
            "explained": bool(row["explained"]),
            "outlined": own["region_file"] is not None,
            "label": own["shown_label"],
            "place": f"{own['axis']} {own['rung']}",
        }
        for row in pack.table(KEY)
        if row["solver"] in SOLVERS
        for own in [shown[str(row["presentation"])]]
    ]
    rows.sort(key=lambda row: (row["item"], row["place"], row["presentation"]))
    return {"sequence": _sequence(rows), "examples": _examples(rows)}


def _sequence(rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return a plate that S solved rightly and that is shown without and with an explanation."""
    right = [row for row in rows if row["solver"] == "S" and row["label"] == row["true_label"]]
    plain = {(r["item"], r["place"]): r for r in right if not r["explained"]}
    for row in right:
        same = plain.get((row["item"], row["place"]))
        if row["explained"] and row["outlined"] and same is not None:
            return {
                "label": row["label"],
                "without": same["presentation"],
                "with": row["presentation"],
            }
    return None


def _examples(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return for each digit the plate of which most explanations are shown, with these."""
    outlined_rows = [row for row in rows if row["explained"] and row["outlined"]]
    by_plate: dict[tuple[str, str, str], dict[tuple[str, str], dict[str, Any]]] = {}
    for row in outlined_rows:
        plate = by_plate.setdefault((row["true_label"], row["item"], row["place"]), {})
        plate.setdefault((row["solver"], row["method"]), row)
    found: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for (digit, *_), ways in by_plate.items():
        if len(ways) > len(found.get(digit, {})):
            found[digit] = ways
    names = ("presentation", "solver", "method", "label")
    return [
        {"digit": digit, **{name: row[name] for name in names}}
        for digit in sorted(found)
        for row in found[digit].values()
    ]


def pictures(pack: Pack, results: Mapping[str, Any]) -> dict[tuple[str, int], Pixels]:
    """Return the figures' pictures by presentation and side, on an assumed sRGB display."""
    shown = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    seen = results["seen"]
    wanted = [(row["presentation"], SMALL_PX) for row in seen["examples"]]
    if seen["sequence"] is not None:
        wanted += [(seen["sequence"][way], LARGE_PX) for way in ("without", "with")]
    return {
        (name, size_px): _picture(pack, protocol, stimulus_of(shown[name], protocol), size_px)
        for name, size_px in wanted
    }


def _picture(pack: Pack, protocol: AcceptReject, stimulus: PlateStimulus, size_px: int) -> Pixels:
    plate = plate_from_bytes(pack.asset(stimulus.plate_file))
    spec = plate_spec(protocol.plates)
    pixels = render(plate, stimulus.axis, stimulus.contrast, size_px, SRGB, spec)
    if stimulus.region_file is None:
        return pixels
    region = region_from_bytes(pack.asset(stimulus.region_file))
    line_px = max(LINE_LEAST_PX, protocol.explanation.line_share * size_px)
    return outlined(pixels, contour_image(region, size_px, line_px))


def background(results: Mapping[str, Any]) -> np.ndarray:
    """Return the ground's colour as matplotlib takes it, 0…1."""
    return np.array(results["protocol"]["plates"]["ground_srgb"]) / 255
