"""What tells an answer is found: the same input elsewhere, or a step of a path to the boundary."""

from dataclasses import replace

import pytest

from stimuli.studies.simulatability.material import answers_shown_before
from stimuli.studies.simulatability.stimulus import Boundary, BoundaryStep
from tests.stimuli.studies.simulatability.small import small_material

FORWARD_FIRST = ("forward", "counterfactual")
ORDERS = (FORWARD_FIRST,)
EXCHANGED = (FORWARD_FIRST[::-1],)
DOMAINS = [pytest.param(domain, id=domain.name) for domain in small_material().domains]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_sketch_tells_nothing(domain):
    assert not list(
        answers_shown_before(
            domain.items, ORDERS, ("lime", "decision_boundary", "composite", "no_explanation")
        )
    )


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("method", ["decision_boundary", "composite"])
def test_a_path_across_what_is_predicted_tells_it(domain, method):
    items = list(domain.items)
    place = next(n for n, item in enumerate(items) if item.use == "counterfactual")
    item = items[place]
    step = BoundaryStep(edits=item.edits, margin=0.1)
    path = Boundary(target=item.predicted, margin=None, steps=(step,))
    whole = item.explanations["composite"].model_copy(update={"boundary": path})
    planted = {"decision_boundary": path, "composite": whole}
    items[place] = replace(item, explanations={**item.explanations, method: planted[method]})
    (found,) = answers_shown_before(items, ORDERS, ("decision_boundary", "composite"))
    assert (found.item, found.teller, found.method) == (items[place], items[place], method)
    assert not list(answers_shown_before(items, ORDERS, ("lime",)))


@pytest.mark.parametrize("domain", DOMAINS)
def test_an_original_that_is_the_changed_input_of_another_tells_it(domain):
    first, second = [item for item in domain.items if item.use == "counterfactual"][:2]
    twin = replace(first, source_id="twin", original=second.original, edits=second.edits)
    forward = next(item for item in domain.items if item.use == "forward")
    asked = replace(forward, original=second.original)
    for orders in (EXCHANGED, ORDERS + EXCHANGED):
        found = list(answers_shown_before([first, twin, asked], orders))
        assert [(one.item, one.teller) for one in found] == [(asked, twin)]
    # The counterfactual test comes after the forward test: then it is too late to tell.
    assert not list(answers_shown_before([first, twin, asked], ORDERS))
