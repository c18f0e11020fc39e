"""What the reports of simulated studies say by the bootstrap, and what they say now."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.data.tables import Dataset, read_outside
from analysis.questions.estimates import EstimateRow, select
from analysis.report.wording import interval, points
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.against_experts import AGAINST_E, compared
from analysis.studies.accept_reject.controls import RISE
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject.questions.comparison import COMPARISON
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.words import gain_words
from analysis.studies.accept_reject_accuracy.data import read_data
from analysis.studies.accept_reject_accuracy.power import LabelWorld
from analysis.studies.accept_reject_accuracy.simulated import simulate_judgements
from analysis.studies.human_ai_team.power import REFERENCE, Shift, TeamWorld
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.simulated import simulate_trials
from analysis.studies.human_ai_team.trials import read_answers
from analysis.studies.progressive_reveal.quantities import ALL_LAST_STEP, SHARE
from analysis.studies.progressive_reveal.rates import averages
from analysis.studies.progressive_reveal.trials import read_rounds
from bench.book import Effort, Measured, Part, table
from stimuli.protocol import load_protocol
from tests.analysis.studies.accept_reject.simulate_table import simulate
from tests.analysis.studies.accept_reject.whole import dataset
from tests.analysis.studies.accept_reject_accuracy.tables_of import by_hand
from tests.analysis.studies.progressive_reveal.world import World

Said = Mapping[str, str]
WAYS = ("bootstrap", "two_way")


def changes(effort: Effort) -> Measured:
    """The four studies' main results, by both ways."""
    small = effort.quick
    studies: dict[str, Callable[[str, bool], Said]] = {
        "accept_reject": _accept_reject,
        "accept_reject_accuracy": _accuracy,
        "human_ai_team": _team,
        "progressive_reveal": _reveal,
    }
    figures: dict[str, dict[str, list[str]]] = {}
    with threadpool_limits(1):
        for name, of in studies.items():
            before, now = (of(way, small) for way in WAYS)
            figures[name] = {what: [before.get(what, "–"), said] for what, said in now.items()}
    lines = [[name, what, *said] for name, found in figures.items() for what, said in found.items()]
    text = (
        "The main results of one simulated study each, before and now. Intervals become "
        "narrower because noise within a participant and item counts once instead of three "
        "times; estimates of rates don't change.\n\n"
        + table(["study", "result", "by the bootstrap", "now"], lines)
    )
    return Measured(text, figures)


def _limits(row: Mapping[str, Any], name: str = "estimate", ends: str = "ci_") -> str:
    low, high = (row[f"{ends}{end}"] for end in ("low", "high"))
    return f"{points(row[name])} {interval(low, high, points)}"


def _accept_reject(way: str, small: bool) -> Said:
    trials = simulate(["lead"] * (6 if small else 16), per_solver=12 if small else 36)
    own = replace(dataset(trials), means=way)
    found = ACCEPT_REJECT.read_results(ACCEPT_REJECT.analyse(own, None, (), lambda _: None))
    useful = found.of(USEFULNESS)
    said = {f"usefulness of {s}’s, rates": gain_words(useful.gain(s)) for s in "SE"}
    said["p_S − p_E"] = _against(found.of(COMPARISON).row(AGAINST_E))
    said["rise in accepting wrong digits"] = gain_words(found.of(CONTROLS).row(RISE))
    return said


def _against(row: EstimateRow) -> str:
    return f"{gain_words(row)}: {row.verdict}"


def _accuracy(way: str, small: bool) -> Said:
    rng = np.random.Generator(np.random.PCG64(4))
    trials, items = simulate_judgements(
        LabelWorld(), 4 if small else 10, 40 if small else 200, -0.03, rng
    )
    rows = trials[["participant", "item", "solver", "true_label", "shown_label", "decision"]]
    own: Dataset = replace(by_hand(rows.to_numpy().tolist()), items=items, means=way)
    data = read_data(own, None, ())
    return {"p_S − p_E": _against(compared(data.rates.difference, data.protocol.analysis.margin))}


def _team(way: str, small: bool) -> Said:
    rng = np.random.Generator(np.random.PCG64(4))
    trials = simulate_trials(
        TeamWorld(arms={"gradcam": Shift(0.4)}), 12 if small else 60, 20 if small else 30, 2, rng
    )
    answers = read_answers(trials, load_protocol("human_ai_team"))
    rates = measure(answers, answers.plan(Resampling(2000, 1, means=way)))
    reference, first = sorted(answers.arms, key=lambda arm: arm != REFERENCE)[:2]
    words = {"accuracy": "accuracy", "over_reliance": "over-reliance"}
    said = {}
    for name, what in words.items():
        part = rates.difference(name, "all", first, reference)
        limits = interval(part.ci_low, part.ci_high, points)
        said[f"{what}, {first} less {reference}"] = f"{points(part.estimate)} {limits}"
    return said


def _reveal(way: str, small: bool) -> Said:
    world = World()
    with tempfile.TemporaryDirectory() as folder:
        world.write(Path(folder), world.study(6 if small else 20))
        own = read_outside("progressive_reveal", Path(folder) / "tables" / "trials.csv")
    rounds = read_rounds(own.trials, own.protocol, None, "simulated")
    third = averages(rounds, Resampling(2000, 1, means=way))
    return {
        f"share of the image, {row.of['method']}": f"{points(row.estimate)} "
        f"{interval(row.ci_low, row.ci_high, points)}"
        for row in select(third, SHARE, reading=ALL_LAST_STEP)[:2]
    }


PARTS: tuple[Part, ...] = (Part("report_changes", "What changes in the reports", changes),)
