from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.power.job import run_power
from analysis.power.question import Cell, Grid, key_of
from analysis.studies.accept_reject.power import MixedWorld, Usefulness
from analysis.studies.accept_reject.power_question import Ask, question_of
from analysis.studies.accept_reject.simulated import (
    Calibration,
    Generator,
    RobotRates,
    Run,
    calibrate,
    calibration_of,
    run_study,
    simulated_trials,
    source_key,
)
from analysis.studies.accept_reject.simulated_worlds import Source, lay_out, robot_world
from analysis.studies.accept_reject.trials import CELLS
from stimuli.errors import UserError
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.workers import Kept, Workers
from tests.analysis.formats import without_drawings

PLATES = 16
ORDERS = ("without_first", "with_first")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A solution pack in a folder: sixteen plates that S and E solve, one rung."""
    shares = dict.fromkeys(
        ("wrong_digit", "right_digit", "no_numeral", "high_contrast", "no_solution"), 0.0
    )
    protocol = load_protocol(
        "accept_reject",
        changes={
            "plates": {"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.0256, 0.097]},
            "solutions": {
                "trials_per_run": PLATES // 2,
                "practice_trials": 0,
                "lists": 4,
                "shares": {"S": 0.5, "E": 0.5, **shares},
            },
            # The contour reader reads shapes; discs have none.
            "explanation": {"outline": "free"},
        },
    )
    pack = sketch(protocol, [("deutan", 1)])
    folder = tmp_path_factory.mktemp("packs") / "pack"
    files = {path: pack.asset(path) for path in pack.manifest.files}
    write_pack(folder, protocol, "solutions", files, {})
    return Source.of(protocol, 8, folder, "contour_reader")


def shares(source, uses, participants=8, items=12, seed=3):
    trials = lay_out(np.random.default_rng(seed), participants, items, ORDERS)
    answers = robot_world(source).answer(trials, uses, seed)
    trials["in_time"] = [d == "accept" and rt_s <= 3.0 for d, rt_s in answers]
    return trials.groupby(["explained", "solver"])["in_time"].mean()


def test_every_plate_is_there_in_all_four_ways(source):
    world = robot_world(source)
    assert len(world.items) == PLATES
    for plate in world.items:
        assert set(plate) == set(CELLS)
        for solver in ("S", "E"):
            bare, explained = plate[solver, False], plate[solver, True]
            assert bare.region_file is None
            assert explained.region_file is not None
            assert bare.plate_file == explained.plate_file
            assert bare.shown_label == explained.shown_label


@pytest.mark.slow
def test_an_explanation_that_is_not_used_is_as_if_there_were_none(source):
    """The contour reader accepts in time by the contour alone."""
    never = shares(source, {"S": 0.0, "E": 0.0}, participants=4)
    always = shares(source, {"S": 1.0, "E": 1.0})
    half = shares(source, {"S": 0.5, "E": 0.0}, participants=16)
    assert (never == 0).all()
    assert (always[True] > 0.6).all()
    assert always[False].max() == 0
    assert half[True, "S"] == pytest.approx(always[True, "S"] / 2, abs=0.2)
    assert half[True, "E"] == 0


def test_the_same_run_is_the_same_study_and_another_is_another(source):
    protocol = robot_world(source).sight.pack.protocol
    full = Calibration(0.5, 0.0, 0.5, 0.0, 0.3, PLATES, "pack")
    generator = Generator(protocol, replace(source, robot="lead"), MixedWorld(), full, 1)
    cell = Cell(4, 8, Usefulness(0.25, 0.25))
    one, same, other = (simulated_trials(Run(generator, cell, n)) for n in (0, 0, 1))
    assert one.equals(same)
    assert not one["rt_s"].equals(other["rt_s"])
    assert set(one["decision"]) <= {"accept", "reject", "none"}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_robots_from_pack_to_report_are_the_same_in_workers_as_here(workers, source, tmp_path):
    protocol = robot_world(source).sight.pack.protocol
    grid = Grid((4,), (8,), (Usefulness(0.2, 0.2),), 1)
    ask = Ask(protocol, grid, Path(source.pack), "lead", MixedWorld(), 1, 3, 8)
    with without_drawings():
        results = run_power(question_of(ask), tmp_path / "out", Workers(workers)).results
    lead = replace(source, robot="lead")
    full = calibration_of([RobotRates(**calibrate((lead, 1, number, 8))) for number in range(3)])
    assert results.counts.calibration == full
    assert full.system > 0.2
    kept = Kept(tmp_path / "out" / "runs.jsonl")
    generator = Generator(protocol, lead, MixedWorld(), full, 1)
    prefix = key_of(source_key(generator))
    cell = next(grid.cells())
    here, there = run_study(Run(generator, cell, 0)).plain(), kept[f"{prefix}/{cell.name}/0"]
    assert {**here, "run_s": 0} == {**there, "run_s": 0}
    large = question_of(replace(ask, grid=Grid((4,), (8,), (Usefulness(0.95, 0.95),), 2)))
    with pytest.raises(UserError, match="name an effect within"):
        run_power(large, tmp_path / "out", Workers(1))
