import pytest

from experiments.rig.checks.presses import PressResult, keys, mouse, no_mouse


@pytest.mark.parametrize(
    ("tried", "status", "said"),
    [
        (PressResult(True, True, True), "pass", "arrived"),
        (PressResult(True, True, True, 0.0003), "pass", "+0.30 ms"),
        (PressResult(True, True, True, 0.004), "warn", "+4.00 ms"),
        (None, "warn", "not tried"),
        (PressResult(False), "fail", "no press"),
        (PressResult(True, True, False), "fail", "release never"),
        (PressResult(True, False, True), "fail", "never seen to be held"),
    ],
)
def test_press_hold_and_release_of_a_key_must_all_arrive(tried, status, said):
    finding = keys(tried)
    assert finding.status == status
    assert said in finding.found


def test_a_mouse_is_asked_for_and_never_stops_a_pc():
    assert mouse(PressResult(True)).status == "pass"
    for missing in (mouse(PressResult(False)), mouse(None), no_mouse("mouse: there is none")):
        assert missing.status == "warn"
        assert missing.remedy
