"""What robots do must be what they were made to do: the truth that an analysis must find."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from participants.lists import Assignment
from participants.robots.choosing import WHOLE
from participants.studies.accept_reject.plan import plan_session
from participants.studies.accept_reject.robots.expert import PAINTING_PX, annotate, figure_area
from participants.studies.accept_reject.robots.leads import (
    ROBOTS,
    USUAL,
    RobotParticipant,
    belief_in,
    nearest_rung,
    robot_rung,
)
from participants.studies.accept_reject.robots.percept import (
    PlatePercept,
    agreement,
    guided,
    joined,
    look_times,
)
from stimuli.images.digits import load_digits
from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.relevance import region_bytes, region_from_bytes
from stimuli.pack import Pack
from stimuli.plates.masks import digit_mask, no_numeral_mask
from stimuli.plates.observer import ShownPlate
from stimuli.plates.plate import make_plate
from stimuli.plates.spec import PlateSpec
from stimuli.plates.templates import digits_in_mind
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.protocol import Shares
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import KEY
from tests.participants.studies.accept_reject.packs import bare_pack, tiny_protocol, tiny_sketch

CUTOFF_S = 3.0


def rng_of(seed):
    return np.random.Generator(np.random.PCG64(seed))


def trials_of(pack, rung=1):
    name = next(name for name, place in list_places(pack).items() if place == ("deutan", rung))
    plan = plan_session(pack, Assignment(name, "without_first"), "en", "P")
    return [trial for trial in plan.trials if trial.phase == "main"]


def right_explained(pack):
    """Main trials of S and E with a right digit and an explanation."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    return [
        trial
        for trial in trials_of(pack)
        if trial.stimulus.region_file is not None
        and key[trial.presentation]["solver"] in ("S", "E")
        and key[trial.presentation]["true_label"] == trial.stimulus.shown_label
    ]


def bare(trial):
    return replace(trial, stimulus=replace(trial.stimulus, region_file=None))


def in_time(robot, trials):
    answers = [robot.answer(trial) for trial in trials]
    return [a.decision == "accept" and a.rt_s <= CUTOFF_S for a in answers]


@cache
def accepted_explained(name, individuals):
    """Which plates each individual accepts in time, with their explanations."""
    trials = right_explained(tiny_sketch())
    robots = (RobotParticipant.of(name, tiny_sketch(), f"P{k}", 1) for k in range(individuals))
    return [accepted for robot in robots for accepted in in_time(robot, trials)]


def rates(name, individuals):
    """Acceptance in time of the same plates without and with their explanations."""
    pack = tiny_sketch()
    trials = [bare(trial) for trial in right_explained(pack)]
    without = []
    for number in range(individuals):
        without += in_time(RobotParticipant.of(name, pack, f"P{number}", 1), trials)
    explained = accepted_explained(name, individuals)
    return np.mean(without), np.mean(explained), len(explained)


def test_the_lead_profits_from_an_explanation():
    without, explained, count = rates("lead", 4)
    se = np.sqrt(0.25 * 2 / count)
    assert explained - without > 2 * se
    assert 0.1 < without < 0.6


@pytest.mark.slow
def test_a_misplaced_explanation_is_worth_less_than_a_right_one():
    """The same plates and looks; the regions turned by a quarter, of equal area."""

    def turned(path):
        content = tiny_sketch().read_asset(path)
        if not path.startswith("assets/regions/"):
            return content
        return region_bytes(np.rot90(region_from_bytes(content)))

    pack = Pack(tiny_sketch().manifest, turned)
    trials = right_explained(tiny_sketch())
    robots = [RobotParticipant.of("lead", pack, f"P{k}", 1) for k in range(4)]
    wrong = np.mean([x for robot in robots for x in in_time(robot, trials)])
    assert np.mean(accepted_explained("lead", 4)) > wrong + 0.1


