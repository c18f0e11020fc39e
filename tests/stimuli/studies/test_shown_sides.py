"""Nothing that a pack shows tells what it hides: a classifier tries.

It isn't given what people judge by: labels, pictures, words, where a region lies and its form. The
form tells unless the protocol draws discs (tests/slow/test_built_pack_blinding.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest

from stimuli.images.sets import NO_SOLUTION
from stimuli.io.tables import Row, TableSchema
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import SketchRates as PlateRates
from stimuli.studies.accept_reject.sketch import sketch as plates_sketch
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY, LABELLED, LISTS
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates as LabelRates
from stimuli.studies.accept_reject_accuracy.sketch import sketch as labels_sketch
from stimuli.studies.human_ai_team import tables as team
from stimuli.studies.human_ai_team.sketch import sketch as team_sketch
from stimuli.studies.simulatability import tables as cases
from stimuli.studies.simulatability.sketch import sketch as cases_sketch
from tests.stimuli.guessing import lot_limit, taught_area
from tests.stimuli.studies import leaks
from tests.stimuli.studies.accept_reject import lead_side as plates
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of
from tests.stimuli.studies.accept_reject_accuracy.lead_side import lead_side as labels_side
from tests.stimuli.studies.human_ai_team.shown_side import shown_side as team_side
from tests.stimuli.studies.simulatability.shown_side import shown_side as cases_side

SEEDS = (2, 3, 4)
"""Of packs that a classifier learns from, and last of the one that it is asked about."""


def plates_of(seed: int) -> Pack:
    """Solved plates in four lists at one rung; E abstains often, S errs often."""
    shares = {"S": 0.3, "E": 0.3, "wrong_digit": 0.2, "right_digit": 0.06, "no_numeral": 0.06,
              "high_contrast": 0.04, "no_solution": 0.04}  # fmt: skip
    solutions = {**SMALL["solutions"], "trials_per_run": 30, "shares": shares}
    protocol = small_protocol(seed=seed, solutions=solutions)
    return plates_sketch(
        protocol, [("deutan", 1)], PlateRates(expert_abstention=0.15, system_error=0.2)
    )


def labels_of(seed: int) -> Pack:
    """120 digits in several lists; S errs on a quarter."""
    protocol = protocol_of(seed=seed, solutions={"most_trials": 50})
    return labels_sketch(protocol, LabelRates(images=120, system_error=0.25))


def team_of(seed: int) -> Pack:
    """Half of the published design in small pictures: the AI is right on 75 of 225 images."""
    bins = {"per_bin": 25, "adversarial_per_level": 25, "trials_per_sheet": 15}
    changes = {"seed": seed, "images": {"size_px": 28, "resize_px": 28}, "bins": bins}
    return team_sketch(load_protocol("human_ai_team", None, changes))


def cases_of(seed: int) -> Pack:
    """The published design in one arm, with more items."""
    changes = {"seed": seed, "items": {"per_test": 96}, "design": {"methods": ["lime"]}}
    return cases_sketch(load_protocol("simulatability", None, changes))


def by_system(row: Row) -> float:
    return {"S": 1.0, "E": 0.0}.get(row["solver"], 0.5)


def is_positive(row: Row) -> float:
    return float(row["output"] in ("positive", "granted"))


def larger_areas(files: leaks.Files, hidden: leaks.Hidden) -> None:
    """A thousand more pixels in each of S's regions: areas not yoked."""
    for row in ITEMS.from_csv(files["items.csv"], "items"):
        if row["region_file"] and hidden[row["presentation"]] == 1:
            bits = np.unpackbits(np.frombuffer(files[row["region_file"]], dtype=np.uint8))
            bits[np.flatnonzero(bits == 0)[5000:6000]] = 1
            files[row["region_file"]] = np.packbits(bits).tobytes()


