"""Experts see plates where leads do; their controls lie apart."""

from collections import Counter

from stimuli.studies.accept_reject.protocol import LOW_CONTRAST
from stimuli.studies.accept_reject.shares import expert_places, usual_places
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol

USES = [(f"{use}-{k}", use) for use in (
    "main", "practice", "no_numeral", "expert_no_numeral", "expert_high_contrast",
    "expert_low_contrast", "practice_no_numeral",
) for k in range(12)]  # fmt: skip
BOTH = SMALL["plates"] | {"axes": ["deutan", "protan"], "ladder_protan": [0.02, 0.04, 0.09]}


def places_of(protocol):
    """Return how often each use is seen at each axis and rung."""
    use_of = dict(USES)
    found = {}
    for item, place in expert_places(protocol, USES).items():
        found.setdefault(use_of[item], Counter())[place.axis, place.rung] += 1
    return found


def test_by_default_plates_are_dealt_out_evenly_over_the_leads_places():
    protocol = small_protocol(plates=BOTH, solutions=SMALL["solutions"] | {"rungs": [1, 2]})
    four = {(axis, rung): 3 for axis in ("deutan", "protan") for rung in (1, 2)}
    found = places_of(protocol)
    assert found["main"] == found["expert_no_numeral"] == four
    assert found["expert_high_contrast"] == {("deutan", 3): 6, ("protan", 3): 6}
    assert found["expert_low_contrast"] == {("deutan", 0): 6, ("protan", 0): 6}
    assert "no_numeral" not in found
    assert "practice_no_numeral" not in found


def test_the_draw_is_one_of_its_own_and_the_same_for_every_expert():
    protocol = small_protocol()
    one, again = expert_places(protocol, USES), expert_places(protocol, list(reversed(USES)))
    assert one == again
    rungs = [one[item].rung for item, use in USES if use == "main"]
    assert rungs != sorted(rungs)
    assert one != expert_places(small_protocol(seed=2), USES)


def test_controls_for_colour_vision_lie_below_all_that_experts_solve():
    protocol = small_protocol(plates=BOTH)
    faint = expert_places(protocol, USES)["expert_low_contrast-0"]
    assert faint.contrast == protocol.low_contrast
    assert faint.contrast < min(place.contrast for place in usual_places(protocol))


def test_low_contrast_depends_on_the_digits_unless_a_number_is_given():
    def contrast(source, low_contrast):
        experts = {**SMALL["experts"], "low_contrast": low_contrast}
        protocol = small_protocol(plates={**BOTH, "source": source}, experts=experts)
        return expert_places(protocol, USES)["expert_low_contrast-0"].contrast

    assert contrast("uci", "by_source") == LOW_CONTRAST["uci"]
    assert contrast("mnist", "by_source") == contrast("a/folder", "by_source")
    assert contrast("mnist", "by_source") > contrast("uci", "by_source")
    assert contrast("mnist", 0.012) == 0.012


def test_one_rung_and_the_top_are_options():
    easy = {**SMALL["experts"], "axis": "deutan", "rung": "highest"}
    assert set(places_of(small_protocol(experts=easy))["main"]) == {("deutan", 3)}
    one = {**SMALL["experts"], "rung": 2}
    assert set(places_of(small_protocol(plates=BOTH, experts=one))["main"]) == {
        ("deutan", 2), ("protan", 2),
    }  # fmt: skip
