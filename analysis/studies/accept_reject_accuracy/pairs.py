"""What was judged: pairs of an image and a label, and whose label each is.

L judges a task with a solution, L(τ, σ), and not a solver (Saralajew et al. 2022,
definition 2.1). So where S and E gave an image the same label, every judgement of it counts
for both.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import pandas as pd

from analysis.studies.accept_reject.trials import ScoredTrials

Task = str
HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Pair:
    """An image with a label, and how it was judged.

    Attributes
    ----------
    task, item
        The task (the image within its pack), and the image.
    label, true_label
        The judged label, and the data set's.
    of_system, of_expert
        Whether S and whether E gave the label.
    accepted, n
        Acceptances, and judgements.
    """

    task: Task
    item: str
    label: str
    true_label: str
    of_system: bool
    of_expert: bool
    accepted: int
    n: int

    @property
    def rate(self) -> Fraction:
        """Share of judgements that accept, exactly."""
        return Fraction(self.accepted, self.n)

    @property
    def disputed(self) -> bool:
        """Whether some judgements accept and some don't."""
        return 0 < self.accepted < self.n

    @property
    def given_by(self) -> str:
        """``S``, ``E`` or ``both``."""
        if self.of_system and self.of_expert:
            return "both"
        return "S" if self.of_system else "E"


@dataclass(frozen=True, slots=True)
class Judgements:
    """All judgements of S's and E's labels.

    Attributes
    ----------
    frame
        One row for each judgement: the trials' columns and ``task``, ``pair``, ``of_system``,
        ``of_expert``.
    pairs
        Sorted by task and label.
    system
        S's label by task, if it is known.
    notes
        What was odd.
    """

    frame: pd.DataFrame
    pairs: tuple[Pair, ...]
    system: Mapping[Task, str]
    notes: tuple[str, ...] = field(default_factory=tuple)

    def of(self, solver: str) -> Iterator[Pair]:
        """Yield the pairs whose label a solver (``S`` or ``E``) gave."""
        return (
            pair for pair in self.pairs if (pair.of_system if solver == "S" else pair.of_expert)
        )


def judgements(
    judged: ScoredTrials, items: pd.DataFrame | None, *, as_drawn: bool = False
) -> Judgements:
    """Return the judgements of S's and E's labels among judged trials.

    Parameters
    ----------
    judged
        Trials with their judgement.
    items
        The item table, which gives S's label even if only E's was judged.
    as_drawn
        Count a judgement only for the solver that the list drew, even if both gave the label: the
        literal reading of the published draw.
    """
    frame = judged.frame[judged.frame["solver"].isin(("S", "E"))].copy()
    packs = frame.get("pack_id")
    several = packs is not None and packs.nunique() > 1
    frame["task"] = packs.str.cat(frame["item"], "/") if several else frame["item"]
    system, notes = _system_labels(frame, None if several else items)
    if as_drawn:
        frame["of_system"], frame["of_expert"] = frame["solver"] == "S", frame["solver"] == "E"
        frame["pair"] = frame["task"] + "/" + frame["shown_label"] + "/" + frame["solver"]
    else:
        frame["of_system"] = frame["shown_label"] == frame["task"].map(system)
        frame["of_expert"] = frame["shown_label"] == frame["true_label"]
        frame["pair"] = frame["task"] + "/" + frame["shown_label"]
    # Whatever the tables say about other solvers, the solver that was drawn gave the label.
    frame["of_system"] |= frame["solver"] == "S"
    frame["of_expert"] |= frame["solver"] == "E"
    return Judgements(frame.reset_index(drop=True), tuple(_pairs(frame)), system, notes)


def _system_labels(
    frame: pd.DataFrame, items: pd.DataFrame | None
) -> tuple[dict[Task, str], tuple[str, ...]]:
    of_system = frame[frame["solver"] == "S"]
    counts = of_system.groupby("task")["shown_label"].nunique()
    notes = ()
    if (counts > 1).any():
        notes = (
            f"S gave {int((counts > 1).sum())} images several labels: several classifiers are "
            "mixed in one pack, and each answer counts as S's.",
        )
    system = {} if items is None or "model_label" not in items else _by_item(items)
    system |= dict(zip(of_system["task"], of_system["shown_label"], strict=True))
    return system, notes


def _by_item(items: pd.DataFrame) -> dict[Task, str]:
    known = items.dropna(subset=["model_label"]).drop_duplicates(["item", "model_label"])
    single = known[~known["item"].duplicated(keep=False)]
    return dict(zip(single["item"], single["model_label"], strict=True))


def _pairs(frame: pd.DataFrame) -> Iterator[Pair]:
    for _, group in frame.groupby("pair", sort=True):
        first = group.iloc[0]
        yield Pair(
            task=str(first["task"]),
            item=str(first["item"]),
            label=str(first["shown_label"]),
            true_label=str(first["true_label"]),
            of_system=bool(group["of_system"].any()),
            of_expert=bool(group["of_expert"].any()),
            accepted=int(group["accepted"].sum()),
            n=len(group),
        )