def told_outputs(files: leaks.Files, hidden: leaks.Hidden) -> None:
    """The output on the changed input stands where that on the original should."""

    def told(row: Row) -> Row:
        names = {"text": ("negative", "positive"), "tabular": ("refused", "granted")}
        output = names[row["domain"]][int(hidden[row["presentation"]])]
        return {**row, "shown_output": output}

    leaks.change(files, cases.ITEMS, lambda rows: list(map(told, rows)))


def speaking_system(files: leaks.Files, hidden: leaks.Hidden) -> None:
    """S never says that it has no solution."""

    def spoken(row: Row) -> Row:
        silent = row["shown_label"] == NO_SOLUTION and hidden[row["presentation"]] == 1
        return {**row, "shown_label": "3"} if silent else row

    leaks.change(files, ITEMS, lambda rows: list(map(spoken, rows)))


@dataclass(frozen=True, eq=False)
class Blind:
    """What a study hides: how its packs are made, what they show, and what is to be guessed."""

    pack_of: Callable[[int], Pack]
    seen: Callable[[Pack], pd.DataFrame]
    kinds: tuple[str, ...]
    key: TableSchema
    hidden: Callable[[Row], float]
    guess: Callable[[Callable[[int], pd.DataFrame], tuple[str, ...], bool], tuple[float, float]]
    most: float
    where: Mapping[str, object] = field(default_factory=dict)
    ways: Mapping[str, leaks.Leak] = field(default_factory=dict)

    def table(self, pack: Pack) -> pd.DataFrame:
        table = self.seen(pack)
        for column, value in self.where.items():
            table = table[table[column] == value]
        return table.reset_index(drop=True)


def of_solver(table_of, kinds, leaks):
    """One pack, in parts of which no item is in two."""
    return plates.guessing(table_of(3), kinds)


