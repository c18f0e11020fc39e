"""The import, on sheets made here: what it returns, and each damage as one line."""

import shutil
from io import BytesIO
from zipfile import ZipFile

import pytest

from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import Edit
from tests.xai_backend.studies.simulatability.sheets.made_sheets import (
    CLASSES,
    PERTURBATION,
    change,
    explained,
    make_sheets,
)
from tests.xai_backend.studies.simulatability.sheets.writing import (
    without_blanks,
    written,
    written_edits,
)
from xai_backend.studies.simulatability.sheets import methods as sheet_cells
from xai_backend.studies.simulatability.sheets.imported import read_sheets

METHOD_NAMES = {
    "lime": "LIME",
    "anchor": "Anchor",
    "prototype": "prototype",
    "decision_boundary": "decision_boundary",
    "composite": "composite",
    "omission": "omission",
}
FORWARD, COUNTERFACTUAL = "Tests/Forward", "Tests/Counterfactual/counterfactual"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sheets")
    make_sheets(folder)
    return folder


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """Each file that tests leave as it is, is read by the first of them alone."""
    genuine, known = sheet_cells._cells, {}

    def cells(path):
        content = path.read_bytes() if path.is_file() else None
        if content not in known:
            found = genuine(path)
            known[content] = found
        return known[content]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sheet_cells, "_cells", cells)
        yield


@pytest.fixture(scope="module")
def imported(made, read_once):
    return read_sheets(made)


@pytest.fixture
def sheets(made, tmp_path):
    """Return a copy to damage."""
    return shutil.copytree(made, tmp_path / "sheets")


def text_places(imported, method):
    item = imported.material.domains[0].items[0]
    return item.explanations[method]


def refused(folder, *words):
    with pytest.raises(UserError) as caught:
        read_sheets(folder)
    said = str(caught.value)
    assert "\n" not in said
    for word in words:
        assert word in said


def test_items_are_those_of_the_master_files(imported):
    for domain in imported.material.domains:
        negative, positive = CLASSES[domain.name]
        assert domain.classes == (negative, positive)
        uses = [item.use for item in domain.items]
        assert uses == ["learning"] * 16 + ["forward"] * 32 + ["counterfactual"] * 32
        splits = {(item.use, item.split) for item in domain.items}
        assert splits == {
            ("learning", "validation"),
            ("forward", "test"),
            ("counterfactual", "test"),
        }
        second = domain.items[17]
        assert (second.source_id, second.true_label, second.output) == ("2", positive, negative)
        for item in domain.items:
            assert set(item.explanations) == (set() if item.use == "forward" else {*METHOD_NAMES})
            edited = item.use == "counterfactual"
            assert (item.edits is not None, item.edited_output is not None) == (edited, edited)
        lines = written_edits(domain.items[-1].edits, domain.items[-1].original)
        assert lines == without_blanks(PERTURBATION[domain.name])


def test_explanations_are_written_back_as_they_were(imported):
    for domain in imported.material.domains:
        for item in domain.items:
            theirs = explained(domain.name, item.output)
            for method, explanation in item.explanations.items():
                ours = written(explanation, item.original)
                cells = theirs[METHOD_NAMES[method]]
                assert [*map(without_blanks, ours)] == [*map(without_blanks, cells)]


def test_names_point_to_their_places(imported):
    # the0 film1 is2 not3 the4 best5 ,6 it7 's8 not9 bad10 .11
    lime = text_places(imported, "lime")
    assert [one.places for one in lime.features] == [(3, 9), (8,)]
    rule = text_places(imported, "anchor").conditions
    assert [one.places for one in rule] == [(0,), (8,), (3, 9), (11,), (8,), (4,)]
    alike = text_places(imported, "prototype")
    assert [one.places for one in alike.terms] == [(9,), (1,)]
    path = text_places(imported, "decision_boundary")
    edits = (Edit(place=3, old="not", new="surely"), Edit(place=9, old="not", new="so"))
    assert [step.edits for step in path.steps] == [edits[:1], edits]
    table = imported.material.domains[1].items[0].explanations
    assert [one.places for one in table["omission"].terms] == [(1,), (2,), (3,)]
    assert [one.places for one in table["anchor"].conditions] == [(0,), (2,)]


