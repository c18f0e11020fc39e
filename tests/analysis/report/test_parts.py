"""The parts that any study's report is made of."""

from dataclasses import fields
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.data.sessions import SessionFacts, Sessions
from analysis.report import style
from analysis.report.checks import (
    CHECKS,
    QUICKEST_S,
    check_summary,
    general_checks,
    warning_sentences,
)
from analysis.report.declared import ReportModel
from analysis.report.flow import FLOW, FlowPart, arms_of, flow_figure, flow_lines, leaving, stage
from analysis.report.listing import MOST_LISTED, cut
from analysis.report.model import model_parts
from analysis.report.parts import Bullets, Paragraph, Table
from analysis.report.style import BLUE, GREY, INK, ORANGE, figure_style
from analysis.report.timing import (
    DRIVING,
    RIGS,
    Rig,
    Timing,
    flat_row,
    rig_rows,
    timing_warnings,
)

FIXED = {
    "term": "x", "estimate": 0.5, "se": 0.1, "z": 5.0, "p": 0.0001, "ci_low": 0.3, "ci_high": 0.7,
}  # fmt: skip
MODEL = {
    "fitted": True, "asked": "y ~ x + (1 | g)", "formula": "y ~ x + (1 | g)", "engine": "a 1.0",
    "family": "gaussian", "n": 100, "groups": {"g": 1}, "log_likelihood": -12.5, "converged": True,
    "fixed": [FIXED], "random": [{"group": "g", "term": "(Intercept)", "sd": 0.2}], "notes": [],
}  # fmt: skip


def rig_tables(rows):
    """Return the tables of the section on timing."""
    frame = SimpleNamespace(timing=Timing(rows, []))
    return (*RIGS.parts(frame), *DRIVING.parts(frame))


def trials(**changes):
    columns = {
        "participant": ["a", "a", "b", "b"],
        "session": ["s1", "s1", "s2", "s2"],
        "trial": [1, 2, 1, 2],
        "rig": ["r1", "r1", "r2", "r2"],
        "rt_s": [1.0, 2.0, 3.0, None],
        "frames_dropped": [0, 3, 0, 0],
        "pack_id": "p",
        "protocol_hash": "h",
        "purpose": "main",
        "robot": None,
    }
    return pd.DataFrame(columns | changes)


def facts(session, **changes):
    known = {
        "participant": "a", "purpose": "main", "rig": "r1", "robot": "", "refresh_hz": 60.0,
        "pacing": "vsync", "keyboard_backend": "ptb", "priority": "realtime",
        "calibrated": True, "complete": True,
        "resumed": False, "torn": False, "withdrawn": False, "clock_steps": 0, "trials": 2,
        "largest_step_s": 0.0, "longest_interval_s": 0.034, "flagged": 0,
    }  # fmt: skip
    return SessionFacts(session, **known | changes)


def journals(*found):
    return Sessions(found, (), ())


def test_a_flow_loses_nobody():
    everyone = trials()
    kept = everyone[everyone["participant"] == "a"]
    gone = leaving("fell asleep", everyone, kept)
    steps = [stage("all", everyone, [gone], arms_of(everyone, "rig", str)), stage("kept", kept)]
    assert steps[0].participants - gone.participants == steps[1].participants
    assert steps[0].trials - gone.trials == steps[1].trials
    assert sum(arm.trials for arm in steps[0].arms) == len(everyone)
    assert [row.kind for row in flow_lines(steps)] == ["step", "arm", "arm", "left out", "step"]
    assert len(FLOW.files(SimpleNamespace(flow=steps))["flow"]) == 5
    assert FLOW.parts(SimpleNamespace(flow=steps)) == (), "the figure shows it"


FONTS = ["DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif"]
"""They come with matplotlib; a PC without Helvetica and the like has no narrower ones."""


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("reason", ["and so on " * 8, "WWWWW " * 12, "W" * 70], ids=len)
def test_the_flow_is_drawn_within_its_boxes(font, reason, monkeypatch):
    monkeypatch.setattr(style, "_RC", {**style._RC, "font.sans-serif": [font]})
    many = [FlowPart(f"a long reason {k} " + reason, 1, 1) for k in range(9)]
    drawing = flow_figure([stage("all", trials(), many), stage("rest", trials())])
    with figure_style():
        drawing.canvas.draw()
    axes = drawing.axes[0]
    boxes = [patch.get_window_extent() for patch in axes.patches]
    for text in axes.texts:
        if text.get_text():
            own = text.get_window_extent()
            assert any(
                box.x0 <= own.x0 and own.x1 <= box.x1 and box.y0 <= own.y0 and own.y1 <= box.y1
                for box in boxes
            ), text.get_text()
    assert not any(one.overlaps(two) for k, one in enumerate(boxes) for two in boxes[:k])


