"""LIME against scikit-learn's fits, against the true weights, and against the package `lime`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import Ridge

from tests.xai_backend.studies.simulatability.stand_ins import (
    LEVELS,
    row,
    sentence,
    table_domain,
    text_domain,
)
from xai_backend.studies.simulatability.methods.lime import (
    SAMPLES,
    forward_selection,
    lime,
    rows_drawn,
    words_left_out,
)

SENTENCE = sentence("the good plot is awful , the cast is good .")
ROW = row("Age <= 28.00", "Male", "Service", "High gains")
REPLICATES = 20


def rng(number=0):
    return np.random.default_rng(number)


def slow_selection(present, target, weight, most):
    """Features as `lime` adds them: by the score of an unpenalised fit with each in turn."""
    chosen = []
    for _ in range(min(most, present.shape[1])):
        left = [one for one in range(present.shape[1]) if one not in chosen]
        scores = []
        for one in left:
            own = present[:, [*chosen, one]]
            fit = Ridge(alpha=0, solver="svd").fit(own, target, sample_weight=weight)
            scores.append(fit.score(own, target, sample_weight=weight))
        chosen.append(left[int(np.argmax(scores))])
    return chosen


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 5))
def test_features_are_those_of_the_slow_selection(seed, features, most):
    draw = np.random.default_rng(seed)
    present = draw.random((60, features)) < draw.uniform(0.2, 0.8, features)
    target, weight = draw.random(60), draw.uniform(0.1, 1, 60)
    fast = forward_selection(present, target, weight, most)
    assert fast.tolist() == slow_selection(present.astype(float), target, weight, most)


def test_samples_leave_out_all_occurrences_of_1_to_all_words():
    around = words_left_out(SENTENCE, rng())
    assert around.names == ("the", "good", "plot", "is", "awful", "cast")
    assert around.places[:2] == ((0, 6), (1, 9))
    out = (~around.present[1:]).sum(axis=1)
    shares = np.bincount(out, minlength=7)[1:] / (SAMPLES - 1)
    assert around.present[0].all()
    assert out.min() == 1
    assert shares == pytest.approx(np.full(6, 1 / 6), abs=0.025)
    text = around.inputs_of(around.codes[1:2])[0].tokens
    kept = {name for name, there in zip(around.names, around.present[1], strict=True) if there}
    assert text == tuple(word for word in SENTENCE.tokens if word in kept | {",", "."})


def test_weights_are_those_of_a_fit_on_the_models_probabilities():
    domain = text_domain()
    found = lime(domain, SENTENCE, 6, "near_code", rng())
    around = words_left_out(SENTENCE, rng())
    inputs = around.inputs_of(around.codes)
    target = expit(domain.model.margins(inputs))
    fit = Ridge(alpha=1.0).fit(around.present, target, sample_weight=around.similarity)
    true = dict(zip(around.names, fit.coef_, strict=True))
    assert {one.name: one.weight for one in found.features} == pytest.approx(true, abs=1e-5)
    assert found.baseline == pytest.approx(fit.intercept_, abs=1e-5)
    assert found.total == pytest.approx(found.baseline + found.weights_sum, abs=2e-6)
    weights = [one.weight for one in found.features]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize("variant", ["near_code", "near_paper"])
def test_values_have_the_signs_of_their_evidence(variant):
    found = lime(table_domain(), ROW, 4, variant, rng())
    signs = {one.name: one.weight > 0 for one in found.features}
    assert signs == {
        "Gains = High gains": True,
        "Sex = Male": True,
        "Work = Service": False,
        "Age <= 28.00": False,
    }
    assert {one.places for one in found.features} == {(0,), (1,), (2,), (3,)}


def test_values_are_drawn_by_their_shares_or_with_their_rows():
    domain = table_domain()
    share = domain.space.shares["Age"][LEVELS["Age"].index("Age <= 28.00")]
    for variant in ("near_code", "near_paper"):
        around = rows_drawn(domain, ROW, variant, rng())
        assert around.present[:, 0].mean() == pytest.approx(share, abs=0.03)
    first = rows_drawn(domain, ROW, "near_paper", rng())
    assert first.present[0].all()


def test_a_sentence_of_signs_has_no_weights():
    assert lime(text_domain(), sentence(". , --"), 5, "near_code", rng()) is None


def z_scores(ours, theirs):
    """Differences of mean weights in standard errors, by feature."""
    names = {name for one in (*ours, *theirs) for name in one}
    a, b = (
        np.array([[one.get(name, np.nan) for name in sorted(names)] for one in some])
        for some in (ours, theirs)
    )
    error = np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b))
    return dict(zip(sorted(names), (a.mean(axis=0) - b.mean(axis=0)) / error, strict=True))


@pytest.mark.slow
def test_text_weights_are_those_of_the_package_lime():
    lime_text = pytest.importorskip("lime.lime_text")
    domain = text_domain()

    def probabilities(texts):
        margins = domain.model.margins([sentence(text or ".") for text in texts])
        return np.column_stack([expit(-margins), expit(margins)])

    ours, theirs = [], []
    for number in range(REPLICATES):
        found = lime(domain, SENTENCE, 4, "near_code", rng(number))
        ours.append({one.name: one.weight for one in found.features} | {"": found.baseline})
        explainer = lime_text.LimeTextExplainer(random_state=number)
        said = explainer.explain_instance(
            " ".join(SENTENCE.tokens), probabilities, num_features=4, num_samples=SAMPLES
        )
        theirs.append(dict(said.as_list()) | {"": said.intercept[1]})
    scores = z_scores(ours, theirs)
    print("text:", {name: round(z, 2) for name, z in scores.items()})
    assert len(scores) == 5
    assert max(map(abs, scores.values())) < 4


@pytest.mark.slow
def test_table_weights_are_those_of_the_package_lime():
    lime_tabular = pytest.importorskip("lime.lime_tabular")
    domain = table_domain()
    codes = {column: {level: k for k, level in enumerate(own)} for column, own in LEVELS.items()}

    def coded(one):
        return [codes[column][value] for column, value in zip(LEVELS, one.values, strict=True)]

    def probabilities(rows):
        named = [
            row(*(LEVELS[column][int(k)] for column, k in zip(LEVELS, one, strict=True)))
            for one in rows
        ]
        margins = domain.model.margins(named)
        return np.column_stack([expit(-margins), expit(margins)])

    training = np.array([coded(one.instance) for one in domain.splits["train"]])
    ours, theirs = [], []
    for number in range(REPLICATES):
        found = lime(domain, ROW, 3, "near_paper", rng(number))
        ours.append({one.places[0]: one.weight for one in found.features} | {-1: found.baseline})
        explainer = lime_tabular.LimeTabularExplainer(
            training,
            categorical_features=range(len(LEVELS)),
            categorical_names=dict(enumerate(LEVELS.values())),
            random_state=number,
        )
        said = explainer.explain_instance(
            np.array(coded(ROW)), probabilities, num_features=3, num_samples=SAMPLES
        )
        theirs.append(dict(said.local_exp[1]) | {-1: said.intercept[1]})
    scores = z_scores(ours, theirs)
    print("table:", {name: round(z, 2) for name, z in scores.items()})
    assert len(scores) == 4
    assert max(map(abs, scores.values())) < 4


def test_fidelity_is_the_weighted_share_of_variance_that_is_explained():
    domain = text_domain()
    found = lime(domain, SENTENCE, 3, "near_code", rng())
    around = words_left_out(SENTENCE, rng())
    target = expit(domain.model.margins(around.inputs_of(around.codes)))
    told = found.baseline + sum(
        one.weight * around.present[:, around.names.index(one.name)] for one in found.features
    )
    mean = np.average(target, weights=around.similarity)
    left, whole = (around.similarity @ (target - one) ** 2 for one in (told, mean))
    assert found.fidelity == pytest.approx(1 - left / whole, abs=1e-3)
    assert 0 < found.fidelity < 1
