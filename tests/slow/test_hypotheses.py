"""What becomes of preregistered hypotheses where the truth is known, in all five studies.

``-s`` prints how often each was confirmed.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest
from scipy.stats import binom

from analysis.data.tables import Dataset
from analysis.preregister.outcomes import CONFIRMED, decide
from analysis.questions.results_file import ESTIMATES
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject_accuracy.inquiry import LABELS
from analysis.studies.accept_reject_accuracy.power import LabelWorld
from analysis.studies.accept_reject_accuracy.questions.accuracy import ACCURACY
from analysis.studies.accept_reject_accuracy.simulated import simulate_judgements
from analysis.studies.human_ai_team.inquiry import TEAM
from analysis.studies.human_ai_team.power import Shift, TeamWorld
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.simulated import simulate_trials
from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.simulatability.inquiry import SIMULATABILITY
from analysis.studies.simulatability.questions.effects import EFFECTS
from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol
from tests.analysis.asking import asking
from tests.analysis.studies.accept_reject import simulate_table, whole
from tests.analysis.studies.human_ai_team import tables_of as team
from tests.analysis.studies.progressive_reveal.world import World
from tests.analysis.studies.simulatability import tables_of as predictions

pytestmark = pytest.mark.slow
STUDIES = 20
MOST_FALSE = int(binom.isf(0.001, STUDIES, 0.05))
"""Studies that may confirm what isn't true: 5 %, and what chance adds in 999 of 1,000 cases."""
QUICK = {"analysis": {"replicates": 100}}


@dataclass(frozen=True)
class AlikeWorld(World):
    """A world in which all methods uncover as much at each step: the methods don't differ."""

    @cached_property
    def pixels(self):
        human = super().pixels[:, :1]
        return np.repeat(human, len(self.median), axis=1)


def acceptance(with_s, with_e):
    """Leads of plates who accept .35 of what they can read without explanations."""

    def study(seed):
        truth = simulate_table.Truth(0.35, with_s, with_e)
        table = simulate_table.leads(24, per_solver=30, seed=seed, truth=truth)
        return whole.alone(ACCEPTANCE, USEFULNESS), whole.dataset(table)

    return study


def labels(difference):
    """Leads who accept S's labels by so much more often than the data set's."""

    def study(seed):
        rng = np.random.default_rng(seed)
        trials, items = simulate_judgements(LabelWorld(), 12, 150, difference, rng)
        dataset = Dataset(
            "accept_reject", "hand", trials.assign(control_kind=None), items,
            load_protocol("accept_reject_accuracy", None, QUICK), "a test", absent=(), notes=(),
        )  # fmt: skip
        return asking(LABELS, ACCURACY), dataset

    return study


def helps(over_reliance):
    """People whose over-reliance changes by so much with one of two kinds of help."""

    def study(seed):
        arms = {"gradcam": Shift(over_reliance), "nearest_neighbours": Shift(0.0)}
        world = replace(TeamWorld(), arms=arms)
        frame = simulate_trials(world, 90, 30, 6, np.random.default_rng(seed))
        dataset = team.dataset_of(frame, help={"arms": [*world.methods]})
        return asking(TEAM, TRUST), dataset

    return study


def reveals(median, lapse):
    """Images that need so much of their pixels, and are never recognised so often, by method."""

    def study(seed):
        world = AlikeWorld(classes=6, each=4, median=median, lapse=lapse, seed=seed)
        protocol = load_protocol("progressive_reveal", None, QUICK)
        dataset = Dataset(
            "progressive_reveal", "world", world.study(16, seed=seed), None, protocol, "a test",
            absent=(), notes=(), beside={"curves": world.curves()},
        )  # fmt: skip
        return asking(REVEAL, PAIRS), dataset

    return study


def predicts(gain):
    """People who predict a model's answers so much better with one of two methods."""

    def study(seed):
        trials = predictions.trials_of(36, 16, seed, lime=gain, anchor=0.0)
        protocol = predictions.protocol_of(
            {"methods": ["lime", "anchor", "no_explanation"], "domains": ["tabular"]}
        )
        dataset = replace(predictions.dataset_of(trials), protocol=protocol)
        return asking(SIMULATABILITY, EFFECTS), dataset

    return study


EQUAL, UNLIKE = (0.02,) * 4, (0.02, 0.05, 0.05, 0.05)
WORLDS = {
    "accept_reject": {
        "nothing changes": (acceptance(0.35, 0.35), {"H1": False, "H2": True}),
        "both explanations help": (acceptance(0.75, 0.75), {"H1": True}),
        "only E's explanations help": (acceptance(0.35, 0.75), {"H1": True, "H2": False}),
    },
    "accept_reject_accuracy": {
        "S is as good as the data set": (labels(0.0), {"H1": True}),
        "S errs more often": (labels(-0.2), {"H1": False}),
    },
    "human_ai_team": {
        "nothing changes": (helps(0.0), {"H1": False, "H2": False, "H3": False}),
        "over-reliance falls": (helps(-0.25), {"H1": True, "H2": True, "H3": True}),
    },
    "progressive_reveal": {
        "methods are alike": (reveals(EQUAL, (0.1,) * 4), {"H1": False, "H2": False}),
        "the reference is ahead": (
            reveals(UNLIKE, (0.02, 0.3, 0.3, 0.3)), {"H1": True, "H2": True},
        ),
        "one method lags": (reveals(EQUAL, (0.05, 0.05, 0.35, 0.05)), {"H1": True, "H3": False}),
    },
    "simulatability": {
        "nothing helps": (predicts(0.0), {"H1": False, "H2": False}),
        "one method helps": (predicts(0.3), {"H1": True, "H2": True}),
    },
}  # fmt: skip
"""Of each study, worlds: what simulates a study, and which hypotheses are true."""


@pytest.mark.parametrize(
    ("study", "name"), [(study, name) for study, worlds in WORLDS.items() for name in worlds]
)
def test_true_hypotheses_are_confirmed_and_false_ones_are_not(study, name):
    simulated, truth = WORLDS[study][name]
    outcomes = Counter()
    for seed in range(STUDIES):
        inquiry, dataset = simulated(seed)
        rows = inquiry.analyse(dataset, None, (), lambda _: None)[ESTIMATES]
        registered = studies_of("analysis")[study].inquiry().promises(dataset.protocol)
        outcomes.update((one.name, decide(one, rows).outcome) for one in registered.hypotheses)
    print(f"\n{study}, {name}: {dict(outcomes)}")
    for hypothesis, true in truth.items():
        confirmed = outcomes[hypothesis, CONFIRMED]
        assert hypothesis in {name for name, _ in outcomes}
        assert confirmed > STUDIES / 2 if true else confirmed <= MOST_FALSE, (hypothesis, outcomes)
