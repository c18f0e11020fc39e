"""The published sheets themselves, where this machine has them."""

import re
from collections import Counter

import pytest
from openpyxl import load_workbook

from stimuli.studies.simulatability.stimulus import (
    EXPLANATION,
    Anchor,
    Composite,
    Lime,
    Omission,
    Prototype,
    TextInput,
    edited,
)
from tests.xai_backend.studies.simulatability.published import (
    published,
    published_explanations,
    published_folder,
)
from tests.xai_backend.studies.simulatability.sheets.writing import (
    without_blanks,
    written,
    written_edits,
    written_input,
)

SIGNS = re.compile(r"\W")
FILE_PARTS = {"lime": "LIME", "anchor": "Anchor"}
USES = {"learning": "Forward/learning", "counterfactual": "Counterfactual/counterfactual-post"}


def cells(path):
    """Return a sheet's rows by id."""
    header, *rows = load_workbook(published_folder() / path).active.iter_rows(values_only=True)
    return {str(row[0]): dict(zip(header, row, strict=True)) for row in rows}


def folder(item):
    return "text" if isinstance(item.original, TextInput) else "tabular"


def parts(explanation):
    """Return what an explanation consists of: itself, or a composite's methods."""
    if isinstance(explanation, Composite):
        return (explanation.lime, explanation.anchor, explanation.prototype)
    return (explanation,)


def named(explanation):
    """Yield all words and values that an explanation names, with their places."""
    for part in parts(explanation):
        match part:
            case Lime():
                yield from part.features
            case Anchor():
                yield from part.conditions
            case Prototype() | Omission():
                yield from part.terms


def test_all_576_explanations_are_written_back_as_the_sheets_have_them():
    sheets = {}
    compared = 0
    for item, method, explanation in published_explanations():
        key = folder(item), item.use, FILE_PARTS.get(method, method)
        if key not in sheets:
            sheets[key] = cells(f"{key[0]}/Tests/{USES[key[1]]}-{key[2]}.xlsx")
        row = sheets[key][item.source_id]
        theirs = [without_blanks(row[name]) for name in row if name.startswith("explanation")]
        again = EXPLANATION.validate_json(explanation.model_dump_json())
        assert [without_blanks(cell) for cell in written(again, item.original)] == theirs
        compared += 1
    assert compared == 576


@pytest.mark.parametrize("name", ["text", "tabular"])
def test_items_are_written_back_as_the_master_files_have_them(name):
    (domain,) = (one for one in published().material.domains if one.name == name)
    masters = {
        "learning": cells(f"{name}/Tests/Forward/learning-blackbox.xlsx"),
        "forward": cells(f"{name}/Master-Data-Files/master-forward.xlsx"),
        "counterfactual": cells(f"{name}/Master-Data-Files/master-counterfactual.xlsx"),
    }
    for item in domain.items:
        row = masters[item.use][item.source_id]
        assert without_blanks(written_input(item.original)) == without_blanks(row["context"])
        assert (item.true_label, item.output) == (row["label"], row["model"])
        assert item.edited_output == row.get("perturbation_model")
        if item.edits is not None:
            lines = written_edits(item.edits, item.original)
            assert lines == without_blanks(row["perturbation"])
            changed = edited(item.original, item.edits).parts
            pairs = zip(item.original.parts, changed, strict=True)
            assert sum(old != new for old, new in pairs) == len(item.edits)


def test_counts_are_the_published_ones():
    found = published()
    for domain in found.material.domains:
        uses = Counter(item.use for item in domain.items)
        assert uses == {"learning": 16, "forward": 32, "counterfactual": 32}
        cell = Counter((item.use, item.true_label, item.output) for item in domain.items)
        assert Counter(cell.values()) == {4: 4, 8: 8}
        flips = Counter(
            (item.true_label, item.output)
            for item in domain.items
            if item.use == "counterfactual" and item.output != item.edited_output
        )
        assert sorted(flips.values()) == [4] * 4
    assert found.likeness == {
        "composite": 96,
        "lime": 96,
        "anchor": 96,
        "prototype": 96,
        "decision_boundary": 96,
    }
    assert len(found.contradictions) == 7


def test_each_sheets_order_is_kept_and_learning_has_one():
    for domain in published().material.domains:
        learning = {ids for (_, part), ids in domain.orders.items() if part.startswith("learning")}
        assert len(learning) == 1
        tests = [ids for (_, part), ids in domain.orders.items() if not part.startswith("learning")]
        assert len(tests) == len(set(tests)) == 24
        for method in ("LIME", "composite"):
            shown = cells(f"{domain.name}/Tests/Forward/forward-post-{method}.xlsx")
            assert domain.orders[method.lower(), "forward_post"] == tuple(shown)


def test_every_name_points_to_all_places_that_it_stands_for():
    for item, _, explanation in published_explanations():
        for part in parts(explanation):
            pointed = {}
            for one in named(part):
                pointed.setdefault(one.name, []).extend(one.places)
            for name, places in pointed.items():
                assert sorted(places) == meant(name, item.original), (item.source_id, name)


def meant(name, given):
    """Return the places that a name stands for, for the published inputs alone."""
    word, _, number = name.removesuffix(")").partition(" (")
    if not isinstance(given, TextInput):
        pairs = zip(given.columns, given.values, strict=True)
        return [
            at for at, (column, value) in enumerate(pairs) if name in (value, f"{column} = {value}")
        ]
    whole = [place for place, token in enumerate(given.tokens) if token == word]
    if number:
        return [whole[int(number[0]) - 1]]
    # A method's tokens may be parts of ours: LIME's t in n't, Anchor's ' and ve in 've.
    part = "'ve" if word in ("ve", "'") and "'ve" in given.tokens else word
    cut = [
        place for place, token in enumerate(given.tokens) if part in SIGNS.sub(" ", token).split()
    ]
    return whole or cut or [given.tokens.index(part)]
