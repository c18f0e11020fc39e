"""A language model as the AI: from a table of its answers to the report."""

import csv
import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from stimuli.io.canonical import file_sha256
from stimuli.maps.origin import IMPORTED
from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.study import helps_by_arm
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY
from tests.xai_backend.given import every_row, first, write_rows
from tests.xai_backend.ilsvrc import layouts
from tests.xai_backend.ilsvrc.layouts import WNIDS
from tests.xai_backend.killed_builds import Build
from tests.xai_backend.studies.human_ai_team.test_ilsvrc import SMALL
from xai_backend import cli
from xai_backend.packs.lab_tables import read_answers
from xai_backend.studies.human_ai_team.ai import LONGEST_RATIONALE, picture_answers

ARMS = ("confidence", "rationale", "salient_object")
NAMES = ("tench", "Chihuahua", "dalmatian", "cassette player", "crane", "hoist")


def rows_of(photos):
    """What a chat model could have answered: names of classes, some of them wrong."""
    rng = np.random.default_rng(5)
    rows = []
    for photo in photos:
        given = photo.label if rng.random() < 0.6 else int(rng.integers(6))
        confidence = (rng.uniform(0.05, 0.29), rng.uniform(0.4, 0.59), rng.uniform(0.8, 1.0))
        rows.append({
            "item": f"{photo.name}.JPEG",
            "answer": NAMES[given].upper() if photo.number % 2 else WNIDS[given],
            "confidence": round(float(rng.choice(confidence)), 2),
            "rationale": f"I see the colours of a {NAMES[given]} in picture {photo.number}.",
            "de": f"Ich sehe die Farben von {NAMES[given]} im Bild {photo.number}.",
        })  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab with images, their names, a protocol and a table of answers."""
    folder = tmp_path_factory.mktemp("recorded")
    photos = layouts.photos(each=20)
    layouts.folders(folder, photos)
    lines = [f"{wnid},{word}" for wnid, word in zip(WNIDS, NAMES, strict=True)]
    (folder / "names.csv").write_text("\n".join(["label,name", *lines]), encoding="utf-8")
    arms = ", ".join(f'"{arm}"' for arm in ARMS)
    text = SMALL.replace('"confidence", "gradcam"', arms).replace("per_bin = 1", "per_bin = 2")
    (folder / "own.toml").write_text(
        text.replace("sheets = 2", "sheets = 4") + "replicates = 60\n", encoding="utf-8"
    )
    write_rows(folder / "answers.csv", rows_of(photos))
    return folder


def build_of(lab, answers="answers.csv"):
    """Return a build of the lab's answers."""
    asked = ["human_ai_team", "--protocol", lab / "own.toml", "--source", lab / "val"]
    return Build([*asked, "--answers", lab / answers, "--names", lab / "names.csv"])


