"""The plan of a lead's session: what comes, in which order, and what is refused."""

from dataclasses import replace

import pytest

from participants.lists import Assignment
from participants.session import (
    Break,
    Page,
)
from participants.studies.accept_reject.plan import (
    decision_keys,
    plan_session,
)
from participants.studies.accept_reject.shown import example_pages, shown_by
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.studies.accept_reject.lists import list_places
from tests.participants.studies.accept_reject.packs import (
    bare_pack,
    plan_of,
    protocol_of,
    tiny_protocol,
    tiny_sketch,
)


def test_a_visible_cutoff_bounds_every_plate_and_a_page_says_so():
    plan = plan_of(bare_pack(trial={"cutoff_mode": "visible", "cutoff_s": 2.5}))
    assert {trial.exposure_s for trial in plan.trials} == {2.5}
    (page,) = (step for step in plan.steps if step.step == "exposure")
    assert page.values == {"seconds": "2.5"}
    internal = plan_of(bare_pack())
    assert {trial.exposure_s for trial in internal.trials} == {None}
    assert "exposure" not in {step.step for step in internal.steps}


def example_steps(order):
    plan = plan_of(tiny_sketch(), order)
    return [step for step in plan.steps if isinstance(step, Page) and step.figure is not None]


def test_one_worked_example_has_an_outline_and_one_has_none():
    accepted, rejected = example_steps("with_first")
    assert accepted.text == "example_accept_outlined"
    assert accepted.figure.region_file is not None
    assert rejected.text == "example_reject"
    assert rejected.figure.region_file is None


def test_who_is_never_shown_an_outline_has_none_in_the_examples():
    shown = shown_by(tiny_sketch(), tiny_protocol(), sorted(list_places(tiny_sketch()))[0])
    pages = example_pages(shown)
    assert [page.text for page in pages] == ["example_accept", "example_reject"]
    assert all(page.figure.region_file is None for page in pages)


def test_the_order_says_which_run_comes_first():
    """Runs are numbered as they come; presentations are the list's, in its order."""
    without, explained = plan_of(bare_pack()), plan_of(bare_pack(), "with_first")
    main = [trial for trial in without.trials if trial.phase == "main"]
    swapped = [trial for trial in explained.trials if trial.phase == "main"]
    assert [trial.presentation[2] for trial in main] == ["1"] * 6 + ["2"] * 6
    assert [trial.presentation[2] for trial in swapped] == ["2"] * 6 + ["1"] * 6
    for trials in (main, swapped):
        assert [trial.run for trial in trials] == [1] * 6 + [2] * 6
        assert [trial.position for trial in trials] == [1, 2, 3, 4, 5, 6] * 2
        assert [trial.presentation[3:] for trial in trials] == [f"{k:03d}" for k in range(1, 7)] * 2


def test_no_lead_sees_a_plate_twice():
    """Over runs, practice and worked examples, on a composed pack, for every list and order."""
    pack = tiny_sketch()
    for name in list_places(pack):
        for order in ("without_first", "with_first"):
            plan = plan_session(pack, Assignment(name, order), "en", "P")
            plates = [trial.stimulus.plate_file for trial in plan.trials]
            plates += [
                page.figure.plate_file for page in plan.steps if isinstance(page, Page)
                if page.figure is not None
            ]  # fmt: skip
            assert len(set(plates)) == len(plates)


def test_sides_are_counterbalanced_over_leads():
    """The side is fixed for a lead, and even over leads (binomial, 6 SD)."""
    f_accepts = {"accept": "f", "reject": "j"}
    protocol = protocol_of()
    left = [decision_keys(protocol, "pack", f"P{k}") == f_accepts for k in range(1000)]
    assert abs(sum(left) - 500) < 6 * 250**0.5
    assert decision_keys(protocol, "pack", "P1") == decision_keys(protocol, "pack", "P1")
    plan = plan_of(bare_pack(), participant="P3")
    assert set(plan.keys) == {"accept", "reject"}
    assert set(plan.keys.values()) == {"f", "j"}


def test_breaks_come_after_every_so_many_trials_and_a_long_one_between_runs():
    plan = plan_of(bare_pack(session={"break_every_trials": 2, "between_runs_s": 7.0}))
    breaks = [step for step in plan.steps if isinstance(step, Break)]
    assert [(rest.done, rest.total) for rest in breaks] == [
        (2, 12), (4, 12), (6, 12), (8, 12), (10, 12),
    ]  # fmt: skip
    assert [rest.minimum_s for rest in breaks] == [0, 0, 7.0, 0, 0]


def reading(pack: Pack) -> tuple[Pack, list[str]]:
    read: list[str] = []

    def read_asset(path: str) -> bytes:
        read.append(path)
        return pack.read_asset(path)

    return Pack(pack.manifest, read_asset), read


def test_the_key_stays_shut_without_feedback_and_serves_practice_alone():
    pack, read = reading(bare_pack(practice=0))
    plan = plan_of(pack)
    assert "key.csv" not in read
    assert all(trial.expected is None for trial in plan.trials)
    plan = plan_of(bare_pack(practice=8))
    practice = [trial for trial in plan.trials if trial.phase == "practice"]
    assert len(practice) == 6  # two became worked examples
    assert sorted(t.expected for t in practice) == ["accept"] * 3 + ["reject"] * 3
    assert all(t.expected is None for t in plan.trials if t.phase == "main")


@pytest.mark.parametrize(
    ("pack", "list_id", "order", "language", "says"),
    [
        (bare_pack(), "l9", "with_first", "en", "l9"),
        (bare_pack(), "l0", "sideways", "en", "sideways"),
        (bare_pack(), "l0", "with_first", "tlh", "tlh"),
    ],
)
def test_what_is_not_offered_is_refused_in_one_line(pack, list_id, order, language, says):
    with pytest.raises(UserError, match=says) as refused:
        plan_session(pack, Assignment(list_id, order), language, "P")
    assert "\n" not in str(refused.value)


def test_a_pack_for_experts_is_refused():
    pack = bare_pack()
    tasks = Pack(replace(pack.manifest, kind="tasks"), pack.read_asset)
    with pytest.raises(UserError, match="tasks"):
        plan_session(tasks, Assignment("l0", "with_first"), "en", "P")


def test_a_given_side_decides_where_acceptance_lies():
    pack = bare_pack()
    for side, keys in (("left", ["f", "j"]), ("right", ["j", "f"])):
        plan = plan_session(pack, Assignment("l0", "with_first", side), "en", "P")
        assert [plan.keys[decision] for decision in ("accept", "reject")] == keys


def test_seconds_are_told_as_the_language_writes_them():
    pack = bare_pack(trial={"cutoff_mode": "visible", "cutoff_s": 2.5})
    plan = plan_session(pack, Assignment(sorted(list_places(pack))[0], "with_first"), "de", "P")
    (page,) = (step for step in plan.steps if step.step == "exposure")
    assert page.values == {"seconds": "2,5"}


def test_mouse_sides_are_buttons():
    mouse = protocol_of(session={"device": "mouse"})
    assert set(decision_keys(mouse, "pack", "P").values()) == {"left", "right"}
