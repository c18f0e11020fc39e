"""A participant's session: its parts and their order, resuming anywhere, who may go on."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from participants.session import (
    Break,
    Page,
    Question,
    Report,
    SittingEnd,
)
from participants.session.qualification import missed_in
from participants.studies.simulatability.asked import (
    OF_FORMS,
    Understood,
    right_answers,
    understanding_of,
)
from participants.studies.simulatability.cell import time_spent_s
from participants.studies.simulatability.plan import debrief_text
from participants.studies.simulatability.rows import TABLES
from participants.studies.simulatability.shown import EXPLAINED
from participants.studies.simulatability.trial import Learn, Predict, Rate
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.maps.origin import IMPORTED, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.studies.simulatability.protocol import (
    NO_EXPLANATION,
    UNDERSTANDING_QUESTIONS,
    cell_of,
)
from stimuli.studies.simulatability.sketch import sketch_material
from stimuli.studies.simulatability.tables import LISTS, SECTIONS
from tests.participants.studies.simulatability.taken import (
    ARMS,
    EVERYTHING,
    journal_of,
    of,
    pack_of,
    plan_of,
    taken,
)
from tests.stimuli.studies.simulatability.small import pack_of as composed

ANSWERED = ("trial_end", "rating_end", "length", "qualification")


def ids(plan, *kinds):
    """Return the ids of a plan's steps of some kinds, in order."""
    return [step.step for step in plan.steps if isinstance(step, kinds)]


def predictions(plan):
    return [step for step in plan.steps if isinstance(step, Predict)]


def test_the_published_session_has_its_parts_in_order():
    pack = pack_of()
    plan = plan_of(pack)
    steps = [step.step for step in plan.steps]
    assert len(set(steps)) == len(steps)
    told = [step.step for step in plan.steps if isinstance(step, Page | Report)]
    assert told == [
        "no_course", "instructions", "domain", "balance", "balance_changes", "method",
        "before_understanding", "learning-1", "forward_pre-1",
        "learning_again-1", "method_again-1", "rating-1", "forward_post-1", "counterfactual_pre-1",
        "counterfactual_post-1", "before_questions", "debrief", "debrief_computed", "end",
    ]  # fmt: skip
    listed = {}
    for row in sorted(pack.table(LISTS), key=lambda row: row["position"]):
        if (row["list"], row["arm"]) == ("sheet-01", "text_lime"):
            listed.setdefault(row["section"], []).append(row["presentation"])
    shown = {}
    for step in plan.steps:
        if isinstance(step, Learn | Rate | Predict) and step.step.startswith("trial"):
            shown.setdefault(step.section, []).append(step.presentation)
    assert shown == listed
    assert list(shown) == FORWARD_FIRST


FORWARD_FIRST = ["learning", "forward_pre", "learning_again", "forward_post",
                 "counterfactual_pre", "counterfactual_post"]  # fmt: skip
EXCHANGED = ["learning", *FORWARD_FIRST[4:], *FORWARD_FIRST[1:4]]


@pytest.mark.parametrize(
    ("first", "orders"),
    [("forward", [FORWARD_FIRST] * 2), ("counterfactual", [EXCHANGED] * 2),
     ("balanced", [FORWARD_FIRST, EXCHANGED])],
)  # fmt: skip
def test_a_sheet_says_which_test_comes_first(first, orders):
    pack = pack_of(design={"first_test": first, "sheets": 2})
    for sheet, order in zip(("sheet-01", "sheet-02"), orders, strict=True):
        plan = plan_of(pack, sheet=sheet)
        events = taken(plan, pack)
        assert list(dict.fromkeys(end["section"] for end in of(events, "trial_end"))) == order
        rows = TABLES.trial_rows(journal_of(events, sheet), TABLES.read_pack(pack))
        assert {row["first_test"] for row in rows} == {order[1].partition("_")[0]}
        # Explanations are described before the first of them.
        steps = [step.step for step in plan.steps]
        explained = next(section for section in order if section in EXPLAINED)
        assert steps.index("method_again-1") == steps.index(f"{explained}-1") + 1


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"first_test": "balanced"}, "even number of sheets"),
        ({"first_test": "balanced", "sheets": 2, "tests": ["forward"]}, "needs two tests"),
        ({"tests": ["counterfactual", "forward"]}, "first_test says which test"),
    ],
)
def test_orders_that_cant_be_are_refused(design, said):
    with pytest.raises(UserError, match=said):
        pack_of(design={name: tuple(v) if isinstance(v, list) else v for name, v in design.items()})


