"""Which images a progressive_reveal pack is made of: drawn by the seed, each once, or refused."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from xai_backend.models.frame import InputFrame, in_frame
from xai_backend.studies.progressive_reveal.images import (
    Candidate,
    draw,
    listed_images,
    photo_candidates,
)


def protocol_of(classes, each, practice=1, seed=1, named=()):
    changes = {
        "seed": seed,
        "images": {"classes": classes, "images_per_class": each, "named_classes": list(named)},
        "session": {
            "sittings": 1,
            "rounds_per_sitting": classes * each,
            "practice_rounds": practice,
            "catch_rounds": 0,
        },
    }
    return load_protocol("progressive_reveal", None, changes)


def candidates_of(counts):
    return [
        Candidate(f"c{number}/{k}.png", f"c{number}", None)
        for number, count in enumerate(counts)
        for k in range(count)
    ]


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(1, 8), min_size=2, max_size=7),
    each=st.integers(1, 4),
    practice=st.integers(0, 3),
    seed=st.integers(0, 9),
)
def test_every_draw_is_balanced_and_nobody_sees_an_image_twice(counts, each, practice, seed):
    candidates = candidates_of(counts)
    enough = sum(count >= each for count in counts)
    wanted = max(2, enough - 1)
    protocol = protocol_of(wanted, each, practice, seed)
    spare = sorted(count - each for count in counts if count >= each)
    if enough < wanted:
        with pytest.raises(UserError, match="can be shown"):
            draw(candidates, protocol, "set")
        return
    if sum(spare[:wanted]) < practice:
        return  # it hangs on the classes whether there are enough; see below
    drawn = draw(candidates, protocol, "set")
    assert Counter(one.class_id for one in drawn.main) == dict.fromkeys(drawn.classes, each)
    assert len(drawn.classes) == wanted
    assert len(drawn.practice) == practice
    of_these = [one for one in candidates if one.class_id in drawn.classes]
    everything = [*drawn.main, *drawn.practice, *drawn.left]
    assert len(everything) == len(set(everything))
    assert set(everything) == set(of_these)
    backwards = draw(candidates[::-1], protocol_of(wanted, each, practice, seed), "set")
    assert (backwards.main, backwards.practice) == (drawn.main, drawn.practice)


@pytest.mark.parametrize(
    ("counts", "wanted", "each", "said"),
    [
        ([6, 6], 3, 6, "2 of 2 classes have 6 images that can be shown, 3 are wanted; "
                       "add images or lower images.classes (3) to 2"),
        ([6, 6, 4], 3, 6, "lower images.images_per_class (6) to 4 or lower images.classes (3)"),
        ([4, 4], 2, 6, "0 of 2 classes .* lower images.images_per_class (6) to 4"),
        ([6, 6], 2, 6, "0 images are left for session.practice_rounds 1; add images, or lower it"),
    ],
)  # fmt: skip
def test_too_few_images_are_one_line_that_says_what_to_change(counts, wanted, each, said):
    said = said.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(UserError, match=said) as refused:
        draw(candidates_of(counts), protocol_of(wanted, each), "set")
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("set: ")


def test_classes_that_are_named_are_shown_and_images_are_drawn_as_else():
    candidates = candidates_of([6] * 5)
    drawn = draw(candidates, protocol_of(2, 3, named=("c4", "c1")), "set")
    assert drawn.classes == ("c1", "c4")
    for seed in range(20):
        usual = draw(candidates, protocol_of(2, 3, seed=seed), "set")
        if usual.classes == ("c1", "c4"):
            named = draw(candidates, protocol_of(2, 3, seed=seed, named=("c1", "c4")), "set")
            assert named == usual
            return
    raise AssertionError("no seed drew these classes")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (("c0", "c9"), "images.named_classes: c9 is not a class of the images; one of them is c0"),
        (("c0", "c1"), "set: class c1 has 2 images that can be shown, 3 are wanted"),
    ],
)
def test_named_classes_that_cannot_be_shown_are_refused(named, said):
    with pytest.raises(UserError, match=said) as refused:
        draw(candidates_of([6, 2]), protocol_of(2, 3, named=named), "set")
    assert "\n" not in str(refused.value)


def list_of(folder, text):
    path = folder / "list.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_list_of_images_is_shown_as_it_is(tmp_path):
    """By path or by name where that is enough; practice comes from the other images."""
    candidates = [*candidates_of([3, 3, 3]), Candidate("c0/only.png", "c0", None)]
    text = "# published\n\nc2/1.png\nc0/2.png\nonly\nc2/0.png\n"
    listed = listed_images(list_of(tmp_path, text), candidates)
    drawn = draw(candidates, protocol_of(2, 2), "set", listed=listed)
    assert [one.item for one in drawn.main] == ["c0/2.png", "c0/only.png", "c2/0.png", "c2/1.png"]
    assert drawn.classes == ("c0", "c2")
    assert {one.class_id for one in drawn.practice} <= {"c0", "c2"}
    assert not set(drawn.main) & {*drawn.practice, *drawn.left}
    assert draw(candidates, protocol_of(2, 2, seed=9), "set", listed=listed).main == drawn.main


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("c0/0.png\nc7/0.png\n", "line 2: c7/0.png is not an image of the set"),
        ("c0/0.png\n\n0.png\n", "line 3: 0.png names several images; write its path"),
        ("c0/0.png\nc0/0.png\n", "line 2: c0/0.png occurs twice"),
        ("c0/0.png\nc0/1.png\nc1/0.png\n", "1 of class c1, but images.images_per_class is 2"),
        ("c0/0.png\nc0/1.png\n", "of 1 classes, but images.classes is 2"),
        ("c0/0.png\nc0/1.png\nc1/0.png\nc1/5.png\n", "c1/5.png is none of set; take it off"),
    ],
)
def test_a_list_that_cannot_be_shown_is_refused_in_one_line(text, said, tmp_path):
    candidates, path = candidates_of([6, 6]), list_of(tmp_path, text)

    def drawn():
        listed = listed_images(path, candidates)
        return draw(candidates, protocol_of(2, 2), "set", lambda one: one.stem != "5", listed)

    with pytest.raises(UserError, match=said) as refused:
        drawn()
    assert str(refused.value).startswith("--images")
    assert "\n" not in str(refused.value)


def test_a_list_that_cannot_be_read_or_leaves_a_named_class_out_is_refused(tmp_path):
    candidates = candidates_of([3, 3, 3])
    with pytest.raises(UserError, match="can't be read"):
        listed_images(tmp_path / "none.txt", candidates)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="is not UTF-8 text"):
        listed_images(tmp_path / "bytes", candidates)
    listed = [one for one in candidates if one.class_id != "c2" and one.stem != "2"]
    with pytest.raises(UserError, match="has no images of c2, which"):
        draw(candidates, protocol_of(2, 2, named=("c0", "c2")), "set", listed=listed)


def test_people_see_the_middle_square_and_the_network_the_whole_of_it(tmp_path):
    """A wide photograph of three stripes: the outer ones are gone, and stay gone."""
    photo = np.zeros((40, 120, 3), dtype=np.uint8)
    photo[:, :40], photo[:, 40:80], photo[:, 80:] = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    for label in ("a", "b"):
        (tmp_path / label).mkdir()
        Image.fromarray(photo).save(tmp_path / label / "wide.png")
    first, _ = photo_candidates(tmp_path)
    assert (first.item, first.class_id, first.stem) == ("a/wide.png", "a", "wide")
    shown = first.read(64)
    assert shown.picture.shape == (64, 64, 3)
    assert shown.whole_size == (120, 40)
    assert shown.figure is None
    assert (shown.picture[:, 4:60, 1] == 255).all()
    seen = in_frame(shown.picture, InputFrame(36, 32))
    assert seen.shape == (32, 32, 3)
    assert np.abs(seen[16].astype(int) - shown.picture[32, ::2]).max() < 80
    assert (seen[:, 3:29, 1] == 255).all()
