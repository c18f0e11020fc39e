"""Trial tables of the assessment of accuracy for tests: simulated, or written by hand."""

from pathlib import Path

import pandas as pd

from analysis.data.tables import Dataset, read_folder
from analysis.questions.question import Whole
from analysis.studies.accept_reject_accuracy.inquiry import LABELS
from participants.folder import DataFolder
from participants.simulate.run import simulate
from stimuli.protocol import load_protocol

QUICK = {"analysis": {"replicates": 300}}


def simulated(folder: Path, pack, robots) -> Dataset:
    """Return the dataset that robots leave in front of a pack."""
    simulate(DataFolder(folder), pack, robots)
    return read_folder("accept_reject_accuracy", folder)


def analysed(dataset: Dataset, left_out=()) -> Whole:
    """Return the results of a dataset."""
    return LABELS.read_results(LABELS.analyse(dataset, None, left_out, lambda _: None))


def by_hand(rows) -> Dataset:
    """Return a dataset of rows (participant, item, solver, true, shown, decision)."""
    names = ("participant", "item", "solver", "true_label", "shown_label", "decision")
    trials = pd.DataFrame(rows, columns=names).assign(rt_s=1.0, explained=False, control_kind=None)
    return Dataset(
        "accept_reject", "hand", trials, None, load_protocol("accept_reject_accuracy", None, QUICK),
        "a test", absent=(), notes=(),
    )  # fmt: skip
