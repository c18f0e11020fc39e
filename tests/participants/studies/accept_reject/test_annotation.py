"""An expert's session without a window: its plan, its record, its tables and map sets."""

import json

import numpy as np
import pytest
from PIL import Image

from participants.dataset.derive import write_tables
from participants.dataset.map_sets import gather, write_gathered
from participants.dataset.table_files import read_table
from participants.journal import read_journal
from participants.journal.storage import CHAIN, FIRST_LINK, line_text, link
from participants.session import Break, StrokeTask, withdrawal_in
from participants.strokes import act_from, map_of, mask_of
from participants.studies.accept_reject.annotation import (
    CONTROLS,
    painting_fits,
    plan_annotation,
    refusal,
)
from participants.studies.accept_reject.expert_sessions import expert_sessions
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.map_set import read_map_set
from stimuli.studies.accept_reject.shares import expert_places
from stimuli.studies.accept_reject.tables import TASKS
from tests.participants.studies.accept_reject.experts import (
    USES,
    ScriptedExpert,
    annotate,
    read_annotations,
    read_experts,
    task_pack,
)
from tests.participants.studies.accept_reject.packs import bare_pack


@pytest.fixture(scope="module")
def pack():
    return task_pack(session={"break_every_trials": 5})


def tasks_of(plan, phase):
    return [step for step in plan.steps if isinstance(step, StrokeTask) and step.phase == phase]


def test_every_plate_comes_once_and_none_that_is_a_control_of_leads(pack):
    plan = plan_annotation(pack, None, "en", "AAAAA")
    items = [step.item for step in plan.steps if isinstance(step, StrokeTask)]
    assert len(set(items)) == len(items)
    uses = [item.split("-")[1] for item in items]
    assert {use: uses.count(use) for use in set(uses)} == {
        "main": 6, "expert_no_numeral": 6, "expert_high_contrast": 2, "practice": 3,
    }  # fmt: skip
    steps = [step.step for step in plan.steps]
    assert len(set(steps)) == len(steps)


def test_practice_ends_with_a_blank_plate_and_alone_tells_what_is_right(pack):
    plan = plan_annotation(pack, None, "en", "AAAAA")
    assert [task.right_label for task in tasks_of(plan, "practice")] == ["7", "7", "7", NO_SOLUTION]
    assert {task.right_label for task in tasks_of(plan, "main")} == {None}


def test_the_order_is_each_experts_own_and_mixes_controls_in(pack):
    first, again, other = (
        [task.item for task in tasks_of(plan_annotation(pack, None, "en", code), "main")]
        for code in ("AAAAA", "AAAAA", "BBBBB")
    )
    assert first == again
    assert first != other
    assert {item for item in first if "expert" in item} == {
        item for item in other if "expert" in item
    } or len(first) == len(other)
    assert not all("main" in item for item in first[:6])


def test_plates_are_shown_on_the_experts_axis_and_rung_and_known_digits_at_the_top():
    low = task_pack(experts={"axis": "protan", "rung": 3})
    for task in tasks_of(plan_annotation(low, None, "en", "AAAAA"), "main"):
        top = task.item.startswith("i-expert_high_contrast")
        shown = task.stimulus
        assert (shown.axis, shown.rung) == ("protan", 8 if top else 3)
        assert shown.contrast == (0.0970 if top else 0.0256)


def test_a_painting_fits_if_it_covers_the_numeral_and_little_else():
    figure = np.zeros((112, 112), dtype=bool)
    figure[20:90, 50:60] = True
    fine = np.zeros((256, 256), dtype=bool)
    fine[46:206, 112:140] = True
    thin = np.zeros_like(fine)
    thin[46:206, 122:130] = True
    scribble = np.zeros_like(fine)
    scribble[10:30, 10:200] = True
    a_dot = np.zeros_like(fine)
    a_dot[100:110, 115:125] = True
    everything = np.ones_like(fine)
    tried = (fine, thin, scribble, a_dot, everything)
    assert [painting_fits(painted, figure) for painted in tried] == [True, True, *[False] * 3]
    assert not painting_fits(np.zeros_like(fine), figure)


