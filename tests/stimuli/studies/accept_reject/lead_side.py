"""Everything on the lead's side of a pack as numbers, and somebody who guesses the solver."""

import time
from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd
from scipy import ndimage
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.relevance import contour_image, region_from_bytes
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import ITEMS, KEY, LISTS, PRACTICE_RUN
from tests.stimuli.guessing import guessed_area, lot_limit

FIELDS = 8
FORM = (
    "shape_perimeter", "shape_parts", "shape_holes", "shape_thickness", "shape_rough",
    "parts_size_sd",
)  # fmt: skip
"""Of what form a region is, wherever it lies."""
PLACE = ("shape_height", "shape_width", "shape_row", "shape_column")


def lead_side(pack: Pack) -> pd.DataFrame:
    """Return one row a main trial of S or E: what a lead gets, and who solved it.

    Columns ``solver``, ``item``, ``explained`` are the truth; those after it begin with the
    kind of what they tell: ``items``, ``size``, ``order``, ``area``, ``abstention``, ``shape``
    (of all regions' form and place), ``parts`` (how a region's separate parts are arranged) and
    ``grid`` (how much of it lies in each of 8 × 8 fields).
    """
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    line = {name: place for place, name in enumerate(items)}
    shapes = {path: _shape(pack.asset(path)) for path in pack.paths("assets/regions")}
    nothing = dict.fromkeys(next(iter(shapes.values()), ()), 0.0)
    rows = []
    listed = [row for row in pack.table(LISTS) if row["run"] != PRACTICE_RUN]
    for before, row in zip([None, *listed], listed, strict=False):
        name = row["presentation"]
        what, shown = key[name], items[name]
        if what["solver"] not in ("S", "E"):
            continue
        region = shown["region_file"]
        rows.append(
            {
                "solver": what["solver"],
                "item": what["item"],
                "explained": what["explained"],
                "items_id": _hex(name[1:]),
                "items_line": line[name],
                "items_label": float(shown["shown_label"])
                if shown["shown_label"].isdigit() else -1.0,
                "items_rung": shown["rung"],
                "items_region_name": 0.0 if region is None else _hex(_stem(region)),
                "items_plate_name": _hex(_stem(shown["plate_file"])),
                "size_region": 0 if region is None else len(pack.asset(region)),
                "size_plate": len(pack.asset(shown["plate_file"])),
                "order_position": row["position"],
                "order_odd": row["position"] % 2,
                "order_same_label": before is not None
                and items[before["presentation"]]["shown_label"] == shown["shown_label"],
                "abstention_word": shown["shown_label"] == NO_SOLUTION,
                "abstention_no_region": region is None,
                **shapes.get(region, nothing),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def seconds_to_draw(pack: Pack, table: pd.DataFrame) -> np.ndarray:
    """Return (n,) how long each explained trial's contour takes to draw, the median of five."""
    files = {row["presentation"]: row["region_file"] for row in pack.table(ITEMS)}
    by_id = {_hex(name[1:]): path for name, path in files.items()}
    found = []
    for identity in table["items_id"]:
        path, took = by_id[identity], []
        for _ in range(5):
            begun = time.perf_counter()
            contour_image(region_from_bytes(pack.asset(path)), 256)
            took.append(time.perf_counter() - begun)
        found.append(float(np.median(took)))
    return np.array(found)


def guessing(table: pd.DataFrame, kinds: tuple[str, ...]) -> tuple[float, float]:
    """Return how well a classifier tells S from E, and what guessing by lot stays below.

    Parameters
    ----------
    table
        From `lead_side`.
    kinds
        Beginnings of the columns that it may use.

    Returns
    -------
    tuple
        Area under the ROC curve in five-fold cross-validation over items (no plate is in
        both parts), and the limit that guessing by lot stays below (`lot_limit`), with S's and
        E's solution of a plate in a run as one pair.
    """
    columns = [name for name in table if name.startswith(kinds)]
    truth = (table["solver"] == "S").to_numpy()
    unit = [name for name in ("item", "items_rung", "explained") if name in table]
    pairs = len(table[unit].drop_duplicates())
    return guessed_area(table[columns], truth, table["item"]), lot_limit(pairs, pairs)


_SHAPE = (
    "area_pixels", "shape_perimeter", "shape_parts", "shape_holes", "shape_height", "shape_width",
    "shape_row", "shape_column", "shape_thickness", "shape_rough",
)  # fmt: skip


@cache
def _shape(data: bytes) -> Mapping[str, float]:
    region = region_from_bytes(data)
    rows, columns = np.nonzero(region)
    edge = region & ~ndimage.binary_erosion(region)
    smoothed = ndimage.gaussian_filter(region.astype(float), 2.0) >= 0.5
    values = (
        region.sum(), edge.sum(), ndimage.label(region)[1], ndimage.label(~region)[1],
        np.ptp(rows), np.ptp(columns), rows.mean(), columns.mean(),
        ndimage.distance_transform_edt(region).max(), (smoothed ^ region).sum(),
    )  # fmt: skip
    shape = dict(zip(_SHAPE, map(float, values), strict=True))
    return {**shape, **_parts(region), **_grid(region)}


def _parts(region: np.ndarray) -> Mapping[str, float]:
    """Return how a region's separate parts are arranged, whatever their form."""
    labels, count = ndimage.label(region)
    centres = np.array(ndimage.center_of_mass(region, labels, range(1, count + 1)))
    sizes = ndimage.sum_labels(region, labels, range(1, count + 1))
    away = cdist(centres, centres) + np.where(np.eye(count), np.inf, 0)
    nearest = np.sort(away, axis=1)[:, :3] if count > 3 else np.zeros((1, 3))
    apart = np.where(np.isfinite(away), away, 0)
    reach = 2.6 * np.sqrt(region.sum() / count / np.pi)
    spread = np.linalg.eigvalsh(np.cov(np.argwhere(region).T))
    neighbours = (away < reach).sum(axis=1)
    return {
        "parts_tree": float(minimum_spanning_tree(apart).sum()),
        "parts_farthest": float(apart.max()),
        **{f"parts_near_{k}_mean": float(nearest[:, k].mean()) for k in range(3)},
        **{f"parts_near_{k}_sd": float(nearest[:, k].std()) for k in range(3)},
        "parts_neighbours": float(neighbours.mean()),
        "parts_alone": float((neighbours == 0).sum()),
        "parts_ends": float((neighbours == 1).sum()),
        "parts_chain": float((neighbours == 2).sum()),
        "parts_crowded": float((neighbours > 2).sum()),
        "parts_groups": float(connected_components(away < reach)[0]),
        "parts_size_sd": float(sizes.std()),
        "parts_long": float(spread[1]),
        "parts_short": float(spread[0]),
    }


def _grid(region: np.ndarray) -> Mapping[str, float]:
    side = len(region) // FIELDS
    shares = region.reshape(FIELDS, side, FIELDS, side).mean(axis=(1, 3)).ravel()
    return {f"grid_{place:02d}": float(share) for place, share in enumerate(shares)}


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[1].partition(".")[0]


def _hex(text: str) -> float:
    return int(text, 16) / 16 ** len(text)