def test_dropped_frames_are_counted_by_rig():
    first, second = rig_rows(trials(), None)
    assert (first.trials_with_drops, first.frames_dropped) == (1, 3)
    assert first.share_with_drops == 0.5
    assert (second.trials_with_drops, second.median_rt_s) == (0, 3.0)
    assert first.sessions is None
    assert len(rig_tables([first, second])) == 1


def test_what_spoils_times_is_warned_of():
    sessions = journals(
        facts(
            "s1",
            pacing="software",
            calibrated=False,
            clock_steps=2,
            largest_step_s=0.25,
            priority="normal",
        ),
        facts("s2", rig="r2"),
    )
    rows = rig_rows(trials(), sessions)
    said = " ".join(timing_warnings(rows))
    assert "Rig r1: 50.0 % of its trials lost at least one frame" in said
    assert "Rig r1: frames were paced in software" in said
    assert "Rig r1: in 1 session the display’s colours were not measured" in said
    assert "Rig r1: in 1 session the process got no priority over others" in said
    assert "Rig r1: a clock was set 2 times during sessions; trials during" in said
    assert "Rig r2" not in said
    assert len(rig_tables(rows)) == 2
    assert rows[0].longest_interval_s == 0.034
    assert rows[0].largest_clock_step_s == 0.25
    assert "250.000" in rig_tables(rows)[1].rows[0]


def test_rigs_without_a_word_of_journals_or_rig_are_no_crash():
    assert rig_rows(trials().drop(columns="rig"), None) == []
    (row,) = rig_rows(trials(rig=None).drop(columns="frames_dropped"), None)
    assert (row.rig, row.frames_dropped) == (None, None)
    assert timing_warnings([row]) == []


def test_lists_of_words_are_one_cell_in_the_table_of_rigs():
    first, _ = rig_rows(trials(), journals(facts("s1"), facts("s1", pacing="software")))
    row = flat_row(first)
    assert row["pacing"] == "software vsync"
    assert row["trials"] == 2


def state_of(table, check, sessions=None):
    found = {row.check: row for row in general_checks(table, table, sessions, 30)}
    return found[check].state, found[check].counts


@pytest.mark.parametrize(
    ("changes", "check", "state"),
    [
        ({}, "Each trial occurs once", "passed"),
        ({"trial": 1}, "Each trial occurs once", "warning"),
        ({}, "Sessions of one purpose", "passed"),
        ({"purpose": ["main", "main", "pilot", "pilot"]}, "Sessions of one purpose", "note"),
        ({"pack_id": ["p", "p", "q", "q"]}, "One pack", "warning"),
        ({"protocol_hash": ["h", "h", "i", "i"]}, "One set of rules", "warning"),
        ({}, "No robots among the participants", "passed"),
        ({"robot": ["lead", "lead", None, None]}, "No robots among the participants", "warning"),
        ({"robot": "lead"}, "No robots among the participants", "note"),
        ({}, "Decision times are possible", "passed"),
        ({"rt_s": [QUICKEST_S / 2, 1, 1, 1]}, "Decision times are possible", "warning"),
        ({"rt_s": [1, 1, 1, 31]}, "Decision times are possible", "warning"),
    ],
)
def test_each_check_finds_what_it_asks_for(changes, check, state):
    assert state_of(trials(**changes), check)[0] == state


def test_a_single_impossible_time_is_worth_a_note_alone():
    many = pd.DataFrame({"participant": "a", "rt_s": [31.0, *[1.0] * 39]})
    assert state_of(many, "Decision times are possible")[0] == "note"


def test_what_a_serious_check_warns_of_stands_above_the_headline():
    table = trials(trial=1, robot=["lead", "lead", None, None])
    checks = general_checks(table, table, None, 30)
    assert [one.check for one in checks if one.state == "warning"] == [
        "Each trial occurs once", "No robots among the participants",
    ]  # fmt: skip
    assert warning_sentences(checks) == [
        "Each trial occurs once: no. 2 rows repeat a trial of the same person."
    ], "the headline says it of robots"


@pytest.mark.parametrize(
    ("changes", "state", "overridden"),
    [
        ({}, "not checked", None),
        ({"checked": True}, "passed", 0),
        ({"checked": True, "overridden": ("jitter",), "override_reasons": ("lamp",)}, "warning", 1),
    ],
)
def test_sessions_that_began_in_spite_of_a_failed_check_are_told(changes, state, overridden):
    name = "Sessions began on rigs that passed their checks"
    found, counts = state_of(trials(), name, journals(facts("s1", **changes), facts("s2")))
    assert (found, counts.get("overridden_sessions")) == (state, overridden)


