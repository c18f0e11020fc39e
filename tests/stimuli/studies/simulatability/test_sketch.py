"""A sketch is the same for the same protocol, and its made-up model explains itself truly."""

import pytest

from stimuli.studies.simulatability.sketch import SKETCH_MODELS, sketch, sketch_material
from stimuli.studies.simulatability.stimulus import edited
from tests.stimuli.studies.simulatability.small import protocol_of

DESIGN = {"methods": ["lime", "anchor", "prototype", "decision_boundary", "omission"]}


def test_a_sketch_follows_from_its_protocol():
    one, again, other = (sketch(protocol_of(design={"sheets": n})) for n in (1, 1, 2))
    assert one.pack_id == again.pack_id != other.pack_id
    assert one.pack_id.startswith("sketch-")


@pytest.mark.parametrize("domain", sorted(SKETCH_MODELS))
def test_what_explanations_say_is_so(domain):
    """Omission's terms make up the margin, a path changes the output at its end and not before."""
    model = SKETCH_MODELS[domain]
    protocol = protocol_of(design={**DESIGN, "domains": [domain]}, explained={"boundary_steps": 20})
    (material,) = sketch_material(protocol).domains
    for item in material.items:
        assert model.output(item.original) == item.output
        if item.use == "forward":
            assert not item.explanations
            continue
        made = item.explanations
        terms = sum(term.weight for term in made["omission"].terms)
        assert terms == pytest.approx(made["omission"].margin - 0.05)
        said = [
            model.output(edited(item.original, s.edits)) for s in made["decision_boundary"].steps
        ]
        target = made["decision_boundary"].target
        assert target != item.output
        assert said == [*[item.output] * (len(said) - 1), target]
        assert made["lime"].total == pytest.approx(made["lime"].baseline + made["lime"].weights_sum)
        assert (made["lime"].total > 0.5) == (item.output == model.classes[1])
        assert made["anchor"].outcome == made["prototype"].label == item.output
        assert model.output(made["prototype"].prototype) == item.output