def test_an_explanation_guides_by_how_well_it_agrees_with_the_numeral():
    """Perfect: fully; unrelated or opposite: not at all."""
    half = np.arange(1000) % 2 == 0
    other = np.arange(1000) % 4 < 2
    observer = ROBOTS["lead"].observer
    assert guided(observer, agreement(half, half)).guidance == pytest.approx(observer.guidance)
    assert guided(observer, agreement(half, ~half)).guidance == 1
    assert guided(observer, agreement(half, other)).guidance == pytest.approx(1)
    assert agreement(half, np.zeros(1000, bool)) == 0


def many_without_a_numeral(outline):
    shares = dict.fromkeys(("right_digit", "wrong_digit", "high_contrast", "no_solution"), 0.0)
    solutions = tiny_protocol().solutions.model_copy(
        update={"shares": Shares(S=0.2, E=0.2, no_numeral=0.6, **shares), "practice_trials": 0}
    )
    drawn = tiny_protocol().explanation.model_copy(update={"outline": outline})
    return tiny_protocol().model_copy(update={"solutions": solutions, "explanation": drawn})


@pytest.mark.slow
@pytest.mark.parametrize(("outline", "least", "lists"), [("free", 0.5, 4), ("discs", 0.15, 2)])
def test_the_contour_reader_accepts_digit_shaped_contours_on_plates_without_a_numeral(
    outline, least, lists
):
    """And hardly accepts the same plates when the contour is taken away. Discs tell less.

    How many discs tell varies from pack to pack: .23 to .54 in five.
    """
    pack = sketch(many_without_a_numeral(outline), [("deutan", 1)])
    key = {row["presentation"]: row for row in pack.table(KEY)}
    shaped = [
        trial
        for name in sorted(list_places(pack))[:lists]
        for trial in plan_session(pack, Assignment(name, "with_first"), "en", "P").trials
        if str(key[trial.presentation]["control_kind"]).startswith("no_numeral_")
    ]
    robots = [RobotParticipant.of("contour_reader", pack, f"P{k}", 1) for k in range(2)]
    with_contour = np.mean([x for robot in robots for x in in_time(robot, shaped)])
    without = np.mean([x for robot in robots for x in in_time(robot, [bare(t) for t in shaped])])
    lead = RobotParticipant.of("lead", pack, "P", 1)
    assert with_contour > least
    assert without < 0.25
    assert np.mean(in_time(lead, shaped)) <= 0.25


def test_lazy_accepts_all_and_random_half():
    trials = trials_of(tiny_sketch())
    lazy = RobotParticipant.of("lazy", tiny_sketch(), "P", 1)
    assert all(in_time(lazy, trials))
    coin = RobotParticipant.of("random", tiny_sketch(), "P", 1)
    accepted = sum(coin.answer(trial).decision == "accept" for trial in trials)
    assert abs(accepted - len(trials) / 2) < 4 * np.sqrt(len(trials)) / 2


def test_marks_that_lie_close_together_are_joined_and_others_are_not():
    rows, columns = np.indices((128, 128))
    dotted = np.zeros((128, 128), dtype=bool)
    for column in (30, 45, 100):
        dotted |= (rows - 64) ** 2 + (columns - column) ** 2 <= 5**2
    found = joined(dotted)
    assert (found >= dotted).all()
    assert found[64, 30:46].all()
    assert not found[64, 60:90].any()
    assert (joined(found) == found).all()


def a_percept(times_s, shown_belief, label=7):
    belief = np.repeat(((1 - shown_belief) / 10)[:, None], 11, axis=1)
    belief[:, label] = shown_belief
    return PlatePercept(np.asarray(times_s, dtype=float), belief, None)


@cache
def bare_trial():
    return plan_session(bare_pack(), Assignment("l0", "with_first"), "en", "P").trials[-1]


def shown_as(label, limit_s=30.0):
    trial = bare_trial()
    stimulus = replace(trial.stimulus, shown_label=label, region_file=None)
    return replace(trial, stimulus=stimulus, limit_s=limit_s)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(ROBOTS)), st.floats(0.05, 20), st.integers(0, 10**6), st.booleans())
