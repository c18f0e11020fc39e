"""Composing: the same material makes the same pack, what is shown is what was given."""

from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from stimuli.maps.origin import NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.studies.simulatability import tables
from stimuli.studies.simulatability.material import OF_TWO
from stimuli.studies.simulatability.stimulus import EDITS, EXPLANATION, INPUT
from stimuli.studies.simulatability.study import origins_of
from stimuli.study import simulated_people
from tests.stimuli.studies.simulatability.small import (
    pack_of,
    protocol_of,
    small_material,
    with_domain,
)

METHODS = ("lime", "decision_boundary", "composite", "omission", "mine")


@pytest.fixture(scope="module")
def pack():
    return pack_of(protocol_of(), small_material())


def items_of(material):
    return {item.key(domain.name): item for domain in material.domains for item in domain.items}


def test_every_item_is_shown_as_it_was_given(pack):
    """Input, edits, label and output of each, by what the key says it is."""
    given = items_of(small_material())
    key = {row["presentation"]: row for row in pack.table(tables.KEY)}
    rows = pack.table(tables.ITEMS)
    assert len(rows) == len(given) == len(key) == 2 * (4 + 8 + 8)
    for row in rows:
        truth = key[row["presentation"]]
        item = given[truth["item"]]
        assert INPUT.validate_json(row["input"]) == item.original
        assert (row["edits"] and EDITS.validate_json(row["edits"])) == item.edits
        shown = (None, None) if item.use == "forward" else (item.true_label, item.output)
        assert (row["shown_label"], row["shown_output"]) == shown
        assert truth["true_label"] == item.true_label
        assert truth["original_output"] == item.output
        assert truth["output"] == item.predicted
        assert (truth["flips"] is None) == (item.use != "counterfactual")
        assert truth["outcome"].startswith("true") == (item.true_label == item.output)


def test_explanations_are_of_the_items_that_show_them(pack):
    """Every method's own, of examples and counterfactuals; none of the arm without."""
    key = {row["presentation"]: row["item"] for row in pack.table(tables.KEY)}
    given = items_of(small_material())
    found = {
        (key[row["presentation"]], row["method"]): EXPLANATION.validate_json(row["explanation"])
        for row in pack.table(tables.EXPLANATIONS)
    }
    assert found == {
        (name, method): item.explanations[method]
        for name, item in given.items()
        if item.use != "forward"
        for method in METHODS
    }


def orders_of(pack):
    orders = defaultdict(list)
    for row in pack.table(tables.LISTS):
        orders[row["list"], row["arm"], row["section"]].append(row["presentation"])
        assert row["position"] == len(orders[row["list"], row["arm"], row["section"]])
    return orders


def test_each_list_holds_every_arm_and_each_arm_its_domains_items_in_orders_of_their_own():
    protocol = protocol_of(design={"sheets": 3})
    pack = pack_of(protocol, small_material())
    orders, rows = orders_of(pack), {row["presentation"]: row for row in pack.table(tables.ITEMS)}
    lists = {f"sheet-{number:02d}" for number in (1, 2, 3)}
    assert {key[:2] for key in orders} == {(one, arm) for one in lists for arm in protocol.arms}
    tests = Counter()
    for domain in ("text", "tabular"):
        learning = set()
        for (_, arm, section), names in orders.items():
            if not arm.startswith(domain):
                continue
            use = "learning" if section.startswith("learning") else section.partition("_")[0]
            own = {n for n, row in rows.items() if (row["domain"], row["use"]) == (domain, use)}
            assert set(names) == own
            assert len(names) == len(own)
            if use == "learning":
                learning.add(tuple(names))
            else:
                tests[tuple(names)] += 1
        assert len(learning) == 1
    assert set(tests.values()) == {1}


def test_given_orders_are_kept(pack):
    """Examples have theirs in all methods, a test's in the sheets of its method alone."""
    material = small_material()
    text = material.domains[0]
    ids = {
        use: [item.source_id for item in text.items if item.use == use]
        for use in ("learning", "forward", "counterfactual")
    }
    orders = {
        ("lime", "learning"): ids["learning"],
        ("lime", "forward_pre"): ids["forward"],
        ("lime", "counterfactual_post"): ids["counterfactual"][::-1],
    }
    made = pack_of(protocol_of(), with_domain(material, orders=orders))
    source = {row["presentation"]: row["source_id"] for row in made.table(tables.KEY)}
    found = {key[1:]: [source[name] for name in names] for key, names in orders_of(made).items()}
    assert found["text_lime", "forward_pre"] == ids["forward"]
    assert found["text_lime", "counterfactual_post"] == ids["counterfactual"][::-1]
    assert found["text_composite", "forward_pre"] != ids["forward"]
    for method in (*METHODS, "no_explanation"):
        for section in ("learning", "learning_again"):
            assert found[f"text_{method}", section] == ids["learning"]


@pytest.mark.parametrize("per_test", [8, 16, 24])
def test_the_short_half_is_balanced_as_the_whole_is(per_test):
    """Half of each outcome; flips as even in each outcome as the numbers allow."""
    protocol = protocol_of(items={"per_test": per_test}, design={"methods": ["mine"]})
    from stimuli.studies.simulatability.sketch import sketch

    pack = sketch(protocol)
    items = {row["presentation"]: row for row in pack.table(tables.ITEMS)}
    counts, flips = Counter(), Counter()
    for row in pack.table(tables.KEY):
        if row["short"]:
            own = items[row["presentation"]]
            cell = own["domain"], own["use"], row["outcome"]
            counts[cell] += 1
            flips[cell] += bool(row["flips"])
    assert set(counts) == {
        (domain, use, outcome)
        for domain in ("text", "tabular")
        for use in ("forward", "counterfactual")
        for outcome in OF_TWO
    }
    assert set(counts.values()) == {per_test // 8}
    changed = [n for (_, use, _), n in flips.items() if use == "counterfactual"]
    assert sum(changed) == 2 * per_test // 4
    assert max(changed) - min(changed) == (per_test // 8) % 2


def test_the_same_material_in_any_order_makes_the_same_pack(pack):
    material = small_material()
    turned = replace(
        material,
        domains=[replace(one, items=one.items[::-1]) for one in material.domains[::-1]],
    )
    assert pack_of(protocol_of(), turned).pack_id == pack.pack_id
    other = pack_of(protocol_of().model_copy(update={"seed": 2}), material)
    names = [{row["presentation"] for row in own.table(tables.ITEMS)} for own in (pack, other)]
    assert not names[0] & names[1]


def test_explanations_of_robots_are_said_to_be_simulated(pack):
    assert simulated_people(pack) == ""
    origins = {
        "mine": Origin(RESPONSE_MODEL, "robot"),
        "lime": Origin(NETWORK, ""),
        "omission": Origin(PEOPLE, "the lab"),
    }
    made = pack_of(protocol_of(), replace(small_material(), origins=origins))
    said = "the explanations of method mine come from response models (robot)"
    assert simulated_people(made) == said
    assert set(origins_of(made)) == {
        f"the explanations of method {name}"
        for name in ("lime", "composite", "decision_boundary", "mine", "omission")
    }