def test_why_a_failed_check_was_overridden_is_in_the_report():
    bad = facts("s2", checked=True, overridden=("jitter", "refresh"), override_reasons=("lamp",))
    checks = general_checks(trials(), trials(), journals(bad), 30)
    said = {check.check: check.finding for check in checks}
    assert said["Sessions began on rigs that passed their checks"] == (
        "1 session began in spite of a failed check (jitter and refresh), for this reason: “lamp”."
    )
    rows = rig_rows(trials(), journals(facts("s1"), bad))
    assert [row.overridden_sessions for row in rows] == [0, 1]
    (warning,) = [line for line in timing_warnings(rows) if "checks of the rig failed" in line]
    assert warning.startswith("Rig r2: 1 session began")


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "not checked"),
        ({"checklist": "skipped"}, "not checked"),
        ({"checklist": "asked", "robot": "lead"}, "not checked"),
        ({"checklist": "asked"}, "passed"),
        ({"checklist": "confirmed"}, "passed"),
        ({"checklist": "asked", "checklist_unmet": ("warm_up",)}, "note"),
        ({"checklist": "unanswered"}, "warning"),
    ],
)
def test_the_colour_checklist_of_peoples_sessions(changes, state):
    name = "The colour checklist was answered"
    assert state_of(trials(), name, journals(facts("s1", **changes)))[0] == state


@pytest.mark.parametrize(("checklist", "sessions"), [("asked", 1), ("", 1), ("skipped", None)])
def test_of_a_study_of_text_nothing_is_said_of_colours(checklist, sessions):
    """Today its sessions on an unmeasured display are "fit for trying, not for data"."""
    known = journals(facts("s1", checklist=checklist, calibrated=False))
    rig = rig_rows(trials(), known)[0]
    assert rig.uncalibrated_sessions == sessions
    assert any("colours" in said for said in timing_warnings([rig])) == (sessions == 1)


@pytest.mark.parametrize(
    ("failed", "state"),
    [((0, 0, 0), "passed"), ((1, 2, 2), "passed"), ((7, 0, 1), "warning")],
)
def test_more_people_left_out_in_one_arm_are_told(failed, state):
    """Those who stay aren't assigned at random any more: nothing said so."""
    people = [(arm, n < left) for arm, left in zip("xyz", failed, strict=True) for n in range(15)]
    known = [
        facts(f"s{n}", participant=f"p{n}", arm=arm, qualified=not out)
        for n, (arm, out) in enumerate(people)
    ]
    table = trials().iloc[[0] * len(people)].assign(participant=[one.participant for one in known])
    found, counts = state_of(table, "As many are left out in each arm", journals(*known))
    assert (found, counts["left_out"], counts["participants"]) == (state, sum(failed), 45)


def test_checks_that_did_not_pass_are_listed_and_the_others_named():
    table = trials(trial=1)
    frame = SimpleNamespace(checks=general_checks(table, table, None, 30))
    (shown,) = CHECKS.parts(frame)
    states = [row[1] for row in shown.rows]
    assert states[0].endswith("warning")
    assert not any(state.endswith("passed") for state in states)
    passed = [one.check for one in frame.checks if one.state == "passed"]
    assert passed
    assert all(name in check_summary(frame.checks).text for name in passed)
    assert len(CHECKS.files(frame)["checks"]) == len(frame.checks)


def test_what_a_table_lacks_is_not_checked_rather_than_passed():
    bare = trials()[["participant", "rt_s"]]
    found = general_checks(bare, bare, None, 30)
    assert [row.state for row in found] == ["not checked"] * 9 + ["passed"]


def kinds(parts, kind):
    return [part for part in parts if isinstance(part, kind)]


def test_a_model_that_was_fitted_as_asked_is_told_once():
    parts = model_parts(MODEL, ("Coded so.",))
    assert [part.text for part in kinds(parts, Paragraph) if part.kind == "formula"] == [
        "y ~ x + (1 | g)"
    ]
    fixed, random = kinds(parts, Table)
    assert fixed.columns[-1].unit == "Wald"
    assert fixed.rows == (("x", "0.50", "[0.30, 0.70]", "0.10", "5.00", "< .001"),)
    assert random.rows == (("g", "(Intercept)", "0.200"),)
    assert any("100 trials, 1 g; log-likelihood −12.500; a 1.0. Coded so." in part.text
               for part in kinds(parts, Paragraph))  # fmt: skip


def test_whose_test_a_p_value_is_from_stands_above_it():
    """Satterthwaite's p stood below "Wald"."""
    rows = [FIXED | {"statistic": "t", "df": 12.5}]
    (fixed, _) = kinds(model_parts(MODEL | {"fixed": rows}), Table)
    heads = {column.heading: column.unit for column in fixed.columns}
    assert heads["p"] == "Satterthwaite"


