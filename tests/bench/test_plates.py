"""The book of plates: its summary, the peer it is compared with, its pictures."""

import numpy as np
import pytest

from bench.parts import palettes, pictures, soundness
from bench.parts.naive import pack_naively
from bench.plates import summarise
from stimuli.plates.packing import pack_dots
from stimuli.plates.spec import PlateSpec

COARSE = PlateSpec(dot_radius_min=0.05, dot_radius_max=0.1, dot_gap=0.01, density=0.45)


def _bar(number, met):
    return {"bar": number, "asked": f"ask {number}", "measured": "so", "met": met}


def test_the_summary_lists_every_bar_by_number_and_says_which_are_not_met():
    text = summarise(
        {"late": {"bars": [_bar(7, True), _bar(1, False)]}, "early": {"bars": [_bar(2, True)]}}
    )
    rows = [line.split(" | ") for line in text.splitlines()[4:]]
    assert [row[0].lstrip("| ") for row in rows] == ["1", "2", "7"]
    assert [row[3] for row in rows] == ["**no**", "yes", "yes"]


def test_a_summary_of_nothing_is_empty():
    assert summarise({}) == ""
    assert summarise({"pictures": {"bytes": {}}}) == ""


def test_the_naive_peer_packs_the_same_dots_without_overlap():
    ours = pack_dots(1, COARSE)
    peer = pack_naively(ours.radius, COARSE.dot_gap, 1)
    assert np.array_equal(peer.radius, ours.radius)
    x, y, r = (v.astype(np.float64) for v in (peer.x, peer.y, peer.radius))
    apart = np.hypot(x[:, None] - x, y[:, None] - y) - r[:, None] - r
    np.fill_diagonal(apart, np.inf)
    assert apart.min() >= COARSE.dot_gap - 1e-6
    assert (np.hypot(x, y) + r).max() <= 1 + 1e-6


def test_the_check_of_overlap_sees_one(monkeypatch):
    gap, reach = soundness._gap_and_reach(3)
    assert gap >= PlateSpec().dot_gap - 1e-9
    assert reach <= 1
    honest = pack_dots

    def nudged(seed):
        dots = honest(seed)
        x = dots.x.copy()
        x[0] += 0.01
        return type(dots)(x, dots.y, dots.radius)

    monkeypatch.setattr(soundness.packing, "pack_dots", nudged)
    gap, reach = soundness._gap_and_reach(3)
    assert gap < PlateSpec().dot_gap or reach > 1


@pytest.mark.parametrize(("axis", "contrast"), [("deutan", 0.04), ("protan", 0.035)])
def test_the_pair_looks_alike_to_the_dichromat_and_not_to_normals(axis, contrast):
    """Bar 5, in small."""
    pytest.importorskip("colour")
    pair = palettes._pair(axis, contrast, 4000)
    assert pair["dichromat"] <= 1
    assert pair["normal"] >= 12


def test_a_pair_off_the_confusion_line_does_not_look_alike_to_the_dichromat():
    """The check of bar 5 can fail: a protan pair before a deuteranope's eyes."""
    pytest.importorskip("colour")
    from bench.eyes.deficiency import simulate_dichromat

    codes = [
        np.array([palettes._middle_codes("protan", 0.097, f)], np.uint8) for f in (True, False)
    ]
    seen = [palettes.decode8(simulate_dichromat(code, "deutan"))[0] for code in codes]
    assert palettes._delta_e(*seen) > 3


def test_a_sheet_sets_plates_in_rows_under_their_heads():
    plate = np.full((40, 40, 3), 200, dtype=np.uint8)
    sheet = pictures._sheet([[plate, plate], [plate, plate]], ["a", "b"], ["one", "two"])
    drawn = np.asarray(sheet)
    first = pictures.SIDE_PX + 20
    assert drawn[pictures.HEAD_PX + 20, first].tolist() == [200, 200, 200]
    assert drawn[pictures.HEAD_PX + 45, first].tolist() == list(pictures.GROUND)
