"""The flow of participants: nobody is lost, and every word is within its box."""

from types import SimpleNamespace

import pytest

from analysis.report import style
from analysis.report.flow import (
    FLOW,
    FLOW_FIGURE,
    FlowPart,
    arms_of,
    flow_figure,
    flow_lines,
    leaving,
    stage,
)
from analysis.report.style import figure_style
from tests.analysis.report.two_sessions import trials


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


def test_where_nobody_is_left_out_the_figure_says_so_and_has_no_empty_half():
    everyone = trials()
    whole = SimpleNamespace(flow=[stage("all", everyone), stage("kept", everyone)])
    gone = leaving("fell asleep", everyone, everyone.iloc[:1])
    fewer = SimpleNamespace(flow=[stage("all", everyone, [gone]), stage("kept", everyone)])
    (narrow,), (wide,) = (FLOW_FIGURE.parts(frame) for frame in (whole, fewer))
    assert narrow.caption.endswith("Nobody was left out.")
    assert "right: who was left out" in wide.caption
    widths = [flow_figure(frame.flow).get_figwidth() for frame in (whole, fewer)]
    assert widths[0] < 0.6 * widths[1]


@pytest.mark.parametrize(
    ("font", "reason"),
    [("DejaVu Sans", "and so on " * 8), ("DejaVu Serif", "WWWWW " * 12), ("DejaVu Sans", "W" * 70)],
    ids=["short words", "wide words", "one word"],
)
def test_the_flow_is_drawn_within_its_boxes(font, reason, monkeypatch):
    """In fonts that come with matplotlib."""
    monkeypatch.setattr(style, "_RC", {**style._RC, "font.sans-serif": [font]})
    many = [FlowPart(f"a long reason {k} " + reason, 1, 1) for k in range(3)]
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
