"""Who knows no explanation is right on half of every test, and a builder refuses the rest."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.studies.simulatability.compose import check_scores, scores
from stimuli.studies.simulatability.material import OF_TWO, Item, outcome_of, short_half
from stimuli.studies.simulatability.sketch import sketch
from stimuli.studies.simulatability.stimulus import Edit, TextInput
from tests.stimuli.studies.simulatability.guessing import scores_of
from tests.stimuli.studies.simulatability.small import protocol_of

CLASSES = ("neg", "pos")
CLASS_ROWS = [{"domain": "text", "class": name, "positive": name == "pos"} for name in CLASSES]
OTHER = dict(zip(CLASSES, CLASSES[::-1], strict=True))


def balanced(per_outcome: int, use: str) -> list[Item]:
    """Return so many items of each outcome, half of whose changes flip the output."""
    items = []
    for outcome in OF_TWO:
        output = "pos" if outcome.endswith("positive") else "neg"
        for nth in range(per_outcome):
            changes = {}
            if use == "counterfactual":
                changes = {
                    "edits": (Edit(place=0, old="a", new="b"),),
                    "edited_output": OTHER[output] if nth % 2 else output,
                }
            items.append(
                Item(
                    use=use,
                    split="test",
                    source_id=f"{outcome}-{nth}",
                    original=TextInput(tokens=("a",)),
                    true_label=output if outcome.startswith("true") else OTHER[output],
                    output=output,
                    **changes,
                )
            )
    return items


def rows(items: list[Item], key: str):
    """Return the rows of a pack's items and key, as `compose` makes them."""
    short = short_half(items, "text", ("neg", "pos"), key)
    shown = [{"presentation": item.source_id, "domain": "text", "use": item.use} for item in items]
    keys = [
        {
            "presentation": item.source_id,
            "true_label": item.true_label,
            "original_output": item.output,
            "output": item.predicted,
            "outcome": outcome_of(item.true_label, item.output, ("neg", "pos")),
            "short": item.key("text") in short,
        }
        for item in items
    ]
    return shown, keys


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 8), st.sampled_from(["forward", "counterfactual"]), st.text("abc", max_size=4)
)
def test_balanced_items_leave_every_strategy_at_half(pairs, use, key):
    """In the whole test and in its short half, whatever the number of items and the seed."""
    shown, keys = rows(balanced(2 * pairs, use), key)
    found = list(scores(shown, keys, CLASS_ROWS))
    assert len(found) == 2 * (4 if use == "counterfactual" else 3)
    assert {score.items for score in found} == {8 * pairs, 4 * pairs}
    check_scores(found)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.sampled_from(["forward", "counterfactual"]), st.data())
def test_a_planted_imbalance_is_refused_with_its_score(pairs, use, data):
    """One output turned over: somebody is right on more or less than half, as counted here."""
    shown, keys = rows(balanced(2 * pairs, use), "key")
    row = data.draw(st.sampled_from(keys))
    row["output"] = OTHER[row["output"]]
    by_hand = {
        "the true label": Counter(one["true_label"] == one["output"] for one in keys)[True],
        "the class neg": Counter(one["output"] for one in keys)["neg"],
        "the class pos": Counter(one["output"] for one in keys)["pos"],
    }
    whole = {s.strategy: s.right for s in scores(shown, keys, CLASS_ROWS) if not s.short}
    assert by_hand.items() <= whole.items()
    assert whole["the true label"] != 4 * pairs
    with pytest.raises(
        UserError, match=f"text, {use}: a person who .* of {8 * pairs} items; balance"
    ):
        check_scores(scores(shown, keys, CLASS_ROWS))


@pytest.mark.parametrize("per_test", [8, 32, 40])
def test_on_a_sketch_every_strategy_is_right_on_half(per_test):
    pack = sketch(protocol_of(items={"per_test": per_test}, design={"methods": ["mine"]}))
    found = scores_of(pack)
    assert len(found) == 2 * 2 * (4 + 3)
    assert all(2 * score.right == score.items for score in found)
    assert {score.items for score in found} == {per_test, per_test // 2}
