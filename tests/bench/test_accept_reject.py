"""What docs/accept_reject_truth.md says follows from its figures."""

import pytest

from bench.accept_reject_truth import BOOK
from bench.book import read_results
from bench.cli import DOCS
from bench.parts import (
    careless,
    control_compliance,
    control_contours,
    control_harm,
    expert_controls,
    expert_controls_page,
    robot_worlds,
)
from bench.parts.screening_people import LINES, Simulated, own_thresholds
from stimuli.workers import Workers

TEXTS = {
    "worlds": robot_worlds.worlds_text,
    "sizes": robot_worlds.sizes_text,
    "harm": control_harm.harm_text,
    "compliance": control_compliance.compliance_text,
    "contour_flag": control_contours.contour_text,
    "experts": expert_controls_page.text,
}


@pytest.mark.parametrize("part", TEXTS)
def test_a_section_is_made_from_its_figures(part):
    found = read_results(BOOK, DOCS)[part]
    assert found["text"] == TEXTS[part](found["figures"])


@pytest.mark.parametrize(
    ("strength", "threshold", "group"),
    [
        (0.0, 90.0, "normal"),
        (0.3, expert_controls.WITHIN, "within"),
        (0.3, expert_controls.LEADS, "between"),
        (0.3, expert_controls.LEADS + 0.1, "above"),
    ],
)
def test_limits_of_screening_belong_to_the_lower_group(strength, threshold, group):
    assert expert_controls.group_of(strength, threshold) == group


def test_a_minimum_that_the_protocol_asks_for_is_judged_as_the_session_was():
    """A person passes by the table of minima if and only if the session said so."""
    rows = [
        {"strength": 0.0, "threshold": 40.0, "faint": 22, "faint_right": right}
        for right in range(23)
    ]
    at = expert_controls._at(0.75, rows)
    assert at["needed"] == 17
    assert at["passes"]["normal"] == [6, 23]


def test_thresholds_on_fewer_lines_are_those_of_all_lines():
    person = Simulated("deutan", 0.5, 1)
    both = own_thresholds(person, 10, 1, LINES[:2])
    every = own_thresholds(person, 10, 1)
    assert both == {axis: every[axis] for axis in LINES[:2]}


def test_careless_leads_are_measured_by_the_headlines_own_functions(monkeypatch):
    """Two small studies: 1 of 4 leads never varies, so usefulness is .15 over all leads."""
    monkeypatch.setattr(careless, "Workers", lambda: Workers(here=True))
    world = careless.World(25, leads=4, plates=12)
    found = careless.measured(world, 2)
    assert found["truth"] == pytest.approx(0.15)
    assert found["means"]["studies"] == 2
    line = careless.careless_text({"25 %": found}).splitlines()[-1]
    assert line.startswith("| 25 % | 15.0 | ")
    assert careless.edges_text({"one": found}).splitlines()[-1].startswith("| one | ")
