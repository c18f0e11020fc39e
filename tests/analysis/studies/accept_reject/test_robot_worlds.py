"""Whole simulated studies: the verdict is that of the world that was put in."""

import pytest

from bench.parts.robot_worlds import (
    MIX,
    STUDIES_OF_KINDS,
    TRIALS_PER_RUN,
    VERDICTS,
    WORLDS,
    simulated,
)
from stimuli.workers import Workers

STUDIES, TRIALS = 3, 40


@pytest.mark.slow
@pytest.mark.parametrize("world", VERDICTS)
def test_most_studies_of_a_world_show_what_it_is(world):
    _, right = VERDICTS[world]
    (found,) = simulated([WORLDS[world]], STUDIES, TRIALS, Workers(1))
    assert sum(right(one) for one in found) >= STUDIES - 1


@pytest.mark.slow
def test_every_kind_of_lead_gets_the_verdict_that_was_put_in():
    """In most studies; lazy and random leads always leave by rule, no dichromat ever profits.

    At the default's size, since fewer trials have too few controls to judge compliance by; with
    free outlines, since discs show a contour reader little.
    """
    (found,) = simulated([MIX], STUDIES_OF_KINDS, TRIALS_PER_RUN, Workers(1), "free")
    leads = [lead for one in found for lead in one["leads"]]

    def share(kind, test):
        own = [test(lead) for lead in leads if lead["robot"] == kind]
        return sum(own) / len(own)

    assert share("lead", lambda lead: lead["outcome"] == "profits") >= 0.6
    assert share("lead", lambda lead: lead["flagged"]) <= 0.1
    assert share("dichromat", lambda lead: lead["outcome"] == "profits") == 0
    assert share("contour_reader", lambda lead: lead["flagged"]) >= 0.6
    assert share("contour_reader", lambda lead: lead["outcome"] == "profits") == 0
    assert share("lazy", lambda lead: lead["excluded"]) == 1
    assert share("random", lambda lead: lead["excluded"]) == 1
