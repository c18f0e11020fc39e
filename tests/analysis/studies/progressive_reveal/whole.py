"""Whole results of progressive_reveal, and their page without what is slow to draw."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.data.tables import Dataset
from analysis.questions.question import Whole
from analysis.report.writer import render
from analysis.studies.progressive_reveal.inquiry import REVEAL
from stimuli.protocol import load_protocol
from tests.analysis.formats import without_drawings
from tests.analysis.studies.progressive_reveal.world import World

SMALL = World(classes=4, each=3, seed=3)
"""Twelve images."""


def dataset_of(trials: pd.DataFrame, world: World = SMALL) -> Dataset:
    """Return a world's rounds and curves as a dataset, with few replicates."""
    protocol = load_protocol("progressive_reveal", None, {"analysis": {"replicates": 100}})
    return Dataset("progressive_reveal", "world", trials, None, protocol, "a test", absent=(),
                   notes=(), beside={"curves": world.curves()})  # fmt: skip


def analysed(dataset: Dataset, left_out: Sequence[str] = ()) -> dict[str, Any]:
    """Return every result of a dataset as JSON has it."""
    return REVEAL.analyse(dataset, None, left_out, lambda _: None)


def typed(results: dict[str, Any]) -> Whole:
    """Return results with each answer in its own type."""
    return REVEAL.read_results(results)


def words_of(results: dict[str, Any]) -> str:
    """Return the page without its drawings."""
    with without_drawings():
        return render(REVEAL.build(results), dict.fromkeys(REVEAL.figures, ""))
