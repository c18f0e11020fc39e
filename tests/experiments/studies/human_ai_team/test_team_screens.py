"""Every arm's screens, in both languages, judged as laid out; full HD among the slow tests."""

from functools import cache

import numpy as np
from hypothesis import strategies as st

from experiments.screens.look import Look
from experiments.studies.human_ai_team.places import HelpWanted, Places
from experiments.studies.human_ai_team.prior import PriorPlaces
from participants.studies.human_ai_team.trial import Judgement
from stimuli.images.pictures import pixels_of
from tests.experiments.examples import given
from tests.experiments.screens.laid_out import (  # noqa: F401 - collected here too
    assert_apart,
    assert_stands_out,
    box_of,
    each_case,
    test_every_text_is_large_enough,
    test_every_text_stands_within_the_safe_area,
    test_lines_are_short_enough_to_be_read,
    test_no_two_texts_overlap,
    test_nothing_but_plates_has_a_colour,
)
from tests.experiments.studies.human_ai_team.team_rehearsal import (
    ANSWER,
    NAMES,
    pack_of,
    plan_in,
    rehearse_team,
)

SIZES = [(1280, 720), (1920, 1080)]
AT_ONCE = ()
ON_DEMAND = (("when", "on_demand"), ("decision", "two_stage"), ("confidence_steps", 4))
DELAYED = (("when", "after_delay"),)
OF_TEXTS = (("judged", "texts"),)
TEXTS_ON_DEMAND = (*OF_TEXTS, *ON_DEMAND)
CASES = [
    ("nearest_neighbours", "de", SIZES[0], ON_DEMAND),
    ("rationale", "de", SIZES[0], TEXTS_ON_DEMAND),
]
SLOW_CASES = [
    ("gradcam", "en", SIZES[0], AT_ONCE),
    ("salient_object", "de", SIZES[0], DELAYED),
    ("text", "de", SIZES[0], ON_DEMAND),
    ("rationale", "de", SIZES[0], AT_ONCE),
    ("confidence", "de", SIZES[0], AT_ONCE),
    ("human_alone", "en", SIZES[0], AT_ONCE),
    ("confidence", "en", SIZES[0], OF_TEXTS),
    ("rationale", "en", SIZES[1], OF_TEXTS),
    ("nearest_neighbours", "en", SIZES[1], AT_ONCE),
    ("salient_object", "de", SIZES[1], DELAYED),
    ("human_alone", "en", SIZES[1], AT_ONCE),
]
WHOLE = {CASES[0], SLOW_CASES[0]}
"""Of these every page is looked at too."""
PAGES = {
    "abort", "pause", "consent", "instructions", "prior", "practice", "before_main", "break",
    "before_questions", "relied_on", "noticed_altered", "knows_ai", "consent_renewed", "end",
    "declined", "welcome_back", "withdrawn", "call_experimenter",
}  # fmt: skip
TRIALS = {"fixation", "feedback-right", "feedback-wrong", "feedback-late", "trial-prior",
          "trial-prior-annotated"}  # fmt: skip


@cache
def rehearsed(arm, language, size_px, options):
    whole = (arm, language, size_px, options) in WHOLE
    return rehearse_team(pack_of(**dict(options)), arm, language, size_px, pages=whole)


case, screens = each_case(rehearsed, CASES, SLOW_CASES)


def test_a_session_shows_all_that_it_can_show(case, screens):
    arm, _, _, options = case
    names = {screen.name.partition("-1")[0].removesuffix("-chosen") for screen in screens}
    wanted = TRIALS | {f"trial-{arm}", f"trial-{arm}-annotated"}
    if dict(options).get("judged"):
        wanted -= {"trial-prior", "trial-prior-annotated"}
    if "when" in dict(options):
        wanted |= {f"trial-{arm}-held", f"trial-{arm}-held-annotated"}
    if dict(options).get("decision"):
        wanted |= {"trial-own", "trial-own-annotated", "confidence"}
    assert names >= wanted | (PAGES if case in WHOLE else set())