def test_orders_are_kept_for_each_sheet_and_learning_is_one_for_all(imported):
    for domain in imported.material.domains:
        learning = tuple(str(number) for number in range(1, 17))
        for method in METHOD_NAMES:
            assert domain.orders[method, "learning"] == learning
            assert domain.orders[method, "learning_again"] == learning
        first = [domain.orders[method, "forward_pre"][0] for method in METHOD_NAMES]
        assert first == ["2", "3", "4", "5", "6", "7"]
        assert domain.orders["lime", "counterfactual_post"][0] == "132"


def test_totals_that_contradict_the_model_are_listed_and_stay(sheets):
    change(sheets / "text" / FORWARD / "learning-LIME.xlsx", other_total)
    found = read_sheets(sheets)
    (one,) = found.contradictions
    assert (one.domain, one.use, one.source_id) == ("text", "learning", "3")
    assert (one.total, one.output) == (0.5, "pos")
    assert found.likeness["lime"] == 95
    assert found.likeness["prototype"] == found.likeness["composite"] == 96
    assert "1 of 96" in found.remarks[1]
    assert "text learning 3" in found.remarks[1]


def other_total(rows):
    assert "Total evidence: 0.80" in rows[3][-1]
    rows[3][-1] = rows[3][-1].replace("Total evidence: 0.80", "Total evidence: 0.50")


def test_no_folder_and_no_file(sheets):
    refused(sheets / "none", "none", "no such folder")
    (sheets / "text" / FORWARD / "learning-omission.xlsx").unlink()
    refused(sheets, "learning-omission.xlsx", "no such file")


def without(part, old, new):
    """Return what changes a part of a file."""

    def changed(content):
        with ZipFile(BytesIO(content)) as whole:
            parts = {name: whole.read(name) for name in whole.namelist()}
        assert old in parts[part]
        parts[part] = parts[part].replace(old, new)
        with ZipFile(stream := BytesIO(), "w") as damaged:
            for name, own in parts.items():
                damaged.writestr(name, own)
        return stream.getvalue()

    return changed


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:3000],
        lambda content: b"id,context\n",
        without("xl/workbook.xml", b"activeTab", b"activeTub"),
        without("xl/_rels/workbook.xml.rels", b"/worksheet", b"/worksheat"),
        without("xl/worksheets/sheet1.xml", b"</row>", b""),
    ],
)
def test_a_file_that_is_torn_damaged_or_another_thing(sheets, damage):
    path = sheets / "tabular" / "Master-Data-Files" / "master-forward.xlsx"
    path.write_bytes(damage(path.read_bytes()))
    refused(sheets, "master-forward.xlsx", "an xlsx file")


def put(row, column, value):
    """Return a damage: a cell has another value."""

    def change_cell(rows):
        rows[row][rows[0].index(column)] = value

    return change_cell


def replace(row, column, old, new):
    """Return a damage: a part of a cell is another one."""

    def change_part(rows):
        cell = rows[row][rows[0].index(column)]
        assert old in cell
        rows[row][rows[0].index(column)] = cell.replace(old, new)

    return change_part


def swap(rows):
    rows[1], rows[2] = rows[2], rows[1]


MASTER = "Master-Data-Files/master"
LEARNING = f"{FORWARD}/learning"
LIME, ANCHOR, PROTOTYPE = (f"{LEARNING}-{name}" for name in ("LIME", "Anchor", "prototype"))
BOUNDARY, COMPOSITE = f"{LEARNING}-decision_boundary", f"{COUNTERFACTUAL}-post-composite"
OMISSION = f"{LEARNING}-omission"
E, B = "explanation", "explanation_b"