@pytest.mark.parametrize(
    ("arm", "told"),
    [
        ("text_lime", {"plain_explanations": "learning_again-1", "plain_changes_text":
                       "counterfactual_pre-1"}),
        ("tabular_composite", {"plain_explanations": "learning_again-1", "plain_changes_tabular":
                               "learning_again-1"}),
        ("tabular_no_explanation", {"plain_changes_tabular": "counterfactual_pre-1"}),
    ],
)  # fmt: skip
def test_plain_lines_are_told_how_to_read_before_they_are_shown(arm, told):
    """The page stands among those right before the section; drawn cases need none."""
    found, section = {"drawn": {}, "plain": {}}, ""
    for presentation, pages in found.items():
        for step in plan_of(pack_of(look={"presentation": presentation}), arm).steps:
            if isinstance(step, Page):
                section = step.step if step.step[:-2] in SECTIONS else section
                if step.text.startswith("plain"):
                    pages[step.text] = section
    assert found == {"drawn": {}, "plain": told}


def test_a_rating_comes_right_before_its_prediction():
    """Whoever knew the output would rate it, not the explanation."""
    steps = plan_of(pack_of()).steps
    for rate, after in pairwise(steps):
        if isinstance(rate, Rate) and not rate.ends:
            assert isinstance(after, Predict)
            assert (after.presentation, after.trial) == (rate.presentation, rate.trial)


@pytest.mark.parametrize("arm", ARMS)
def test_nothing_shown_before_an_answer_tells_it(arm):
    """No prediction shows an output on what is predicted, in any arm, examples at hand or not."""
    plan = plan_of(pack_of(**EVERYTHING), arm)
    learned = {step.presentation for step in plan.steps if isinstance(step, Learn)}
    for step in predictions(plan):
        shown = step.stimulus
        assert (shown.edits is None) == (shown.output is None) == (shown.label is None)
        plain = cell_of(step.arm)[1] == NO_EXPLANATION
        explained = step.section == "counterfactual_post" and not plain
        assert (shown.explanation is not None) == explained
        assert step.presentation not in learned
        assert len(step.learning) == 4
        again = step.section != "forward_pre" and not plain
        assert {example.explanation is not None for example in step.learning} == {again}


@pytest.mark.parametrize("arm", ARMS)
def test_every_arm_is_told_of_its_own_method_alone(arm):
    plan, method = plan_of(pack_of(), arm), cell_of(arm)[1]
    texts = [step.text for step in plan.steps if isinstance(step, Page)]
    told = {text for text in texts if text.startswith("method_")}
    own = f"method_{method}" if method != "ours" else "method_rationale"
    assert told == (set() if method == "no_explanation" else {own})
    assert ("rating" in texts) is (method != "no_explanation")
    asked = [step.question for step in plan.steps if isinstance(step, Question)]
    assert ("explanations_helped" in asked) is (method != "no_explanation")
    assert len(set(asked) & set(right_answers())) == UNDERSTANDING_QUESTIONS + 1


@pytest.mark.parametrize("form", OF_FORMS)
@pytest.mark.parametrize("tests", [("forward",), ("forward", "counterfactual")])
@pytest.mark.parametrize("classes", [2, 3])
def test_every_form_has_as_many_questions_as_the_pass_mark_assumes(form, tests, classes):
    protocol = pack_of(design={"tests": tests}).protocol
    asked = understanding_of(protocol, form, classes)
    assert len({name for name, _, _ in asked}) == UNDERSTANDING_QUESTIONS
    assert all(right in choices for _, choices, right in asked)
    none = protocol.model_copy(
        update={"understanding": protocol.understanding.model_copy(update={"pass_right": 0})}
    )
    assert understanding_of(none, form, classes) == ()