def test_nothing_lies_on_anything_else(screens):
    """Neither a word nor a picture: every layer of a trial has its place to itself."""
    for screen in screens:
        if screen.name.startswith("trial"):
            assert_apart([box_of(layer) for layer in screen.layers], screen.size_px, screen.name)


def test_every_word_stands_out_from_its_ground(screens):
    assert_stands_out([screen for screen in screens if screen.name.startswith("trial")])


def test_labels_are_said_whole(case, screens):
    language = "de" if case[1] == "de" else ""
    for screen in screens:
        if screen.name.startswith("trial"):
            said = "".join(text.text for text in screen.texts).replace(" ", "")
            names = [name.replace(" ", "") for name in (*NAMES[language], ANSWER)]
            assert any(name in said for name in names), (screen.name, said)


def test_a_map_is_as_large_as_its_image_at_its_height_and_lies_where_it_belongs():
    """The redder a place is, the higher is the stored map there."""
    pack, cells = pack_of(), pack_of().protocol.images.size_px
    plan = plan_in(pack, "gradcam", "en")
    trials = (step for step in plan.trials if isinstance(step, Judgement))
    first = next(step for step in trials if step.phase == "main")
    shown = rehearse_team(pack, "gradcam", "en", SIZES[0], pages=False)
    screens = {screen.name: screen for screen in shown}
    *_, heatmap, image = screens["trial-gradcam"].layers
    assert heatmap.pixels.shape == image.pixels.shape
    assert heatmap.top_px == image.top_px
    file = first.stimulus.help_files[0]
    stored = pixels_of(pack.asset(file), file)[..., 0].astype(float)
    middles = np.round((np.arange(cells) + 0.5) * len(heatmap.pixels) / cells).astype(int)
    green = heatmap.pixels[np.ix_(middles, middles)][..., 1].astype(float)
    assert np.corrcoef(green.ravel(), stored.ravel())[0, 1] < -0.95


sizes = st.tuples(st.integers(1024, 3840), st.integers(720, 2160)).filter(
    lambda size: 1.2 <= size[0] / size[1] <= 2.4
)
kinds = st.sampled_from(["none", "heatmap", "examples", "text"])


@given(sizes, st.integers(50, 2000), kinds, st.integers(1, 5), st.booleans(), st.booleans())
def test_all_places_lie_apart_on_any_screen(size, wanted, kind, examples, annotated, leftwards):
    look = Look(size, (30, 30, 30), "he" if leftwards else "en")
    places = Places.of(look, wanted, HelpWanted(kind, examples), annotated=annotated)
    scale = [] if places.scale is None else [places.scale]
    helps = list(places.parts) or ([] if places.help is None else [places.help])
    assert_apart([places.heading, places.image, *helps, *scale], size)
    left, top, right, bottom = places.image
    assert right - left == bottom - top <= wanted
    none = Places.of(look, wanted, HelpWanted("none"), annotated=annotated).image
    assert (none[2] - none[0], none[1]) == (right - left, top)
    if places.help is not None:
        middle = (places.help[1] + places.help[3]) / 2
        assert abs(middle - (top + bottom) / 2) <= 1
        assert (places.help[0] > left) is not leftwards
    if kind == "heatmap":
        assert places.parts[0][1::2] == places.scale[1::2] == (top, bottom)


@given(sizes, st.integers(0, 5), st.booleans(), st.booleans())
def test_samples_lie_apart_on_any_screen(size, samples, defined, leftwards):
    look = Look(size, (30, 30, 30), "he" if leftwards else "en")
    places = PriorPlaces.of(look, samples, defined=defined)
    areas = [places.question, *places.samples] + ([places.definition] if defined else [])
    assert_apart(areas, size)
    assert len({area[3] - area[1] for area in places.samples}) <= 1
