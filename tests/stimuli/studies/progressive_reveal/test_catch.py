"""Catch rounds: what they uncover, and where lists have them."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.lists import (
    CATCH_KINDS,
    catch_kind,
    catch_method,
    catch_schedule,
    lists_of,
)
from stimuli.studies.progressive_reveal.material import Picture
from stimuli.studies.progressive_reveal.sketch import sketch, sketch_material
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE, ITEMS, KEY
from tests.stimuli.studies.progressive_reveal.small import protocol_of, shown_in
from tests.stimuli.studies.progressive_reveal.test_lists import designs, even, images_of

CATCH = {"session": {"catch_rounds": 4}}


def pictures(size_px=64):
    protocol = protocol_of(images={"size_px": size_px}, **CATCH)
    return sketch_material(protocol).catch


def test_a_hidden_image_shows_a_growing_spot_beside_the_object_and_all_at_the_last_step():
    for picture in pictures():
        found = catch_schedule(picture, "hidden", 15)
        counted = [int((found.step_of <= step).sum()) for step in range(1, 16)]
        assert list(found.pixels) == counted
        assert counted[-1] == 64 * 64
        assert 1 <= counted[0] < counted[-2] == int(0.02 * 64 * 64)
        spot = found.step_of < 15
        assert not (spot & picture.figure).any()
        rows, columns = np.nonzero(spot)
        assert max(np.ptp(rows), np.ptp(columns)) <= 2 * np.sqrt(spot.sum() / np.pi) + 1
        assert (np.diff(counted[:-1]) >= 0).all()


def test_without_a_known_figure_the_spot_lies_where_there_is_least_to_see():
    """Half of the picture is noise; the spot lies in the other half, off the middle."""
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    noise[:, 32:] = 90
    spot = catch_schedule(Picture("a", "b", noise), "hidden", 5).step_of < 5
    assert np.nonzero(spot)[1].min() > 34


def test_the_kind_follows_from_what_stands_in_the_methods_place():
    assert [catch_kind(catch_method(kind)) for kind in CATCH_KINDS] == list(CATCH_KINDS)
    assert [catch_kind(name) for name in ("human", "catch", "catch_me")] == [None] * 3


def caught_of(protocol):
    return {f"k{n}": f"c{n % 2}" for n in range(protocol.session.catch_rounds)}


@settings(max_examples=30, deadline=None)
@given(designs(), st.integers(0, 9), st.text(max_size=3))
def test_catch_rounds_are_even_over_sittings_never_first_and_change_no_main_round(
    protocol, wanted, key
):
    count = min(wanted, protocol.rounds // 2)
    session = protocol.session.model_copy(update={"catch_rounds": count})
    protocol = protocol.model_copy(update={"session": session})
    main, practice = images_of(protocol)
    catch = caught_of(protocol)
    plain = lists_of(protocol, main, practice, key)
    kinds_of = defaultdict(set)
    for name, entries in lists_of(protocol, main, practice, key, catch).items():
        by_sitting = defaultdict(list)
        for entry in entries:
            by_sitting[entry.sitting].append(entry)
        for own in by_sitting.values():
            assert [entry.position for entry in own] == list(range(1, len(own) + 1))
            is_catch = [catch_kind(entry.method) is not None for entry in own]
            assert not is_catch[0]
            assert not any(one and other for one, other in pairwise(is_catch))
        caught = [entry for entry in entries if catch_kind(entry.method)]
        assert sorted(entry.item for entry in caught) == sorted(catch)
        assert even(Counter(entry.method for entry in caught).values())
        sittings = range(1, protocol.session.sittings + 1)
        assert even([sum(e.sitting == s for e in caught) for s in sittings])
        for kind in CATCH_KINDS:
            of_kind = [e for e in caught if e.method == catch_method(kind)]
            assert even([sum(e.sitting == s for e in of_kind) for s in sittings])
        for entry in caught:
            kinds_of[entry.item].add(entry.method)
        rest = [(e.sitting, e.item, e.method) for e in entries if not catch_kind(e.method)]
        assert rest == [(e.sitting, e.item, e.method) for e in plain[name]]
    if len(plain) > 1:
        assert all(len(kinds) == len(CATCH_KINDS) for kinds in kinds_of.values())


def test_the_default_has_one_of_each_kind_in_each_of_three_sittings():
    protocol = load_protocol("progressive_reveal")
    main, practice = images_of(protocol)
    catch = {f"k{n}": f"c{n}" for n in range(protocol.session.catch_rounds)}
    places = Counter()
    for entries in lists_of(protocol, main, practice, "key", catch).values():
        caught = [entry for entry in entries if catch_kind(entry.method)]
        assert sorted((e.sitting, catch_kind(e.method)) for e in caught) == [
            (sitting, kind) for sitting in (1, 2, 3) for kind in ("hidden", "whole")
        ]
        ordered = sorted((e for e in entries if e.sitting), key=lambda e: (e.sitting, e.position))
        class_of = {**main, **catch}
        for one, other in pairwise(ordered):
            assert one.sitting != other.sitting or class_of[one.item] != class_of[other.item]
        places.update(entry.position for entry in caught)
    assert len(places) > 20  # nobody can tell by the place


def test_a_pack_holds_them_with_images_of_their_own_and_tells_nobody():
    pack = sketch(protocol_of(**CATCH))
    use_of = {row["item"]: row["use"] for row in pack.table(ITEM_TABLE)}
    assert Counter(use_of.values()) == {"main": 12, "practice": 2, "catch": 4}
    key = {row["presentation"]: row for row in pack.table(KEY)}
    for row in pack.table(ITEMS):
        truth = key[row["presentation"]]
        caught = use_of[truth["item"]] == "catch"
        assert (catch_kind(truth["method"]) is not None) == caught
        assert not any("catch" in str(value) for value in row.values())
        if caught:
            assert truth["final_pixels"] == 32 * 32
            assert truth["model_class"] is None
    for rows in shown_in(pack).values():
        assert sum(use_of[row["item"]] == "catch" for row in rows) == 4
        assert len({row["item"] for row in rows}) == len(rows)
