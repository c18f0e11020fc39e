"""Terms by omission, and Prototype, against the additive models' own weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.xai_backend.studies.simulatability.stand_ins import (
    CLASSES,
    VALUES,
    WEIGHTS,
    row,
    sentence,
    table_domain,
    text_domain,
)
from xai_backend.studies.simulatability.methods.prototype import omission, prototype, shown_places

SENTENCE = sentence("the good plot is awful , a good film .")
ROW = row("Age <= 28.00", "Male", "Service", "High gains")


@pytest.mark.parametrize(
    ("domain", "one", "weights"),
    [(text_domain(), SENTENCE, WEIGHTS), (table_domain(), ROW, VALUES)],
)
def test_terms_are_the_parts_own_weights(domain, one, weights):
    found = omission(domain.model, one)
    assert len(found.terms) == len(one.parts)
    for term in found.terms:
        (place,) = term.places
        assert term.weight == pytest.approx(weights.get(one.parts[place], 0.0), abs=1e-6)
    assert found.margin == pytest.approx(domain.model.margins([one])[0])
    order = [term.weight for term in found.terms]
    assert order == sorted(order)


@pytest.mark.parametrize("one", text_domain().splits["test"][:6], ids=lambda one: one.source_id)
def test_the_prototype_is_the_nearest_and_its_evidence_has_its_sign(one):
    network = text_domain().prototypes
    distances = [
        ((network.latents([one.instance]) - network.latents([own])) ** 2).sum()
        for own in network.prototypes
    ]
    nearest = int(np.argmin(distances))
    found = prototype(network, one.instance, 6)
    assert found.prototype == network.prototypes[nearest]
    assert found.label == CLASSES[nearest]
    sign = 1 if found.label == "pos" else -1
    assert found.evidence == pytest.approx(sign * 10 * np.exp(-distances[nearest]), abs=1e-6)


def slow_shown(scores, most):
    """The published rule, straight from its words."""
    largest = max(abs(score) for score in scores)
    threshold = min(0.1, largest / 2) if largest > 0.1 else 0.03
    enough = sorted((score, place) for place, score in enumerate(scores) if abs(score) >= threshold)
    if len(enough) > most:
        enough = enough[: most // 2] + enough[-(most - most // 2) :]
    return [place for _, place in enough]


@given(
    st.lists(st.floats(-2, 2) | st.floats(-0.12, 0.12), min_size=1, max_size=12),
    st.integers(1, 8),
)
def test_shown_terms_are_those_of_the_slow_rule(scores, most):
    assert shown_places(np.array(scores), most) == slow_shown(scores, most)


@pytest.mark.parametrize("label", CLASSES)
def test_terms_are_ten_times_the_change_of_the_prototypes_own_class(label):
    """The other class's score has no part in them, however far it is from the margin's."""
    network = text_domain().prototypes
    one = network.prototypes[CLASSES.index(label)]
    found = prototype(network, one, 100)
    assert (found.label, found.prototype) == (label, one)
    sign = 1 if label == "pos" else -1
    assert found.evidence == 10 * sign

    def score(parts):
        z, p = (network.latents([sentence(" ".join(own))])[0] for own in (parts, one.parts))
        return np.exp(-((z - p) ** 2).sum())

    for term in found.terms:
        (place,) = term.places
        parts = [*one.parts[:place], "<unk>", *one.parts[place + 1 :]]
        assert term.weight == pytest.approx(10 * sign * (1 - score(parts)), abs=1e-6)
    assert len(found.terms) == sum(part in WEIGHTS for part in one.parts)
