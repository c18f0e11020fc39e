"""All methods of all items: the same whatever the order, kept, and whole."""

import json
from dataclasses import replace

import pytest

from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import EXPLANATION
from stimuli.workers import Kept
from tests.xai_backend.studies.simulatability.stand_ins import (
    protocol,
    sentence,
    table_domain,
    text_domain,
)
from xai_backend.studies.simulatability.explaining import Explaining, explain_all
from xai_backend.studies.simulatability.methods.around import names_of

METHODS = ("lime", "anchor", "prototype", "decision_boundary", "composite", "omission")
DOMAINS = {"text": text_domain, "tabular": table_domain}


def items_of(domain, count=2):
    return list(domain.splits["test"][:count])


@pytest.mark.parametrize(("name", "variant"), [("text", "near_code"), ("tabular", "near_paper")])
def test_a_method_says_the_same_in_any_order_and_company(name, variant):
    domain, asked = DOMAINS[name](), protocol(variant)
    items = items_of(domain)
    together = explain_all(domain, items, Explaining((*METHODS, "no_explanation"), asked, "key"))
    backwards = explain_all(domain, items[::-1], Explaining(METHODS[::-1], asked, "key"))
    for item, one, other in zip(items, together, backwards[::-1], strict=True):
        assert one == other
        assert set(one) == set(METHODS)
        for method in METHODS:
            (alone,) = explain_all(domain, [item], Explaining([method], asked, "key"))
            assert one[method] == alone[method]
            if one[method] is not None:
                text = one[method].model_dump_json()
                assert EXPLANATION.validate_json(text) == one[method]


@pytest.mark.parametrize("name", DOMAINS)
def test_the_composite_is_made_of_the_other_methods(name):
    domain = DOMAINS[name]()
    for one in explain_all(domain, items_of(domain, 5), Explaining(METHODS, protocol(), "key")):
        if one["decision_boundary"] is None or one["anchor"] is None:
            assert one["composite"] is None
            continue
        composite, path = one["composite"], one["decision_boundary"]
        assert composite.lime == one["lime"]
        assert composite.anchor == one["anchor"]
        assert composite.prototype == one["prototype"]
        assert [step.edits for step in composite.boundary.steps] == [path.steps[-1].edits]
        assert composite.boundary.target == path.target
        assert composite.boundary.margin is composite.boundary.steps[0].margin is None


def parts_of(explanation):
    """The named words and values of an explanation, those within a composite included."""
    if explanation.kind == "composite":
        inner = (explanation.lime, explanation.anchor, explanation.prototype)
        return [part for one in inner for part in parts_of(one)]
    fields = {"lime": "features", "anchor": "conditions", "prototype": "terms", "omission": "terms"}
    return getattr(explanation, fields[explanation.kind])


@pytest.mark.parametrize("name", DOMAINS)
def test_names_are_of_the_places_that_they_speak_of(name):
    domain = DOMAINS[name]()
    items = items_of(domain, 8)
    methods = ("lime", "anchor", "prototype", "omission", "composite")
    for item, said in zip(
        items, explain_all(domain, items, Explaining(methods, protocol(), "k")), strict=True
    ):
        names = names_of(item.instance)
        for explanation in filter(None, said.values()):
            for part in parts_of(explanation):
                assert part.places
                for place in part.places:
                    assert part.name in (names[place], item.instance.parts[place])


def explanation_of(method, domain, given, asked, key):
    item = replace(items_of(domain)[0], instance=given)
    (found,) = explain_all(domain, [item], Explaining([method], asked, key))
    return found[method]


def test_settings_are_the_protocols():
    domain = text_domain()
    given = sentence("the great plot is fine , the cast is good .")
    asked = protocol(lime_features=2, prototype_terms=1, boundary_steps=1)
    assert len(explanation_of("lime", domain, given, asked, "k").features) == 2
    assert len(explanation_of("prototype", domain, given, asked, "k").terms) == 1
    assert len(explanation_of("decision_boundary", domain, given, asked, "k").steps) == 1


def test_interrupted_work_goes_on(tmp_path):
    """What was kept isn't computed again, and says the same."""
    domain, path = table_domain(), tmp_path / "kept.jsonl"
    items = items_of(domain)
    whole = explain_all(domain, items, Explaining(METHODS, protocol(), "key"), keeper=Kept(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:1]) + lines[1][:20])
    first = json.loads(lines[0])["value"]
    domain.model.calls.clear()
    one = explain_all(domain, items[:1], Explaining(METHODS, protocol(), "key"), keeper=Kept(path))
    assert not domain.model.calls
    assert one[0] == {name: EXPLANATION.validate_python(part) for name, part in first.items()}
    rest = explain_all(domain, items, Explaining(METHODS, protocol(), "key"), keeper=Kept(path))
    assert rest == whole
    assert (
        explain_all(domain, items, Explaining(METHODS, protocol(), "other"), keeper=Kept(path))
        != whole
    )


def test_an_unknown_method_is_refused():
    line = r"ours isn't a method of the suite \(anchor, .*no_expl.*\); .* --explanations ours=FILE"
    with pytest.raises(UserError, match=line):
        explain_all(text_domain(), [], Explaining(("lime", "ours"), protocol(), "key"))
