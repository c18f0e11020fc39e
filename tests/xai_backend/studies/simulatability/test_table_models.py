import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import TableInput, edited
from tests.xai_backend.studies.simulatability.tables import small_trained
from xai_backend.studies.simulatability.table_store import (
    Coding,
    OneHot,
    TableChanges,
    fitted_chances,
    one_hot,
)

VARIANTS = ("near_code", "near_paper")
LEVELS = {"a": ("1", "2"), "b": ("x", "y", "z"), "c": ("no", "yes")}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return {v: small_trained(tmp_path_factory.mktemp(v), v) for v in VARIANTS}


@pytest.fixture(params=VARIANTS)
def trained(made, request):
    return made[request.param]


def inputs_of(trained, split="test"):
    return [row.instance for row in trained.splits[split]]


def test_models_learn_and_prototypes_are_training_rows_that_differ(trained):
    assert min(trained.accuracy) > 0.75
    network, train = trained.prototypes, trained.splits["train"]
    assert network.prototype_labels == ("no",) * 4 + ("yes",) * 4
    assert len({*zip(network.prototypes, network.prototype_labels, strict=True)}) == 8
    known = {(row.instance, row.label) for row in train}
    assert known.issuperset(zip(network.prototypes, network.prototype_labels, strict=True))
    likeness = network.likeness(network.prototypes)
    np.testing.assert_allclose(np.diag(likeness), 1, atol=1e-9)
    assert likeness.min() >= 0


def test_margins_are_log_odds_and_dont_depend_on_what_is_read_together(trained):
    given = inputs_of(trained)
    for model in (trained.model, trained.prototypes):
        margins = model.margins(given)
        codes = torch.from_numpy(model.coding.codes(given))
        chances = model.network(codes).softmax(dim=1).numpy()
        np.testing.assert_allclose(margins, np.log(chances[:, 1] / chances[:, 0]), atol=1e-9)
        alone = [model.margins([one])[0] for one in given]
        assert margins.tolist() == alone
        assert model.latents(given).shape[0] == len(given)
        assert model.margins([]).shape == (0,)


def test_the_margin_without_a_value_is_the_definitions(trained):
    """Appendix A.1, by loops: Σ over values of p(value | the other columns) · margin."""
    levels, train = trained.space.levels, inputs_of(trained, "train")
    for given_row in inputs_of(trained)[:3]:
        for model in (trained.model, trained.prototypes):
            expected = []
            for place, name in enumerate(trained.space.columns):
                others = [c for c in levels if c != name]
                hot = [
                    [
                        float(row.values[row.columns.index(c)] == v)
                        for c in others
                        for v in levels[c]
                    ]
                    for row in [*train, given_row]
                ]
                fit = LogisticRegression(max_iter=1000)
                fit.fit(hot[:-1], [row.values[place] for row in train])
                total = 0.0
                chances = fit.predict_proba(hot[-1:])[0]
                for value, chance in zip(fit.classes_, chances, strict=True):
                    values = [*given_row.values]
                    values[place] = str(value)
                    changed = given_row.model_copy(update={"values": tuple(values)})
                    total += chance * model.margins([changed])[0]
                expected.append(total)
            np.testing.assert_allclose(model.margins_without(given_row), expected, atol=1e-4)


def test_a_value_that_was_never_seen_has_no_chance():
    codes = np.array([[0, 0, 0], [1, 2, 0], [0, 2, 0], [1, 0, 0]] * 5)
    chances = fitted_chances(codes, (2, 3, 2))
    for place, seen in enumerate(([True, True], [True, False, True], [True, False])):
        found = chances.of_column(codes[:4], place)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert ((found > 0) == seen).all()


def test_the_same_seed_makes_the_same_bytes_and_a_file_is_found_again(tmp_path):
    for folder in ("one", "two"):
        small_trained(tmp_path, folder=folder, epochs=3)
    (one,), (two,) = ((tmp_path / name).iterdir() for name in ("one", "two"))
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()
    stamp = one.stat().st_mtime_ns
    small_trained(tmp_path, folder="one", epochs=3)
    assert one.stat().st_mtime_ns == stamp
    small_trained(tmp_path, folder="one", epochs=3, seed=1)
    assert len([*(tmp_path / "one").iterdir()]) == 2


def test_a_torn_file_is_refused_by_name(tmp_path):
    small_trained(tmp_path, epochs=3)
    (file,) = (tmp_path / "models").iterdir()
    whole = file.read_bytes()
    for torn in (b"", whole[:100], whole[:-1]):
        file.write_bytes(torn)
        with pytest.raises(UserError, match=rf"{file.name}: contains no valid models.*delete it"):
            small_trained(tmp_path, epochs=3)


def test_one_hot_inputs_have_a_one_for_each_value():
    coding = Coding(LEVELS)
    rows = [
        TableInput(columns=tuple("abc"), values=v) for v in (("2", "x", "no"), ("1", "z", "yes"))
    ]
    codes = coding.codes(rows)
    expected = [
        [v == row.values[k] for k, c in enumerate(LEVELS) for v in LEVELS[c]] for row in rows
    ]
    assert one_hot(codes, coding.sizes).tolist() == expected
    assert OneHot(coding.sizes)(torch.from_numpy(codes)).tolist() == expected
    assert [coding.row(row) for row in codes] == rows
    with pytest.raises(ValueError, match="'q' isn't a value of its column"):
        coding.codes([rows[0].model_copy(update={"values": ("q", "x", "no")})])


@given(st.tuples(*map(st.sampled_from, LEVELS.values())), st.integers(1, 5), st.integers(0, 10**6))
def test_a_change_is_of_a_few_columns_and_never_to_the_old_value(values, most, seed):
    row = TableInput(columns=tuple("abc"), values=values)
    space = TableChanges(tuple("abc"), LEVELS, {})
    edits = next(space.changes(row, most, np.random.default_rng(seed)))
    changed = edited(row, edits)
    differ = [k for k in range(3) if changed.values[k] != values[k]]
    assert differ == [edit.place for edit in edits]
    assert 1 <= len(edits) <= min(most, 3)
    assert all(changed.values[k] in LEVELS["abc"[k]] for k in differ)