def test_a_pack_of_solutions_is_refused():
    with pytest.raises(UserError, match="an expert's session needs tasks of accept_reject"):
        plan_annotation(bare_pack(), None, "en", "AAAAA")
    with pytest.raises(UserError, match="language 'fr'"):
        plan_annotation(task_pack(), None, "fr", "AAAAA")


@pytest.mark.parametrize(
    ("label", "painted", "reason"),
    [
        (None, False, "no_answer"),
        (None, True, "no_answer"),
        ("0", False, "nothing_painted"),
        ("0", True, None),
        (NO_SOLUTION, True, "painted_without_solution"),
        (NO_SOLUTION, False, None),
    ],
)
def test_a_digit_needs_a_painting_and_no_solution_must_have_none(label, painted, reason):
    assert refusal(label, painted) == reason


def test_a_session_that_was_stopped_goes_on_with_the_plate_it_was_at(data, pack):
    annotate(data, pack, expert=ScriptedExpert(stop_before=7))
    annotate(data, pack)
    journal = read_journal(data.session("s-CDF34HK").journal)
    assert journal.complete
    assert [end["trial"] for end in journal.of("trial_end")] == list(range(1, 18))
    assert [event["resumed"] for event in journal.of("session")] == [False, True]


def test_a_mask_can_be_made_anew_from_the_journal(data, pack):
    annotate(data, pack)
    (expert,), _ = expert_sessions(data)
    ends = {e["item"]: e for e in read_journal(data.session("s-CDF34HK").journal).of("trial_end")}
    for plate in expert.plates:
        acts = [act_from(document) for document in ends[plate.item]["acts"]]
        assert np.array_equal(plate.mask, mask_of(acts))
        assert plate.area == pytest.approx(plate.mask.sum() / 51468, abs=0.001)
        assert plate.mask.any() == (plate.label != NO_SOLUTION)


def test_acts_that_lead_to_another_mask_are_noticed(data, pack):
    """As if the rule from strokes to mask had changed since; other experts stay in."""
    annotate(data, pack)
    annotate(data, pack, "GHK56MN")
    path = data.session("s-CDF34HK").journal
    chain, lines = FIRST_LINK, []
    for text in path.read_bytes().splitlines():
        line = json.loads(text)
        line.pop(CHAIN)
        if line["event"] == "trial_end" and line["acts"]:
            line["acts"][0]["radius"] = 84
            line["acts"].pop(1)
        chain = link(chain, line)
        lines.append(line_text({**line, CHAIN: chain}))
    path.write_bytes(b"".join(lines))
    expert = next(e for e in expert_sessions(data)[0] if e.participant == "CDF34HK")
    with pytest.raises(UserError, match="is not the one that was on screen"):
        [plate.mask for plate in expert.plates]
    gathered = gather(data)
    assert [expert.participant for expert in gathered.experts] == ["GHK56MN"]
    assert "not the one that was on screen" in gathered.left_out["s-CDF34HK"]
    write_tables(data, "accept_reject")
    assert {row["participant"] for row in read_annotations(data)} == {"GHK56MN"}


def test_tables_hold_every_answer_and_every_experts_record(data, pack):
    annotate(data, pack, "CDF34HK")
    annotate(data, pack, "GHK56MN", ScriptedExpert(blind=True), purpose="robot", robot="expert")
    write_tables(data, "accept_reject")
    rows, experts = read_annotations(data), read_experts(data)
    assert len(rows) == 26
    assert {row["use"] for row in rows} == {"main", *CONTROLS}
    for row in rows:
        assert (row["region_file"] is None) == (row["label"] == NO_SOLUTION)
    good, blind = experts
    assert (good["controls"], good["controls_right"], good["failed"]) == (7, 7, False)
    assert (blind["controls"], blind["controls_right"], blind["failed"]) == (7, 2, True)
    assert (blind["robot"], good["robot"]) == ("expert", None)
    assert read_table(data, "accept_reject", "trials") == []