DAMAGES = [
    # sheets
    (f"text/{LIME}", put(0, E, "reason"), ["column missing: explanation"]),
    (f"text/{LIME}", put(4, E, None), ["row 5", "explanation is empty"]),
    (f"text/{FORWARD}/forward-pre-LIME", put(4, "id", 3), ["row 5", "id 3 occurs twice"]),
    (f"text/{FORWARD}/forward-pre-LIME", put(4, "id", 999), ["row 5", "999", "master-forward"]),
    (f"text/{FORWARD}/forward-pre-LIME", list.pop, ["id 1 of master-forward.xlsx is missing"]),
    (
        f"text/{COUNTERFACTUAL}-pre-LIME",
        put(4, "context", "a ."),
        ["row 5", "context differs from"],
    ),
    (f"tabular/{COUNTERFACTUAL}-post-LIME", put(4, "model", "x"), ["row 5", "model differs from"]),
    (f"tabular/{LEARNING}-omission", swap, ["row 2", "a different order"]),
    # items
    (f"text/{MASTER}-forward", put(1, "label", "positive"), ["row 2", "isn't one of neg, pos"]),
    # explanations
    (f"text/{LIME}", replace(1, E, "Sum of", "Sum"), ["row 2, explanation", "Sum weights"]),
    (f"text/{LIME}", replace(1, E, "not", "never"), ["row 2, explanation", "'never'"]),
    (f"text/{LIME}", replace(1, E, "0.12", "much"), ["row 2, explanation", "much"]),
    (f"text/{ANCHOR}", replace(1, E, "2. ", "3. "), ["row 2", "aren't numbered from 1"]),
    (f"text/{ANCHOR}", replace(1, E, "2. s", "2. the"), ["row 2", "'the' as often"]),
    (f"text/{ANCHOR}", replace(1, E, "'neg'", "'pos'"), ["row 2", "says 'pos' instead of 'neg'"]),
    (
        f"text/{ANCHOR}",
        replace(1, E, "6. the", "6. the\nmore"),
        ["row 2", "'more'", "after the end of the explanation"],
    ),
    (f"text/{PROTOTYPE}", replace(1, E, "(2nd)", "(3rd)"), ["row 2", "'not (3rd)' as often"]),
    (f"text/{PROTOTYPE}", replace(1, E, "----", ""), ["row 2", "Informative"]),
    (f"tabular/{PROTOTYPE}", replace(1, E, "Age > 48.00", "Age > 4"), ["isn't the item's input"]),
    (f"text/{BOUNDARY}", replace(1, E, "Step 2", "Step 3"), ["row 2", "Step 3"]),
    (f"text/{BOUNDARY}", replace(1, E, "**so**", "so"), ["row 2", "'so'", "not both"]),
    (f"text/{BOUNDARY}", replace(1, E, "**so**", "**so** so"), ["row 2", "13 tokens"]),
    (f"text/{BOUNDARY}", replace(1, E, "'pos'", "'neg'"), ["row 2", "says 'neg' instead of 'pos'"]),
    (f"tabular/{BOUNDARY}", replace(1, E, "? -->", "x -->"), ["row 2", "Occupation = x"]),
    (f"text/{OMISSION}", replace(1, E, "margin: -2.29", "margin:"), ["row 2", "margin"]),
    (f"tabular/{COMPOSITE}", replace(1, B, "Edits for", "Edits"), ["row 2", "Edits changing"]),
    # counts
    (f"text/{MASTER}-forward", put(1, "label", "pos"), ["text, forward", "7 labelled neg"]),
    (
        f"tabular/{MASTER}-counterfactual",
        put(1, "perturbation_model", "above $50K"),
        ["tabular, counterfactual", "4 items of each kind", "5 labelled below $50K"],
    ),
]


@pytest.mark.parametrize(("file", "damage", "words"), DAMAGES)
def test_a_damage_is_one_line_with_file_and_row(sheets, file, damage, words):
    path = sheets / f"{file}.xlsx"
    change(path, damage)
    refused(sheets, *(() if "labelled" in words[-1] else (path.name,)), *words)
