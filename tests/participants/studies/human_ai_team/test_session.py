"""A participant's session: its parts and their order, resuming anywhere, who qualifies."""

from collections import Counter

import pytest

from participants.session import (
    Break,
    Consent,
    Later,
    Page,
    Qualification,
    Question,
)
from participants.session.feedback import Feedback
from participants.studies.human_ai_team.trial import Judgement, PriorQuestion
from participants.study import session_kind_of
from participants.texts import load_text, named_sources
from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import help_kind
from stimuli.studies.human_ai_team.tables import KEY, LISTS
from tests.participants.studies.human_ai_team.taken import (
    ALL_ASKED,
    ARMS,
    of,
    pack_of,
    plan_of,
    taken,
)


def kinds(plan, trial):
    """Return the kinds of a trial's parts, in order."""
    return [
        getattr(step, "stage", type(step).__name__.lower())
        for step in plan.steps
        if step.step.endswith(f"-{trial:04d}") and not isinstance(step, Break)
    ]


def judgements(plan):
    return [step for step in plan.steps if isinstance(step, Judgement)]


def test_the_published_session_has_its_parts_in_order():
    pack = pack_of()
    plan = plan_of(pack)
    steps = [step.step for step in plan.steps]
    assert steps[:3] == ["consent", "instructions", "prior"]
    assert steps[-2:] == ["consent_renewed", "end"]
    assert [one.phase for one in judgements(plan)] == (
        ["practice"] * 2 + ["validation"] * 4 + ["main"] * 6
    )
    assert kinds(plan, 1) == ["prior", "only", "feedback"]
    assert kinds(plan, 3) == kinds(plan, 7) == ["prior", "only"]
    assert steps.index("trial-0006") < steps.index("qualification") < steps.index("prior-0007")
    listed = sorted(
        (row for row in pack.table(LISTS) if row["list"] == "sheet-01"),
        key=lambda row: row["position"],
    )
    assert [one.presentation for one in judgements(plan)] == [row["presentation"] for row in listed]
    assert len(set(steps)) == len(steps)
    assert plan.keys == {"yes": "f", "no": "j"}
    assert plan_of(pack, side="right").keys == {"yes": "j", "no": "f"}


def test_the_right_answers_of_the_sheet_are_not_read():
    """Practice and validation are known to the plan, which judges them; nothing else is."""
    pack = pack_of()
    plan = plan_of(pack)
    (look,) = (step for step in plan.steps if isinstance(step, Qualification))
    right = {row["presentation"]: row["ai_correct"] for row in pack.table(KEY)}
    for one in judgements(plan):
        end = {"trial": one.trial, "presentation": one.presentation, "decision": "yes"}
        if one.phase == "validation":
            assert look.right(end) is right[one.presentation]
        else:
            assert one.trial not in look.trials
    told = [step for step in plan.steps if isinstance(step, Feedback)]
    assert [step.expected for step in told] == [
        "yes" if right[one.presentation] else "no" for one in judgements(plan)[:2]
    ]


@pytest.mark.parametrize("arm", ARMS)
def test_every_part_shows_what_it_may(arm):
    plan = plan_of(pack_of(question=ALL_ASKED), arm)
    sort = help_kind(arm)
    two = arm != "human_alone"
    assert kinds(plan, 1) == [
        "prior", *(["own", "final"] if two else ["only"]), "question", "feedback",
    ]  # fmt: skip
    for one in judgements(plan):
        shown = one.stimulus
        advised = one.stage == "final"
        assert (shown.confidence_percent is not None) is advised
        assert len(shown.help_files) == {"heatmap": 1, "examples": 3}.get(sort, 0) * advised
        assert (shown.help_text is not None) is (advised and sort == "text")
        assert shown.arm == arm
    for prior in (step for step in plan.steps if isinstance(step, PriorQuestion)):
        assert prior.stimulus.label_name
        assert len(prior.stimulus.sample_files) == 3


@pytest.mark.parametrize(
    ("when", "later"),
    [("at_once", None), ("after_delay", Later(after_s=2.0)), ("on_demand", Later(key="h"))],
)
def test_help_comes_when_the_protocol_says(when, later):
    pack = pack_of(help={"when": when})
    assert {one.later for one in judgements(plan_of(pack))} == {later}
    assert {one.later for one in judgements(plan_of(pack, "confidence"))} == {None}
    events = taken(plan_of(pack), pack)
    for shown, end in zip(of(events, "help_shown"), of(events, "trial_end"), strict=False):
        came_s = shown.t_monotonic_s - end["onset_t_monotonic_s"]
        assert came_s == pytest.approx(end["help_shown_s"], abs=1e-6)
        assert 0 < came_s < end["rt_s"]
    assert len(of(events, "help_shown")) == (0 if later is None else 12)
    hasty = of(taken(plan_of(pack), pack, "undertrusting"), "help_shown")
    assert len(hasty) < 12


