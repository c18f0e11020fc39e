"""Items that can't be shown are passed over: without an explanation, or with one that tells."""

import pytest

from stimuli.errors import UserError
from stimuli.studies.simulatability.fitting import check
from stimuli.studies.simulatability.material import Material, answers_shown_before
from stimuli.studies.simulatability.stimulus import Boundary, BoundaryStep, Rationale
from stimuli.workers import Workers
from tests.stimuli.studies.simulatability.small import protocol_of
from tests.xai_backend.studies.simulatability.made_up import made_up
from xai_backend.progress import Silent
from xai_backend.studies.simulatability import gather as gathering
from xai_backend.studies.simulatability.gather import gather, select
from xai_backend.studies.simulatability.methods.brought import read_explanations

HERE = Workers(here=True)


@pytest.fixture
def explained(monkeypatch, tmp_path):
    """Let a function of a row and a method explain; return the numbers of rows it was asked."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))

    def by(explain):
        asked = []

        def explain_all(trained, items, how, **named):
            asked.append(len(items))
            return [
                {name: explain(row, name) for name in how.methods if name != "no_explanation"}
                for row in items
            ]

        monkeypatch.setattr(gathering, "explain_all", explain_all)
        return asked

    return by


def rules(*methods):
    return protocol_of(design={"domains": ["tabular"], "methods": [*methods, "no_explanation"]})


def items_of(protocol, brought=None, rows=1200):
    found = gather(made_up(rows), protocol, brought or {}, HERE, Silent())
    check(protocol, Material([found.material]))
    return found


def test_an_input_without_an_explanation_is_passed_over(explained):
    """Every third input has none of `mine`: it is neither learned from nor changed."""

    def explain(row, method):
        return Rationale(text=method) if int(row.source_id) % 3 else None

    asked = explained(explain)
    found = items_of(rules("mine"))
    needing = [item for item in found.material.items if item.use != "forward"]
    assert all(int(item.source_id) % 3 for item in needing)
    assert any(int(item.source_id) % 3 == 0 for item in found.material.items)
    assert found.passed_over > 0
    assert len(asked) > 1


def test_a_path_across_what_is_predicted_is_passed_over(explained):
    """Explanations tell the answer of some counterfactuals; of those that stay, none does."""
    protocol = rules("decision_boundary")
    first = {
        item.source_id: item
        for item in select(made_up(), protocol, key_of(protocol))
        if item.use == "counterfactual"
    }
    telling = dict(list(first.items())[::2])

    def explain(row, method):
        item = telling.get(row.source_id)
        edits = () if item is None else item.edits
        step = BoundaryStep(edits=edits, margin=None)
        return Boundary(target="yes", margin=None, steps=(step,) if edits else ())

    explained(explain)
    found = items_of(protocol)
    ids = {item.source_id for item in found.material.items if item.use == "counterfactual"}
    assert not ids & set(telling)
    assert set(first) - set(telling) <= ids
    assert found.passed_over == len(telling)
    assert not list(
        answers_shown_before(found.material.items, protocol.design.tests, ("decision_boundary",))
    )


def key_of(protocol):
    return gathering.key_of(protocol, made_up().identity)


def test_what_a_lab_did_not_explain_is_not_chosen(explained, tmp_path):
    """Of examples and counterfactuals; inputs of the forward test need no explanation."""
    rows = [row for split in ("validation", "test") for row in made_up().splits[split]]
    known = [f"{row.source_id},so\n" for row in rows if int(row.source_id) % 3]
    (tmp_path / "mine.csv").write_text("".join(["id,text\n", *known]), encoding="utf-8")
    brought = {"mine": read_explanations(tmp_path / "mine.csv")}

    def explain(row, method):
        return brought["mine"].explain(row, made_up())

    asked = explained(explain)
    found = items_of(rules("mine"), brought)
    needing = [item for item in found.material.items if item.use != "forward"]
    assert all(int(item.source_id) % 3 for item in needing)
    assert len(asked) == 1
    assert found.passed_over == 0


def test_where_nothing_can_be_explained_the_cells_are_refused(explained):
    explained(lambda row, method: None)
    with pytest.raises(
        UserError,
        match=r"too few inputs .*(1 of 2|0 of 1).*; \d+ inputs are left out",
    ):
        items_of(rules("mine"), rows=400)
