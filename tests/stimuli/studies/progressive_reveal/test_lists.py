"""Lists: every image once, methods and sittings balanced, classes apart."""

from collections import Counter, defaultdict
from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.lists import apart, lists_of, spread
from tests.stimuli.studies.progressive_reveal.small import protocol_of

METHODS = ("human", "lrp", "occlusion", "protopnet", "gradcam")
PAIRS = st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abcd")), max_size=40)


def even(counts) -> bool:
    return max(counts, default=0) - min(counts, default=0) <= 1


@settings(max_examples=80, deadline=None)
@given(PAIRS, st.integers(1, 6))
def test_a_spread_is_even_over_both_values_and_over_all(pairs, parts):
    part_of = spread(pairs, parts)
    sizes = Counter(part_of)
    assert [sizes[part] for part in range(parts)] == sorted(
        (sizes[part] for part in range(parts)), reverse=True
    )
    assert even([sizes[part] for part in range(parts)])
    for side in (0, 1):
        of_value = defaultdict(Counter)
        for pair, part in zip(pairs, part_of, strict=True):
            of_value[pair[side]][part] += 1
        for found in of_value.values():
            assert even([found[part] for part in range(parts)])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("aabcd"), max_size=7))
def test_kinds_are_apart_wherever_any_order_keeps_them_so(kinds):
    values = list(enumerate(kinds))
    placed = apart(values, lambda value: value[1])
    assert sorted(placed) == values
    repeats = sum(one[1] == other[1] for one, other in pairwise(placed))
    fewest = min(
        (sum(a == b for a, b in pairwise(order)) for order in set(permutations(kinds))), default=0
    )
    assert repeats == fewest


def test_values_that_are_apart_already_keep_their_order():
    assert apart("abcabc", str) == list("abcabc")
    assert apart("abbac", str) == list("ababc")


@st.composite
def designs(draw):
    classes, images = draw(st.integers(2, 7)), draw(st.integers(1, 7))
    sittings = draw(st.integers(1, min(4, classes * images)))
    methods = METHODS[: draw(st.integers(1, 5))]
    return protocol_of(
        images={"classes": classes, "images_per_class": images},
        session={
            "sittings": sittings,
            "rounds_per_sitting": -(-classes * images // sittings),
            "practice_rounds": draw(st.integers(0, 5)),
            "orders_per_rotation": draw(st.integers(1, 2)),
        },
        reveal={"methods": methods, "reference": methods[0]},
        analysis={"reference": methods[0]},
    )


def images_of(protocol):
    classes = range(protocol.images.classes)
    main = {f"{c}/{n}": f"c{c}" for c in classes for n in range(protocol.images.images_per_class)}
    practice = {f"p{n}": "c0" for n in range(protocol.session.practice_rounds)}
    return main, practice


@settings(max_examples=30, deadline=None)
@given(designs(), st.text(max_size=3))
def test_lists_are_balanced_whatever_the_design(protocol, key):
    main, practice = images_of(protocol)
    lists = lists_of(protocol, main, practice, key)
    methods = protocol.reveal.methods
    assert len(lists) == len(methods) * protocol.session.orders_per_rotation
    assert list(lists) == sorted(lists)
    met = [Counter() for _ in range(protocol.session.orders_per_rotation)]
    for number, entries in enumerate(lists.values()):
        first = [entry for entry in entries if entry.sitting == 0]
        rounds = [entry for entry in entries if entry.sitting > 0]
        assert [entry.item for entry in first] == list(practice)
        assert sorted(entry.item for entry in rounds) == sorted(main)
        assert even([Counter(entry.method for entry in rounds)[method] for method in methods])
        by_sitting = defaultdict(list)
        for entry in rounds:
            by_sitting[entry.sitting].append(entry)
        assert sorted(by_sitting) == list(range(1, protocol.session.sittings + 1))
        assert len(by_sitting[1]) == protocol.session.rounds_per_sitting
        for own in (first, *by_sitting.values()):
            assert [entry.position for entry in own] == list(range(1, len(own) + 1))
        for method in methods:
            assert even([sum(e.method == method for e in own) for own in by_sitting.values()])
        for name in set(main.values()):
            of_method = Counter(e.method for e in rounds if main[e.item] == name)
            assert even([of_method[method] for method in methods])
            assert even([sum(main[e.item] == name for e in own) for own in by_sitting.values()])
        met[number // len(methods)].update((entry.item, entry.method) for entry in entries)
    for found in met:
        assert set(found.values()) == {1}
        assert len(found) == len(methods) * (len(main) + len(practice))


def test_the_published_design_has_102_images_in_3_sittings_and_no_class_twice_in_a_row():
    protocol = load_protocol("progressive_reveal")
    main, practice = images_of(protocol)
    lists = lists_of(protocol, main, practice, "key")
    assert len(lists) == 24
    orders = set()
    for entries in lists.values():
        rounds = [entry for entry in entries if entry.sitting > 0]
        assert [sum(e.sitting == s for e in rounds) for s in (1, 2, 3)] == [34, 34, 34]
        assert all(
            main[one.item] != main[other.item] or one.sitting != other.sitting
            for one, other in pairwise(rounds)
        )
        orders.add(tuple(entry.item for entry in rounds))
    assert len(orders) == 24


def test_an_image_comes_early_and_late_and_with_every_neighbour():
    """Over all lists no image and no method leans to a place."""
    protocol = load_protocol("progressive_reveal", None, {"session": {"orders_per_rotation": 30}})
    main, practice = images_of(protocol)
    places, of_method = defaultdict(list), defaultdict(list)
    for entries in lists_of(protocol, main, practice, "key").values():
        rounds = [entry for entry in entries if entry.sitting > 0]
        for place, entry in enumerate(rounds):
            places[entry.item].append(place)
            of_method[entry.method].append(place)
    for found in places.values():
        assert abs(sum(found) / len(found) - 50.5) < 4 * 29.4 / len(found) ** 0.5
    for found in of_method.values():
        assert abs(sum(found) / len(found) - 50.5) < 2