def test_times_keep_the_limit(name, limit_s, seed, unsolved):
    """A decision has a time within the limit, no decision has none, whoever answers."""
    times_s = look_times(1.0, 30.0)
    percept = a_percept(times_s, np.linspace(0.09, 0.99, len(times_s)))
    percept = replace(percept, shape=np.full(10, 0.1))
    trial = shown_as(NO_SOLUTION if unsolved else "7", limit_s)
    response = ROBOTS[name].respond(trial, percept, rng_of(seed))
    if response.decision == "none":
        assert response.rt_s is None
    else:
        assert 0.1 <= response.rt_s <= limit_s


def test_a_lead_stops_at_the_first_sure_look():
    """Slow reference: the first look at which the belief passes either criterion."""
    times_s = look_times(1.0, 30.0)
    for seed in range(30):
        rng = rng_of(seed)
        belief = np.clip(np.cumsum(rng.normal(0, 0.05, len(times_s))) + 0.09, 1e-6, 1 - 1e-6)
        percept = a_percept(times_s, belief)
        ours = belief_in(7, percept)
        expected = 0.5 * belief / (0.5 * belief + 0.05 * (1 - belief))
        assert ours == pytest.approx(expected)
        first = next(
            (k for k, b in enumerate(ours) if b >= USUAL.accept_at or b <= USUAL.reject_at), None
        )
        answers = [ROBOTS["lead"].respond(shown_as("7"), percept, rng_of(k)) for k in range(40)]
        usual = max({a.decision for a in answers}, key=[a.decision for a in answers].count)
        sees = first is not None and times_s[first] < 5 and ours[first] >= USUAL.accept_at
        if first is None or times_s[first] < 5:
            assert usual == ("accept" if sees else "reject")
        if sees:
            accepted = [a.rt_s for a in answers if a.decision == "accept"]
            assert np.median(accepted) == pytest.approx(times_s[first] + 0.33, abs=0.15)


def test_a_solution_without_a_digit_is_rejected_by_who_keeps_the_guidelines():
    percept = a_percept([1.0, 2.0], np.array([0.99, 0.99]))
    for name in ("lead", "careful", "unaffected", "credulous", "dichromat", "contour_reader"):
        for seed in range(20):
            response = ROBOTS[name].respond(shown_as(NO_SOLUTION), percept, rng_of(seed))
            assert response.decision == "reject"


def test_whole_times_have_the_mean_of_an_ex_gaussian():
    """Mean mu + tau, variance sigma² + tau² (Luce 1986)."""
    rng = rng_of(1)
    times_s = np.array([WHOLE.draw(rng) for _ in range(20_000)])
    assert times_s.mean() == pytest.approx(0.65, abs=0.006)
    assert times_s.std() == pytest.approx(np.hypot(0.05, 0.15), abs=0.006)


def test_a_robot_answers_the_same_trial_alike_and_others_otherwise():
    trial = trials_of(tiny_sketch())[0]
    first, again = (RobotParticipant.of("lead", tiny_sketch(), "P", 1) for _ in range(2))
    assert first.answer(trial) == again.answer(trial)
    others = [RobotParticipant.of("lead", tiny_sketch(), f"P{k}", 1) for k in range(4)]
    assert len({robot.answer(trial).rt_s for robot in others}) == 4


def test_the_rung_is_the_nearest_to_the_target_among_those_there_are():
    reads = {1: 0.2, 2: 0.31, 3: 0.42, 4: 0.9}
    assert nearest_rung(tiny_protocol(), reads) == 2
    assert nearest_rung(tiny_protocol(), reads, {3, 4}) == 3
    assert robot_rung(tiny_sketch()) == 1


@given(st.sampled_from((0.4, 1.0, 1.2)), st.integers(13, 300))
@example(1.2, 16)
def test_looks_rise_from_the_latency_to_the_limit(latency_s, tenths):
    limit_s = tenths / 10
    times_s = look_times(latency_s, limit_s)
    assert (np.diff(times_s) > 0).all()
    assert times_s[0] > latency_s
    assert times_s[-1] == pytest.approx(limit_s)


@cache
def digits_of_uci():
    return digits_in_mind(load_digits("uci"))