@pytest.mark.parametrize(
    "changes",
    [
        {"question": ALL_ASKED},
        {"validation": {"placed": "mixed"}, "help": {"when": "on_demand"}},
        {"prior": {"asked": False}, "validation": {"then": "end"}},
    ],
)
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_session_that_is_cut_off_anywhere_asks_for_nothing_twice(changes, stride):
    """Cut after an event: all is answered once, as without the cut."""
    pack = pack_of(**changes)
    plan = plan_of(pack)
    whole = taken(plan, pack, "careless")
    told = [(end["trial"], end["decision"]) for end in of(whole, "trial_end")]
    for cut in range(1, len(whole) - 1, stride):
        events = taken(plan, pack, "careless", before=whole[:cut])
        assert [(end["trial"], end["decision"]) for end in of(events, "trial_end")] == told
        for kind in ("own_end", "prior_end", "qualification"):
            assert len(of(events, kind)) == len(of(whole, kind))
        asked = Counter(event["step"] for event in of(events, "answer"))
        assert asked == Counter(event["step"] for event in of(whole, "answer"))


def test_feedback_after_an_interruption_is_on_what_was_answered():
    """The rating stood between; the answer is in the journal."""
    pack = pack_of(question={"confidence_steps": 4})
    plan = plan_of(pack)
    told = []

    class Listening:
        def feedback(self, shown):
            told.append((shown.decision, shown.right))

    step = next(step for step in plan.steps if isinstance(step, Feedback))
    for decision in ("yes", "no"):
        ends = [{"trial": step.about, "decision": decision, "rt_s": 2.5}]
        step.perform(Listening(), type("Ends", (), {"ends": ends})())
    assert sorted(told) == [("no", step.expected == "no"), ("yes", step.expected == "yes")]


@pytest.mark.parametrize("then", ["go_on", "end"])
def test_who_fails_validation_goes_on_or_comes_to_the_debrief(then):
    pack = pack_of(validation={"then": then})
    for robot, qualifies in (("careful", True), ("yes_sayer", False)):
        events = taken(plan_of(pack), pack, robot)
        (look,) = of(events, "qualification")
        assert (look["trials"], look["needed"], look["qualified"]) == (4, 4, qualifies)
        assert look["right"] == (4 if qualifies else 2)
        phases = [end["phase"] for end in of(events, "trial_end")]
        assert phases.count("main") == (6 if qualifies or then == "go_on" else 0)
        assert "debrief" in {page["step"] for page in of(events, "page")}
        assert events[-1]["complete"]


def test_mixed_validation_is_looked_back_at_after_the_last_image():
    pack = pack_of(validation={"placed": "mixed"})
    plan = plan_of(pack)
    phases = [one.phase for one in judgements(plan)][2:]
    assert sorted(phases) == ["main"] * 6 + ["validation"] * 4
    assert phases != sorted(phases, reverse=True)
    steps = [step.step for step in plan.steps]
    assert steps.index("qualification") == steps.index("trial-0012") + 1
    (look,) = of(taken(plan, pack), "qualification")
    assert (look["right"], look["qualified"]) == (4, True)


def test_what_a_pack_does_not_offer_is_refused_in_one_line():
    pack = pack_of()
    with pytest.raises(UserError, match="no list 'sheet-99'"):
        plan_of(pack, sheet="sheet-99")
    with pytest.raises(UserError, match="order 'lime': is not confidence or gradcam"):
        plan_of(pack, "lime")
    with pytest.raises(UserError, match="language 'fr'"):
        plan_of(pack, language="fr")
    assert session_kind_of(pack).orders(pack.protocol) == ARMS


def pages_before_the_debrief(plan):
    steps = [step for step in plan.steps if isinstance(step, Page | Consent)]
    names = [step.step for step in steps]
    return steps[: names.index("debrief")]


@pytest.mark.parametrize("language", ["en", "de"])
def test_who_judges_alone_is_not_told_of_an_ai(language):
    plan = plan_of(pack_of(question=ALL_ASKED), "human_alone", language)
    assert "check_sure" not in str(plan.steps)
    read = [
        load_text(plan.study, language, step.text).markdown
        for step in pages_before_the_debrief(plan)
    ]
    assert [named_sources(text, language) for text in read] == [[]] * len(read)


@pytest.mark.parametrize("arm", ARMS)
def test_nobody_is_asked_about_help_that_was_not_there(arm):
    plan = plan_of(pack_of(), arm)
    (asked,) = (s for s in plan.steps if isinstance(s, Question) and s.question == "relied_on")
    assert ("help" in asked.choices) is (help_kind(arm) != "none")
    assert ("confidence" in asked.choices) is (arm != "human_alone")


def test_nobody_is_judged_where_there_is_no_validation():
    changes = {"trials": 0, "right_trials": 0, "pass_right": 0}
    plan = plan_of(pack_of(validation=changes))
    assert not any(isinstance(step, Qualification) for step in plan.steps)
    assert "debrief_checks" not in {step.step for step in plan.steps}
