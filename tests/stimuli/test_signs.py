"""No pack shows a sign that the typeface lacks: people would read an empty box."""

import csv
import io
import json

import pytest

from stimuli.errors import UserError
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.simulatability.stimulus import Rationale
from stimuli.study import unshowable
from tests.small_packs import SMALL_PACKS
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch
from xai_backend.packs.sealed import sealed
from xai_backend.progress import Silent

PACKS = {**SMALL_PACKS, "accept_reject_accuracy": small_sketch}
SHOWN = [
    ("accept_reject_accuracy", "labels", "name"),
    ("accept_reject_accuracy", "texts", "case_text"),
    ("human_ai_team", "labels", "name"),
    ("human_ai_team", "labels", "definition"),
    ("human_ai_team", "texts", "case_text"),
    ("human_ai_team", "helps", "help_text"),
    ("progressive_reveal", "classes", "name"),
    ("simulatability", "words", "word"),
    ("simulatability", "items", "input"),
    ("simulatability", "items", "edits"),
    ("simulatability", "explanations", "explanation"),
    ("simulatability", "methods", "name"),
]
HEADS = {"texts": "presentation,case_text,language\np1,words,\n"}


def marked(column, cell, sign):
    """Return a cell with a sign in one of its texts."""
    if column == "explanation":
        return Rationale(text=f"well {sign}").model_dump_json()
    if column == "edits":
        return json.dumps([{"place": 0, "old": "a", "new": sign}])
    return cell.replace("]", f', "{sign}"]', 1) if "[" in cell else f"{cell} {sign}"


def with_sign(study, table, column, sign):
    """Return a pack of a study whose last row of a table has a sign in one of its texts."""
    pack = PACKS[study]()
    files = {name: pack.asset(name) for name in pack.manifest.files}
    name = f"{table}.csv"
    text = files.get(name, HEADS.get(table, "").encode()).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    there = [row for row in rows if row.get("domain", "text") == "text" and row[column]]
    row = there[-1]
    row[column] = marked(column, row[column], sign)
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    files[name] = out.getvalue().encode()
    rules = pack.protocol
    return pack_in_memory(rules, protocol_hash(rules), "solutions", files), files


@pytest.mark.parametrize("study", PACKS)
def test_small_packs_of_all_studies_can_be_shown(study):
    assert unshowable(PACKS[study]()) == ""


@pytest.mark.parametrize(
    ("study", "table", "column", "sign"),
    [*((*place, "好") for place in SHOWN), *((*SHOWN[0], sign) for sign in ("✅", "हि"))],
)
def test_a_sign_that_no_screen_shows_is_named_with_the_words_around_it(study, table, column, sign):
    told = unshowable(with_sign(study, table, column, sign)[0])
    assert f"DejaVu Sans has no sign {sign[0]!r}, as in " in told
    assert told.startswith("the ")


@pytest.mark.parametrize(("study", "table", "column"), SHOWN[:1] + SHOWN[4:5])
def test_no_such_pack_is_sealed(tmp_path, study, table, column):
    pack, files = with_sign(study, table, column, "👍")
    with pytest.raises(
        UserError, match=r"has no sign '👍'.*; use other characters, or name a font"
    ):
        sealed(tmp_path / "pack", pack.protocol, "solutions", files, {}, Silent())
    assert not (tmp_path / "pack").exists()