def test_a_note_stands_below_a_table_only_with_its_column():
    unknown = dict.fromkeys(one.name for one in fields(Rig))
    lists = {"pacing": [], "keyboard_backends": [], "overridden_checks": []}
    rows = [Rig(**unknown | lists | {"trials": 3, "participants": 1})]
    (shown,) = RIGS.parts(SimpleNamespace(timing=Timing(rows, [])))
    assert "Longest interval" not in [column.heading for column in shown.columns]
    assert "Longest interval" not in shown.note


def test_many_correlations_are_left_to_their_file():
    pairs = [{"group": "g", "term1": "a", "term2": str(k), "r": 0.5} for k in range(4)]
    random = model_parts(MODEL | {"correlations": pairs}, file="model")[-1]
    assert len(random.rows) == 1
    assert random.note == "Their 4 correlations are in tables/model_correlations.csv."
    found = {"fit": MODEL | {"correlations": pairs}}
    assert ReportModel("model", "fit").files(found)["model_correlations"] == pairs


def test_a_simplified_model_shows_both_formulas_and_why():
    parts = model_parts(MODEL | {"asked": "y ~ x + (1 + x || g)", "notes": ["Left out: x."]})
    shown = [part.text for part in kinds(parts, Paragraph) if part.kind == "formula"]
    assert shown == ["y ~ x + (1 + x || g)", "y ~ x + (1 | g)"]
    assert kinds(parts, Bullets) == [Bullets(("Left out: x.",))]


def test_an_unsound_fit_shows_no_estimates():
    parts = model_parts(MODEL | {"converged": False, "notes": ["Separation."]})
    assert kinds(parts, Table) == []
    assert "isn’t sound" in parts[-1].text


def test_correlations_and_ratios_stand_where_there_are_any():
    fixed = FIXED | {"odds_ratio": 1.65, "odds_ratio_low": 1.35, "odds_ratio_high": 2.01}
    correlation = {"group": "g", "term1": "(Intercept)", "term2": "x", "r": -0.25}
    parts = model_parts(
        MODEL
        | {"family": "binomial", "fixed": [fixed], "correlations": [correlation]}
        | {"residual_sd": 1.5}
    )
    first, second = kinds(parts, Table)
    assert first.rows[0][-2:] == ("1.65", "[1.35, 2.01]")
    assert second.rows[1][-1] == "−0.250"
    assert second.rows[2][2] == "1.500"
    assert "independent" not in second.caption


def test_a_long_table_is_cut_by_a_stated_rule():
    rows = list(range(MOST_LISTED + 1))
    shown, note = cut(rows, "leads", "participants", lambda row: row % 2 == 0, "even leads")
    assert shown == [row for row in rows if row % 2 == 0]
    assert note == "7 of 13 leads: even leads; tables/participants.csv has all."
    assert cut(rows[:-1], "leads", "participants", lambda _: False, "")[0] == rows[:-1]
    shown, note = cut(list(range(500)), "leads", "f", lambda _: True, "by code")
    assert len(shown) == MOST_LISTED
    assert note == f"The first {MOST_LISTED} of 500 leads, by code; tables/f.csv has all."


@pytest.mark.filterwarnings("ignore::colour.utilities.ColourUsageWarning")
@pytest.mark.parametrize("deficiency", ["Protanomaly", "Deuteranomaly", "Tritanomaly", "grey"])
def test_the_figures_colours_stay_apart_for_every_eye(deficiency):
    """Machado, Oliveira & Fernandes 2009 at full severity; CIE 1976 differences."""
    import colour

    pairs = [(BLUE, ORANGE), (BLUE, GREY), (ORANGE, INK), (GREY, INK)]
    for pair in pairs:
        lab = []
        for name in pair:
            rgb = colour.cctf_decoding(colour.notation.HEX_to_RGB(name))
            if deficiency == "grey":
                rgb = [float(rgb @ [0.2126, 0.7152, 0.0722])] * 3
            else:
                rgb = colour.matrix_cvd_Machado2009(deficiency, 1.0) @ rgb
            lab.append(colour.XYZ_to_Lab(colour.RGB_to_XYZ(rgb, "sRGB")))
        assert abs(lab[0][0] - lab[1][0]) > 12, pair
        assert colour.delta_E(*lab, method="CIE 1976") > 15, pair


def test_correlations_of_random_effects_stand_apart_from_standard_deviations():
    correlation = {"group": "g", "term1": "(Intercept)", "term2": "x", "r": -0.5}
    model = MODEL | {"family": "binomial", "correlations": [correlation], "residual_sd": 0.3}
    effects = model_parts(model)[-1]
    assert [(column.heading, column.unit) for column in effects.columns[2:]] == [
        ("SD", "log odds"),
        ("Correlation", ""),
    ]
    assert effects.rows == (
        ("g", "(Intercept)", "0.200", "–"),
        ("g", "(Intercept) with x", "–", "−0.500"),
        ("residual", "", "0.300", "–"),
    )
    assert len(model_parts(MODEL)[-1].columns) == 3, "without correlations the column is not there"