def taught(truth, times, table_of, kinds, leaks):
    """The last pack, by what was learned from the others; an item stands so often on a sheet."""
    *learned, asked = map(table_of, SEEDS[-2:] if leaks else SEEDS)
    learned, asked = (
        (table[[name for name in table if name.startswith(kinds)]], table[truth].to_numpy(bool))
        for table in (pd.concat(learned), asked)
    )
    trues = int(asked[1].sum())
    limit = lot_limit(trues // times, (len(asked[1]) - trues) // times)
    return taught_area(learned, asked), limit


PLATES = (plates_of, plates.lead_side, ("items", "size", "order", "area", "abstention"),
          KEY, by_system, of_solver, 0.73)  # fmt: skip
TEAM = (team_of, team_side, ("ids", "names", "sizes", "order", "position"),
        team.KEY, lambda row: float(row["ai_correct"]))  # fmt: skip
CASES = (cases_of, cases_side, ("ids", "cells", "order", "position", "helps"),
         cases.KEY, is_positive)  # fmt: skip
BLIND = {
    "solver of plates": Blind(
        *PLATES, {"explained": False, "items_rung": 1}, {"order": leaks.last_in_lists(LISTS, "run")}
    ),
    "solver of plates, explained": Blind(
        *PLATES,
        {"explained": True, "items_rung": 1},
        {
            "area": larger_areas,
            "items": leaks.grouped_lines(ITEMS),
            "items of names": leaks.named_files(ITEMS, "region_file"),
        },
    ),
    "giver of labels": Blind(
        labels_of,
        labels_side,
        ("ids", "names", "sizes", "order", "position", "label"),
        KEY,
        by_system,
        of_solver,
        0.65,
        ways={
            "ids": leaks.numbered_ids(LABELLED, LISTS, KEY),
            "names": leaks.named_files(LABELLED, "image_file"),
            "sizes": leaks.longer_images(LABELLED),
            "order": leaks.grouped_lines(LABELLED),
            "position": leaks.last_in_lists(LISTS, "run"),
        },
    ),
    "AI right": Blind(
        *TEAM,
        partial(taught, "ai_correct", 1),
        0.65,
        ways={
            "ids": leaks.numbered_ids(team.ITEMS, team.HELPS, team.LISTS, team.KEY),
            "sizes": leaks.longer_images(team.ITEMS),
            "order": leaks.grouped_lines(team.ITEMS),
            "position": leaks.last_in_lists(team.LISTS, "phase"),
        },
    ),
    "AI attacked": Blind(*TEAM, partial(taught, "adversarial", 1), 0.65),
    "output": Blind(*CASES, partial(taught, "positive", 2), 0.65, {"use": "forward"}),
    "output of changes": Blind(
        *CASES,
        partial(taught, "positive", 2),
        0.65,
        {"use": "counterfactual"},
        {
            "ids": leaks.numbered_ids(cases.ITEMS, cases.EXPLANATIONS, cases.LISTS, cases.KEY),
            "cells": told_outputs,
            "order": leaks.grouped_lines(cases.ITEMS),
            "position": leaks.last_in_lists(cases.LISTS, "arm", "section"),
            "helps": leaks.only_so(cases.EXPLANATIONS),
        },
    ),
    "change that flips": Blind(
        *CASES, partial(taught, "flips", 2), 0.7, {"use": "counterfactual"}
    ),
}  # fmt: skip


@cache
def honest(pack_of: Callable[[int], Pack], seed: int) -> Pack:
    return pack_of(seed)


@cache
def seen(name: str, seed: int, leak: str = "") -> pd.DataFrame:
    """Return what a pack shows, or what it shows once it leaks."""
    blind = BLIND[name]
    pack = honest(blind.pack_of, seed)
    if leak:
        hidden = {row["presentation"]: blind.hidden(row) for row in pack.table(blind.key)}
        pack = leaks.leaking(pack, blind.ways[leak], hidden)
    return blind.table(pack)


def guessed(name: str, kinds: tuple[str, ...], leak: str = "") -> tuple[float, float]:
    """Return the area under the ROC curve, and what guessing by lot stays below (p < .0005)."""
    return BLIND[name].guess(lambda seed: seen(name, seed, leak), kinds, bool(leak))


ALONE = [
    pytest.param(name, (kind,), marks=pytest.mark.slow)
    for name, blind in BLIND.items()
    for kind in blind.kinds
]


@pytest.mark.parametrize(
    ("name", "kinds"), [*((name, blind.kinds) for name, blind in BLIND.items()), *ALONE]
)
def test_no_feature_tells_what_is_hidden(name, kinds):
    area, limit = guessed(name, kinds)
    assert area < limit < BLIND[name].most


@pytest.mark.parametrize(
    ("name", "leak"), [(name, leak) for name, blind in BLIND.items() for leak in blind.ways]
)
def test_a_leak_is_found(name, leak):
    area, limit = guessed(name, (leak.partition(" ")[0],), leak)
    assert area > limit


def silent_shares(pack: Pack) -> dict[str, float]:
    """Return how often S and E have no solution, of the plates that both solve."""
    table = BLIND["solver of plates"].table(pack)
    return dict(table.groupby("solver")["abstention_word"].mean())


def test_abstention_is_as_frequent_for_both_solvers():
    """It tells of few plates: shares show what a curve's area doesn't."""
    pack = honest(plates_of, 3)
    rows = [row for row in pack.table(ITEM_TABLE) if row["rung"] == 1]
    system, expert = (
        sum(row[label] == NO_SOLUTION for row in rows) for label in ("model_label", "expert_label")
    )
    assert system == expert > 0
    two_plates = 2.001 / seen("solver of plates", 3)["item"].nunique()
    rates = silent_shares(pack)
    assert rates["E"] > 0.05
    assert abs(rates["S"] - rates["E"]) <= two_plates
    hidden = {row["presentation"]: by_system(row) for row in pack.table(KEY)}
    rates = silent_shares(leaks.leaking(pack, speaking_system, hidden))
    assert rates["E"] - rates["S"] > two_plates
