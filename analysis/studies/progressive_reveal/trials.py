"""Rounds of progressive_reveal, checked and completed, and what each image uncovers when."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.report.wording import count
from analysis.statistics.bootstrap import Units
from analysis.statistics.survival.life_tables import Rounds, Strata
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

Array = np.ndarray

CONFIRMING, FIRST_KEY = "", "_first_key"
"""Endings of the columns ``step`` and ``pixels``: at the confirming press, at the first key."""


_MEASURED = frozenset(
    (
        *("participant", "item", "class", "method", "recognised", "left", "step", "pixels"),
        *("image_pixels", "share", "attempts", "first_attempt_right", "guess_rate", "typing_s"),
        *("rt_s", "step_first_key", "pixels_first_key", "model_correct"),
    )
)
"""Columns that measures and models need."""


@dataclass(frozen=True, slots=True)
class RoundTable:
    """The rounds that are analysed.

    Attributes
    ----------
    frame
        One row for each round: ``participant, item, class, method`` (text), ``recognised, left``
        (boolean), ``step`` (whole number: of recognition, else the last that was seen whole;
        0 where none was), ``pixels`` (uncovered then), ``image_pixels``, ``share`` (of the
        image), and the table's other columns.
    methods
        The methods that occur, the reference first, then in the protocol's order.
    reference
        The method that others are compared with.
    steps
        Revelation steps of a round.
    amounts
        (items, methods, steps) share of the image uncovered at each step; NaN where it isn't
        known.
    items
        The images in the order of `amounts`.
    schedule_source
        Where `amounts` come from, in words.
    notes
        What was odd.
    limit
        The upper limit of restricted means: the protocol's ``analysis.restricted_mean``.
    """

    frame: pd.DataFrame
    methods: tuple[str, ...]
    reference: str
    steps: int
    amounts: Array
    items: tuple[str, ...]
    schedule_source: str
    notes: tuple[str, ...]
    limit: str

    @property
    def participants(self) -> int:
        """Number of participants."""
        return int(self.frame["participant"].nunique())

    @property
    def units(self) -> Units:
        """Participant and item of each round, items in the order of `amounts`."""
        people = pd.factorize(self.frame["participant"].astype(str), sort=True)[0]
        return Units(people, self.item_codes)

    @property
    def item_codes(self) -> Array:
        """(n,) place of each round's item in `items`."""
        return pd.Index(self.items).get_indexer(pd.Index(self.frame["item"]))

    @property
    def method_codes(self) -> Array:
        """(n,) place of each round's method in `methods`."""
        return pd.Index(self.methods).get_indexer(pd.Index(self.frame["method"]))

    @property
    def completed(self) -> "RoundTable":
        """The rounds that weren't left midway."""
        return self.of(~self.frame["left"])

    def of(self, rows: pd.Series) -> "RoundTable":
        """Return some of the rounds, and the schedules of the images that they show.

        Only the columns that measures and models need are kept.
        """
        kept = [name for name in self.frame if name in _MEASURED]
        frame = self.frame.loc[rows, kept].reset_index(drop=True)
        there = np.isin(self.items, frame["item"].unique().astype(str))
        items = tuple(item for item, kept in zip(self.items, there, strict=True) if kept)
        return replace(self, frame=frame, items=items, amounts=self.amounts[there])

    def rounds(self) -> Rounds:
        """Return the rounds as life tables take them."""
        return Rounds(
            self.frame["step"].to_numpy(dtype=int),
            self.frame["recognised"].to_numpy(dtype=bool),
            self.steps,
        )

    def strata(self) -> Strata:
        """Return the rounds by image and method."""
        return Strata(self.rounds(), self.item_codes, self.method_codes, self.amounts, self.limit)


def at_first_key(table: RoundTable) -> RoundTable | None:
    """Return the rounds with recognition at the first key of the right answer; None without it."""
    frame = table.frame
    if not {"step_first_key", "pixels_first_key"} <= set(frame):
        return None
    known = frame["recognised"] & frame["step_first_key"].notna()
    if not known.any():
        return None
    step = frame["step"].where(~known, frame["step_first_key"]).astype(int)
    pixels = frame["pixels"].where(~known, frame["pixels_first_key"]).astype(float)
    share = pixels / frame["image_pixels"]
    return replace(table, frame=frame.assign(step=step, pixels=pixels, share=share))


def read_rounds(
    trials: pd.DataFrame, protocol: ProgressiveReveal, curves: pd.DataFrame | None, source: str
) -> RoundTable:
    """Return the rounds of a trial table.

    Parameters
    ----------
    trials
        With the columns of `analysis.data.tables`; ``participant, item, method, class, recognised,
        step, pixels`` are needed.
    protocol
        Gives the steps, the image's size if the table doesn't, the methods' order and the
        reference.
    curves
        ``item, method, step, pixels``; None if there is no such table.
    source
        Name of the table, for messages.

    Raises
    ------
    UserError
        If a recognised round has no step or no pixels, or a step lies outside the protocol's.
    """
    frame, notes = _completed(trials, protocol, source)
    steps = protocol.reveal.steps
    largest = int(frame["step"].max())
    if largest > steps:
        notes.append(
            f"The protocol has {steps} steps and the table has a step {largest}: rounds of "
            f"{largest} steps are taken."
        )
        steps = largest
    methods, reference = _methods(frame, protocol)
    items = tuple(sorted(frame["item"].unique()))
    amounts, where = _amounts(frame, curves, items, methods, steps)
    return RoundTable(
        frame, methods, reference, steps, amounts, items, where, tuple(notes),
        protocol.analysis.restricted_mean,
    )  # fmt: skip