def test_the_expert_reads_and_paints_where_the_numeral_is():
    """Right labels, and paintings that overlap the mask like a careful hand's."""
    spec, digits = PlateSpec(), load_digits("uci")
    right, overlaps = [], []
    for seed, index in enumerate(digits.held_out_indices[:10]):
        mask = digit_mask(digits.images[index], spec)
        plate = make_plate(mask, seed, seed, spec)
        shown = ShownPlate(plate, "deutan", 0.097, spec)
        answer = annotate(shown, rng_of(seed), digits_of_uci())
        right.append(answer.label == str(digits.labels[index]))
        step = len(mask) / PAINTING_PX
        at = ((np.arange(PAINTING_PX) + 0.5) * step).astype(int)
        truth, painted = mask[np.ix_(at, at)], answer.painting > 0
        overlaps.append((truth & painted).sum() / (truth | painted).sum())
        assert answer.painting.dtype == np.float32
        assert answer.painting.shape == (PAINTING_PX, PAINTING_PX)
        assert 0.5 < answer.rt_s < 22
    assert np.mean(right) >= 0.8
    assert 0.6 < np.median(overlaps) < 0.95


def test_the_expert_abstains_on_plates_without_a_numeral():
    spec = PlateSpec()
    plate = make_plate(no_numeral_mask(spec), 1, 1, spec)
    shown = ShownPlate(plate, "deutan", 0.097, spec)
    answer = annotate(shown, rng_of(1), digits_of_uci())
    assert (answer.label, answer.painting) == (NO_SOLUTION, None)
    assert not figure_area(plate).any()


@pytest.mark.slow
def test_an_explanation_leaves_the_unaffected_lead_as_it_is():
    without, explained, count = rates("unaffected", 2)
    assert abs(explained - without) < 3 * np.sqrt(0.25 * 2 / count)


@pytest.mark.slow
def test_a_careful_lead_takes_longer_and_accepts_less_that_is_wrong():
    """Both keep the guidelines; the same wrong digits, at any time."""
    pack = tiny_sketch()
    key = {row["presentation"]: row for row in pack.table(KEY)}
    wrong = [
        trial
        for trial in trials_of(pack)
        if str(key[trial.presentation]["control_kind"]).startswith("wrong_digit")
    ]
    accepted, times_s = {}, {}
    for name in ("lead", "careful"):
        robots = [RobotParticipant.of(name, pack, f"P{k}", 1) for k in range(3)]
        answers = [robot.answer(trial) for robot in robots for trial in wrong]
        accepted[name] = np.mean([answer.decision == "accept" for answer in answers])
        times_s[name] = np.median([answer.rt_s for answer in answers if answer.rt_s])
    assert accepted["careful"] < accepted["lead"]
    assert times_s["careful"] > times_s["lead"]


@pytest.mark.slow
def test_a_credulous_lead_accepts_wrong_digits_that_are_explained():
    """The same wrong digits with and without their explanation, in time."""
    pack = tiny_sketch()
    key = {row["presentation"]: row for row in pack.table(KEY)}
    wrong = [
        trial
        for trial in trials_of(pack)
        if str(key[trial.presentation]["control_kind"]).startswith("wrong_digit")
        and trial.stimulus.region_file is not None
    ]
    robots = [RobotParticipant.of("credulous", pack, f"P{k}", 1) for k in range(3)]
    with_, without = (
        np.mean([robot.answer(trial).decision == "accept" for robot in robots for trial in trials])
        for trials in (wrong, [bare(trial) for trial in wrong])
    )
    assert with_ > without + 0.1


def test_contrary_leads_decide_the_opposite_and_absent_ones_nothing():
    pack = tiny_sketch()
    sight, said = RobotParticipant.of("lead", pack, "P", 1).sight, []
    for trial in trials_of(pack)[:10]:
        percept = sight.percept(trial.stimulus, trial.longest_look_s, rng_of(0))
        kept, contrary, absent = (
            ROBOTS[name].respond(trial, percept, rng_of(1)).decision
            for name in ("lead", "contrary", "absent")
        )
        assert (kept, contrary) in (("accept", "reject"), ("reject", "accept"), ("none", "none"))
        assert absent == "none"
        said.append(contrary)
    assert {"accept", "reject"} <= set(said)