@pytest.fixture(scope="module")
def whole(lab, tmp_path_factory):
    """A folder with a pack."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(folder))
        words = ["build", *build_of(lab).asked, "--out", folder / "pack"]
        assert cli.main(list(map(str, words))) == 0
    return folder


def built(monkeypatch, lab, capsys, answers, *options):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    given = ["--protocol", lab / "own.toml", "--source", lab / "val", "--answers", answers]
    given += ["--names", lab / "names.csv"]
    status = cli.main(["build", "human_ai_team", *map(str, [*given, *options])])
    return status, " ".join(capsys.readouterr().err.split())


def test_recorded_answers_are_shown_as_the_table_has_them(lab, whole):
    answers, pack = lab / "answers.csv", open_pack(whole / "pack")
    assert pack.protocol.system.network == "answers.csv"
    by_build = {one.field for one in pack.protocol.deviations if one.whose == "build"}
    assert {"system.network", "bins.adversarial_per_level", "--source"} <= by_build
    table = {row["item"]: row for row in csv.DictReader(answers.open(encoding="utf-8"))}
    shown = {row["presentation"]: row for row in pack.table(ITEMS)}
    texts = {(row["presentation"], row["language"]): row["help_text"]
             for row in pack.table(HELPS) if row["arm"] == "rationale"}  # fmt: skip
    label = dict(zip(map(str.upper, NAMES), WNIDS, strict=True))
    for row in pack.table(KEY):
        own = table[str(row["item"]).rpartition("/")[2]]
        item = shown[row["presentation"]]
        assert item["shown_label"] == label.get(own["answer"], own["answer"])
        assert row["confidence"] == float(own["confidence"])
        assert texts[row["presentation"], None] == own["rationale"]
        assert texts[row["presentation"], "de"] == own["de"]
        assert not row["swapped"]
    made_by = helps_by_arm(pack)["rationale"]
    assert (made_by.kind, made_by.note) == (IMPORTED, "answers.csv")
    assert made_by.sha256 == file_sha256(answers)
    assert json.loads(pack.asset("made.json"))["answers"] == len(table)
    # The same answers as Parquet give the same pack, but for the file that they are from.
    rows = [{**row, "confidence": float(row["confidence"])} for row in table.values()]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), lab / "answers.parquet")
    items = {row["presentation"]: row["item"] for row in pack.table(KEY)}
    labels = set(WNIDS)
    of_csv, of_parquet = (
        read_answers(lab / name, set(items.values()) | every(lab), labels, {}, others=True)
        for name in ("answers.csv", "answers.parquet")
    )
    assert {item: (one.answer, one.confidence, one.rationale) for item, one in of_csv.items()} == {
        item: (one.answer, one.confidence, one.rationale) for item, one in of_parquet.items()
    }


def every(lab):
    return {path.relative_to(lab / "val").as_posix() for path in (lab / "val").glob("*/*")}


def test_an_answer_has_its_confidence_and_the_others_share_the_rest(lab):
    found = read_answers(lab / "answers.csv", every(lab), set(WNIDS), {}, others=True)
    outputs = sorted({one.answer for one in found.values()} | set(WNIDS))
    item, one = next((item, one) for item, one in found.items() if one.confidence < 1)
    said = picture_answers({item: one}, outputs)[item]
    shares = np.exp(said.logits) / np.exp(said.logits).sum()
    assert said.label == one.answer
    assert shares[said.output] == pytest.approx(one.confidence, abs=1e-6)
    assert np.ptp(np.delete(shares, said.output)) == pytest.approx(0, abs=1e-6)


FAULTS = (
    (lambda rows: [*rows, rows[0]], "has two answers; keep one"),
    (first(item="nowhere.png"), "row 2: item nowhere.png: is not in --source"),
    (first(confidence=85), "confidence is '85', not a number from 0 to 1"),
    (first(confidence=""), "row 2: has no confidence, by which"),
    (first(answer=""), "row 2: answer is empty"),
    (every_row(rationale="", de=""), "has no rationale, but help.arms names"),
    (every_row(rationale="long " * 200), f"characters; {LONGEST_RATIONALE} at most fit on a"),
)


@pytest.mark.parametrize(("change", "words"), FAULTS, ids=[words for _, words in FAULTS])
def test_a_faulty_table_is_one_clear_line(lab, tmp_path, monkeypatch, capsys, change, words):
    rows = list(csv.DictReader((lab / "answers.csv").open(encoding="utf-8")))
    answers = write_rows(tmp_path / "faulty.csv", change(rows))
    status, said = built(monkeypatch, lab, capsys, answers, "--out", tmp_path / "pack")
    assert (status, words in said) == (2, True), said


def test_columns_that_are_missing_and_files_that_are_torn_are_named(
    lab, tmp_path, monkeypatch, capsys
):
    table = tmp_path / "t.csv"
    table.write_text("item,confidence\na,0.5\n", encoding="utf-8")
    assert "column missing: answer" in built(monkeypatch, lab, capsys, table)[1]
    torn = tmp_path / "t.parquet"
    torn.write_bytes(b"PAR1 torn")
    assert "can't be read as Parquet" in built(monkeypatch, lab, capsys, torn)[1]
    pyarrow.parquet.write_table(pyarrow.table({"item": ["a"]}), torn)
    assert "column missing: answer" in built(monkeypatch, lab, capsys, torn)[1]
    text = (lab / "own.toml").read_text(encoding="utf-8")
    (lab / "own.toml").write_text(text.replace("salient_object", "gradcam"), encoding="utf-8")
    said = built(monkeypatch, lab, capsys, lab / "answers.csv")[1]
    (lab / "own.toml").write_text(text, encoding="utf-8")
    assert "gradcam needs a network, and --answers has none; give its maps with --maps" in said
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    words = ["build", "human_ai_team", "--protocol", lab / "own.toml", "--source", lab / "val"]
    assert cli.main(list(map(str, words))) == 2
    assert "rationale: give --answers FILE" in " ".join(capsys.readouterr().err.split())