def _completed(
    trials: pd.DataFrame, protocol: ProgressiveReveal, source: str
) -> tuple[pd.DataFrame, list[str]]:
    frame, notes = trials.copy(deep=False), []  # columns are replaced, never changed in place
    frame["item"] = frame["item"].astype(str)
    frame["recognised"] = frame["recognised"].astype(bool)
    frame["left"] = frame["left"].fillna(False).astype(bool) if "left" in frame else False
    for name in ("step", "pixels"):
        empty = int((frame["recognised"] & frame[name].isna()).sum())
        if empty:
            raise UserError(f"{source}: {name} is empty in {count(empty, 'recognised round')}")
    if "image_pixels" not in frame or frame["image_pixels"].isna().any():
        known = frame.get("image_pixels", pd.Series(np.nan, index=frame.index))
        frame["image_pixels"] = known.astype(float).fillna(protocol.image_pixels)
        notes.append(
            f"The table doesn’t say how large images are: {protocol.image_pixels} pixels were "
            "taken, as the protocol has it."
        )
    silent = frame["step"].isna()
    if silent.any():
        notes.append(
            f"{count(int(silent.sum()), 'unrecognised round')} without a step: the last one was "
            "taken."
        )
    frame["step"] = frame["step"].astype(float).fillna(protocol.reveal.steps).astype(int)
    if (frame["step"] < frame["recognised"].astype(int)).any():
        raise UserError(f"{source}: step is below 1 in a recognised round; steps count from 1")
    frame["pixels"] = _last_pixels(frame)
    for name in ("image_pixels", "pixels"):
        frame[name] = frame[name].astype(float)
    if (frame["pixels"] > frame["image_pixels"]).any():
        raise UserError(f"{source}: pixels exceed image_pixels; give the image’s size in pixels")
    frame["share"] = frame["pixels"] / frame["image_pixels"]
    return frame, notes


def _last_pixels(frame: pd.DataFrame) -> pd.Series:
    """Return pixels, of unrecognised rounds without them the image's final or largest count."""
    pixels = frame["pixels"].astype(float)
    if "final_pixels" in frame:
        pixels = pixels.fillna(frame["final_pixels"].astype(float))
    cells = pixels.groupby([frame["item"], frame["method"]])
    return pixels.fillna(cells.transform("max")).fillna(pixels.max())


def _methods(frame: pd.DataFrame, protocol: ProgressiveReveal) -> tuple[tuple[str, ...], str]:
    there = set(frame["method"])
    known = [method for method in protocol.reveal.methods if method in there]
    others = sorted(there - set(known))
    wanted = protocol.analysis.reference
    ordered = [*known, *others]
    reference = wanted if wanted in there else ordered[0]
    return (reference, *(method for method in ordered if method != reference)), reference


def _amounts(
    frame: pd.DataFrame,
    curves: pd.DataFrame | None,
    items: tuple[str, ...],
    methods: tuple[str, ...],
    steps: int,
) -> tuple[Array, str]:
    size = frame.groupby("item")["image_pixels"].first().reindex(list(items)).to_numpy(dtype=float)
    points = _points(frame, steps)
    source = "interpolated between the steps at which rounds ended"
    if curves is not None:
        known = curves[["item", "method", "step", "pixels"]].astype({"item": str})
        cells = pd.MultiIndex.from_frame(known[["item", "method"]])
        missing = ~pd.MultiIndex.from_frame(points[["item", "method"]]).isin(cells)
        source = "the table of curves"
        if missing.any():
            source += "; interpolated for images that it lacks"
        points = pd.concat([known, points[missing]]) if missing.any() else known
    points = points[points["item"].isin(items) & points["method"].isin(methods)]
    points = points.drop_duplicates(["item", "method", "step"]).sort_values("step")
    amounts = np.full((len(items), len(methods), steps), np.nan)
    place = {name: number for number, name in enumerate(items)}
    for (item, method), group in points.groupby(["item", "method"]):
        i = place[str(item)]
        amounts[i, methods.index(str(method))] = _course(group, steps) / size[i]
    return amounts, source


def _points(frame: pd.DataFrame, steps: int) -> pd.DataFrame:
    """Return the counts that the rounds themselves give: at their ends, and the final ones."""
    seen = frame.loc[frame["step"] > 0, ["item", "method", "step", "pixels"]]
    if "final_pixels" not in frame:
        return seen
    final = frame.dropna(subset=["final_pixels"])[["item", "method", "final_pixels"]]
    final = final.rename(columns={"final_pixels": "pixels"}).assign(step=steps)
    return pd.concat([final[["item", "method", "step", "pixels"]], seen])


def _course(points: pd.DataFrame, steps: int) -> Array:
    """Return the counts of all steps; before, between and after known counts they grow evenly."""
    step = points["step"].to_numpy(dtype=float)
    pixels = np.maximum.accumulate(points["pixels"].to_numpy(dtype=float))
    wanted = np.arange(1, steps + 1)
    course = np.interp(wanted, np.append(0, step), np.append(0, pixels))
    beyond = wanted > step[-1]
    course[beyond] = pixels[-1] / step[-1] * wanted[beyond]
    return course