def test_paintings_lie_beside_the_table_once_and_go_with_their_session(data, pack):
    annotate(data, pack, "CDF34HK")
    write_tables(data, "accept_reject")
    row = next(row for row in read_annotations(data) if row["region_file"])
    path = data.tables / row["region_file"]
    (expert,), _ = expert_sessions(data)
    mask = next(plate.mask for plate in expert.plates if plate.item == row["item"])
    assert np.array_equal(np.asarray(Image.open(path)) > 0, mask)
    before = path.stat().st_mtime_ns
    write_tables(data, "accept_reject")
    assert path.stat().st_mtime_ns == before
    (data.tables / "regions" / "of-nobody.png").write_bytes(b"x")
    write_tables(data, "accept_reject")
    assert not (data.tables / "regions" / "of-nobody.png").exists()


def test_a_map_set_of_several_experts(data, pack, tmp_path):
    for code in ("CDF34HK", "GHK56MN"):
        annotate(data, pack, code)
    gathered = gather(data)
    write_gathered(tmp_path / "maps", gathered)
    maps = read_map_set(tmp_path / "maps")
    assert {record.solver_id for record in maps.records} == {"CDF34HK", "GHK56MN"}
    assert len(maps.records) == 26
    uses = [(str(row["item"]), str(row["use"])) for row in pack.table(TASKS)]
    places = expert_places(pack.protocol, uses)
    for record in maps.records:
        assert (record.source, record.method) == ("expert", "painting")
        assert (record.origin, record.origin_note) == ("people", record.solver_id)
        place = places[record.item]
        assert (record.axis, record.rung, record.rt_s) == (place.axis, place.rung, 1.25)
        assert (record.map in maps.maps) == (record.answer != NO_SOLUTION)
    expert = gathered.experts[0]
    plate = next(plate for plate in expert.plates if plate.label != NO_SOLUTION)
    painted = maps.maps[f"{expert.participant}-{plate.item}"]
    assert np.array_equal(painted, map_of(plate.mask))


def test_who_failed_the_controls_or_did_not_finish_is_left_out_and_named(data, pack):
    annotate(data, pack, "CDF34HK")
    annotate(data, pack, "GHK56MN", ScriptedExpert(blind=True))
    annotate(data, pack, "KLM78PQ", ScriptedExpert(stop_before=9))
    gathered = gather(data)
    assert [expert.participant for expert in gathered.experts] == ["CDF34HK"]
    why = gathered.left_out["s-GHK56MN"]
    assert "GHK56MN answered 2 of 7 controls rightly, fewer than 70 %" in why
    assert "not complete" in gathered.left_out["s-KLM78PQ"]
    kept = gather(data, keep_failed=True)
    assert [expert.participant for expert in kept.experts] == ["CDF34HK", "GHK56MN"]


def test_who_withdraws_at_the_end_is_in_no_table_and_no_map_set(data, pack):
    annotate(data, pack, "CDF34HK")
    annotate(data, pack, "GHK56MN", ScriptedExpert(withdraws=True))
    journal = read_journal(data.session("s-GHK56MN").journal)
    assert journal.complete
    assert [page["step"] for page in journal.of("page")][-1] == "withdrawn"
    assert withdrawal_in(journal) is not None
    assert write_tables(data, "accept_reject").withdrawn == ("s-GHK56MN",)
    assert {row["participant"] for row in read_annotations(data)} == {"CDF34HK"}
    assert {row["participant"] for row in read_experts(data)} == {"CDF34HK"}
    assert not list(data.tables.glob("regions/GHK56MN*"))
    assert [expert.participant for expert in gather(data).experts] == ["CDF34HK"]


