"""Figures of studies with more arms than the default protocols', and with longer names.

Names of two arms overlapped, unseen: other tests draw the arms that ship.
"""

from dataclasses import replace

import pytest

from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.simulatability.inquiry import SIMULATABILITY
from stimuli.protocol import load_protocol
from tests.analysis.asking import without_models
from tests.analysis.report.drawings import pictures_of, unreadable_in, widest_font
from tests.analysis.studies.human_ai_team import tables_of as team
from tests.analysis.studies.progressive_reveal.whole import SMALL, analysed, dataset_of
from tests.analysis.studies.simulatability import tables_of as cases

ARMS = (
    "confidence", "human_alone", "extremal_perturbation", "salient_object", "nearest_neighbours",
    "integrated_gradients", "smoothed_relevance_maps_of_the_lab",
)  # fmt: skip
METHODS = {
    "human": "human", "lrp": "lrp", "occlusion": "smoothed_relevance_maps",
    "protopnet": "integrated_gradients",
}  # fmt: skip


def of_arms(arms=ARMS):
    frame = team.crossed(max(4, 2 * len(arms)), 9, arms, 3)
    with without_models():
        return team.TEAM, team.TEAM.analyse(team.dataset_of(frame), None, (), lambda _: None)


def of_methods():
    """With models: one of its figures shows their variances."""
    trials, curves = (
        table.assign(method=table["method"].map(METHODS))
        for table in (SMALL.study(8), SMALL.curves())
    )
    changes = {"analysis": {"replicates": 100}, "reveal": {"methods": list(METHODS.values())}}
    protocol = load_protocol("progressive_reveal", None, changes)
    data = replace(dataset_of(trials), protocol=protocol, beside={"curves": curves})
    return REVEAL, analysed(data)


def of_two_arms():
    return of_arms(("confidence", ARMS[-1]))


def of_two_methods():
    return of_cells({"integrated_gradients_of_the_lab": 0.0})


GAINS = {"lime": 0.1, "integrated_gradients_of_the_lab": 0.0, "decision_boundary": 0.0,
         "prototype": 0.1, "composite": 0.0}  # fmt: skip


def of_cells(gains=GAINS):
    with without_models():
        return SIMULATABILITY, cases.results_of(cases.trials_of(14, 8, 3, **gains))


@pytest.mark.parametrize("make", [of_arms, of_two_arms, of_methods, of_cells, of_two_methods])
def test_no_names_of_arms_overlap(make):
    plan, found = make()
    with widest_font():
        report = plan.build(found)
        assert len(pictures_of(report)) > 3
        assert unreadable_in(report) == {}