def test_the_positive_class_lies_on_the_persons_side():
    pack = pack_of(**EVERYTHING)
    for side, key in (("left", "f"), ("right", "j")):
        plan = plan_of(pack, side=side)
        assert plan.keys == {"positive": key, "negative": "j" if key == "f" else "f"}
        of_cells = {step.arm: step.options[key] for step in predictions(plan)}
        assert of_cells == {"text_lime": "positive", "tabular_anchor": "granted"}
    drawn = [plan_of(pack, side=None).keys for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_a_second_test_is_a_whole_cell_of_the_other_domain():
    plan = plan_of(pack_of(**EVERYTHING), "tabular_no_explanation")
    numbers = {(step.test_number, step.arm) for step in predictions(plan)}
    assert numbers == {(1, "tabular_no_explanation"), (2, "text_lime")}
    assert [one.trial for one in plan.trials if not isinstance(one, Rate) or one.ends] == list(
        range(1, 81)
    )
    # A domain's instructions come before its first example.
    steps = [step.step for step in plan.steps]
    assert steps.index("second_test") < steps.index("domain-2") < steps.index("learning-2")
    assert {"debrief_plain", "debrief_computed"} <= set(steps)


def test_the_second_sitting_begins_after_the_first_predictions():
    pack = pack_of(**EVERYTHING)
    plan = plan_of(pack)
    (end,) = ids(plan, SittingEnd)
    steps = [step.step for step in plan.steps]
    after = plan.steps[steps.index(end) + 1 :]
    assert after[0].greets
    before = {step.section for step in plan.steps[: steps.index(end)] if hasattr(step, "section")}
    assert before == {"learning", "forward_pre"}
    events = taken(plan, pack)
    assert [event["reason"] for event in of(events, "abort")] == ["sitting_end"]
    assert [event["complete"] for event in of(events, "session_end")] == [False, True]
    # Who comes back as planned is greeted once.
    assert "welcome_back" not in {page["step"] for page in of(events, "page")}
    assert pack.protocol.least_gap_h == 20.0
    assert pack_of().protocol.least_gap_h == 0.0


def test_a_sitting_has_its_own_time():
    for reason, spent_s in (("sitting_end", 7.0), ("left", 7.0), ("experimenter", 57.0)):
        said = [("page", {"shown_s": 50.0}), ("abort", {"reason": reason}),
                ("page", {"shown_s": 7.0})]  # fmt: skip
        assert time_spent_s(said, limit_s=600.0) == spent_s


def test_a_second_test_may_wait_for_another_day():
    """The published retest: the same code in another cell."""
    pack = pack_of(design={"second_test": True})
    plan = plan_of(pack)
    (may_leave,) = (step for step in plan.steps if isinstance(step, Break) and step.may_leave)
    events = taken(plan, pack, stops_at=frozenset({may_leave.step}))
    assert [event["reason"] for event in of(events, "abort")] == ["left"]
    whole = taken(plan, pack)
    assert counted(events) == counted(whole)


@pytest.mark.parametrize(
    ("changes", "stride", "arm"),
    [
        pytest.param({}, 7, "text_lime", id="published"),
        pytest.param(EVERYTHING, 29, "tabular_no_explanation", id="everything"),
        pytest.param({}, 1, "text_lime", id="published-each", marks=pytest.mark.slow),
        pytest.param(EVERYTHING, 7, "text_lime", id="everything-more", marks=pytest.mark.slow),
    ],
)
def test_a_session_that_is_cut_off_anywhere_asks_for_nothing_twice(changes, stride, arm):
    """Cut after an event: all is answered once, as without the cut."""
    pack = pack_of(**changes)
    plan = plan_of(pack, arm)
    whole = taken(plan, pack, "majority")
    counts = counted(whole)
    for cut in range(1, len(whole) - 1, stride):
        events = taken(plan, pack, "majority", before=whole[:cut])
        assert counted(events) == counts


def counted(events):
    """Return how often each thing was answered, and each prediction."""
    kinds = Counter(event.event for event in events if event.event in ANSWERED)
    asked = Counter(event["step"] for event in of(events, "answer"))
    assert max(asked.values(), default=0) <= 1
    return kinds, asked, [(end["trial"], end["decision"]) for end in of(events, "trial_end")]


@pytest.mark.parametrize("cut", ["answer", "qualification", "page"])
def test_who_may_not_go_on_is_not_asked_again_after_a_cut(cut):
    """However often the session is killed around the looks at the answers."""
    pack = pack_of()
    plan = plan_of(pack)
    whole = taken(plan, pack, course="no")
    for place, event in enumerate(whole[:-1], start=1):
        if event.event == cut:
            events = taken(plan, pack, before=whole[:place], course="no")
            assert counted(events) == counted(whole)
            assert events[-1]["complete"]


@pytest.mark.parametrize(
    ("answers", "page"),
    [({"course": "no"}, "no_course"), ({"balance_right": "nearly_always", "weights_size": "equal"},
                                       "not_understood")],
)  # fmt: skip
def test_who_may_not_go_on_comes_to_the_debrief_by_a_kind_page(answers, page):
    pack = pack_of(understanding={"then": "end"})
    events = taken(plan_of(pack), pack, **answers)
    assert of(events, "trial_end") == []
    shown = [event["step"] for event in of(events, "page")]
    # Nobody is told of explanations that weren't shown.
    assert shown[-3:] == [page, "debrief", "end"]
    assert [event["text"] for event in of(events, "consent")] == ["consent", "consent_renewed"]
    assert events[-1]["complete"]
    missed = missed_in(SimpleNamespace(events=events))
    assert missed.right < missed.needed <= missed.trials


def test_nobody_is_left_out_by_a_question_that_only_their_arm_has():
    """What can end a session is the same in all arms, and comes before anything of the method."""
    ending = set()
    for arm in ARMS:
        plan = plan_of(pack_of(), arm)
        steps = [step.step for step in plan.steps]
        looks = [step for step in plan.steps if isinstance(step, Understood) and step.skips]
        ending.add(tuple((look.step, *look.right.items()) for look in looks))
        assert all(steps.index(look.step) < steps.index("method") for look in looks)
    assert ending == {(("course_look", ("course", "yes")),)}


def test_who_understands_too_little_goes_on():
    pack = pack_of(understanding={"course": "asked"})
    events = taken(plan_of(pack), pack, course="no", balance_right="half", balance_label="same",
                   weights_size="equal")  # fmt: skip
    (look,) = of(events, "qualification")
    assert (look["step"], look["right"], look["qualified"]) == ("understanding", 3, False)
    assert len(of(events, "trial_end")) == 40
    plain = plan_of(pack_of(understanding={"course": "off", "pass_right": 0}))
    assert {"course", "course_look", "understanding", "no_course", "method"}.isdisjoint(
        step.step for step in plain.steps
    )


@pytest.mark.parametrize(
    ("origin", "text"),
    [(PEOPLE, "debrief_people"), (RESPONSE_MODEL, "debrief_simulated"),
     (IMPORTED, "debrief_imported"), ("", "debrief_imported")],
)  # fmt: skip
def test_the_debrief_says_who_made_a_labs_explanations(origin, text):
    protocol = pack_of().protocol
    material = sketch_material(protocol)
    pack = composed(protocol, replace(material, origins={"ours": Origin(origin)}))
    assert debrief_text(pack, "ours") == text
    assert debrief_text(pack, "lime") == "debrief_computed"
    assert debrief_text(pack, "no_explanation") == "debrief_plain"


def test_what_a_pack_does_not_offer_is_refused_in_one_line():
    pack = pack_of()
    with pytest.raises(UserError, match="no list 'sheet-99'"):
        plan_of(pack, sheet="sheet-99")
    with pytest.raises(UserError, match="order 'text_shap': is not text_lime or"):
        plan_of(pack, "text_shap")
    with pytest.raises(UserError, match="language 'fr'"):
        plan_of(pack, language="fr")
    assert session_kind_of(pack).orders(pack.protocol) == ARMS
    with pytest.raises(UserError, match="drop_after_s"):
        pack_of(design={"post_in_second_sitting": True})