def test_tables_written_before_the_only_expert_withdrew_are_emptied(data, pack):
    annotate(data, pack, expert=ScriptedExpert(stop_before=9))
    write_tables(data, "accept_reject")
    assert read_annotations(data)
    annotate(data, pack, expert=ScriptedExpert(withdraws=True))
    write_tables(data, "accept_reject")
    assert read_annotations(data) == read_experts(data) == []
    assert not list(data.tables.glob("regions/*"))
    with pytest.raises(UserError, match="contains no expert's session"):
        gather(data)


def test_robots_never_mix_with_people(data, pack):
    annotate(data, pack, "CDF34HK", purpose="robot", robot="expert")
    assert gather(data).purpose == "robot"
    annotate(data, pack, "GHK56MN")
    assert [e.participant for e in gather(data).experts] == ["GHK56MN"]
    assert [e.participant for e in gather(data, purpose="robot").experts] == ["CDF34HK"]
    with pytest.raises(UserError, match="of purpose pilot; there are: 1 of main, 1 of robot"):
        gather(data, purpose="pilot")
    records = gather(data, purpose="robot").map_set.records
    assert {record.solver_id for record in records} == {"robot-CDF34HK"}


def test_paintings_of_several_packs_are_told_apart(data, pack):
    other = task_pack(uses=USES | {"main": 7})
    annotate(data, pack, "CDF34HK")
    annotate(data, other, "GHK56MN")
    with pytest.raises(UserError, match=r"several packs .* choose by --pack"):
        gather(data)
    chosen = gather(data, pack_id=other.pack_id[:20])
    assert [expert.participant for expert in chosen.experts] == ["GHK56MN"]
    with pytest.raises(UserError, match="no expert painted that"):
        gather(data, pack_id="nothing")


def test_blank_controls_are_not_spent_on_practice_where_there_are_few():
    few = task_pack(uses=USES | {"expert_no_numeral": 4})
    plan = plan_annotation(few, None, "en", "A")
    assert all("practice" in task.item for task in tasks_of(plan, "practice"))


def test_the_consent_tells_how_long_it_takes(pack):
    """17 plates of half a minute each, in whole fives of minutes."""
    consent = plan_annotation(pack, None, "en", "AAAAA").steps[0]
    assert consent.values == {"plates": "13", "minutes": "10"}
    slow = task_pack(experts={"expected_plate_s": 60.0})
    assert plan_annotation(slow, None, "en", "AAAAA").steps[0].values["minutes"] == "20"


def test_every_plate_knows_which_of_how_many_it_is(pack):
    plan = plan_annotation(pack, None, "en", "AAAAA")
    for phase, total in (("practice", 4), ("main", 13)):
        places = [(task.position, task.total) for task in tasks_of(plan, phase)]
        assert places == [(number, total) for number in range(1, total + 1)]


def test_breaks_come_after_every_so_many_plates(pack):
    plan = plan_annotation(pack, None, "en", "AAAAA")
    assert [(step.done, step.total) for step in plan.steps if isinstance(step, Break)] == [
        (5, 13), (10, 13),
    ]  # fmt: skip


def test_practice_alone_is_followed_by_feedback(data, pack):
    expert = annotate(data, pack)
    assert [label == right for _, label, right in expert.fed_back] == [True] * 4


def test_a_damaged_session_keeps_no_other_out(data, pack):
    annotate(data, pack, "CDF34HK")
    annotate(data, pack, "GHK56MN")
    journal = data.session("s-GHK56MN").journal
    journal.write_bytes(journal.read_bytes().replace(b'"7"', b'"3"', 1))
    gathered = gather(data)
    assert [expert.participant for expert in gathered.experts] == ["CDF34HK"]
    (why,) = gathered.suspect
    assert "s-GHK56MN" in why
    assert "was changed" in why
