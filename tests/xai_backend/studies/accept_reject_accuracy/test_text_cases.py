"""Labelled texts as cases: from a table of texts to the report."""

import csv
import html
import json
import re

import pytest

from analysis.cli import main as analyse
from analysis.preregister.run import preregister
from participants.cli import main as participants
from participants.folder import DataFolder
from stimuli.cases import LONGEST, TEXTS
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.tables import KEY
from tests.analysis.formats import page_alone
from tests.participants.export.readme import exported_readme
from tests.xai_backend.given import every_row, first, write_rows
from xai_backend import cli

OF_IMAGES = re.compile(r"\bimages?\b|\bpictures?\b|photograph", re.IGNORECASE)
PROTOCOL = """schema = "protocol/1.0"
study = "accept_reject"
assessment = "accuracy"
name = "reviews"
[solutions]
most_trials = 30
practice_trials = 4
[analysis]
replicates = 50
"""


def rows_of(count=40):
    """Texts with their labels, and what a model could have answered to them."""
    texts, answers = [], []
    for k in range(count):
        label, other = (("good", "bad"), ("bad", "good"))[k % 2]
        texts.append({"item": f"review {k}", "text": f"Film {k}:\n it is  {label}.",
                      "label": label, "de": f"Film {k} ist {label}."})  # fmt: skip
        answers.append({"item": f"review {k}", "answer": other if k % 3 == 0 else label,
                        "confidence": 0.8, "rationale": "It sounds so."})  # fmt: skip
    return texts, answers


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab with a protocol, texts and answers."""
    folder = tmp_path_factory.mktemp("texts")
    texts, answers = rows_of()
    write_rows(folder / "texts.csv", texts)
    write_rows(folder / "answers.csv", answers)
    (folder / "own.toml").write_text(PROTOCOL, encoding="utf-8")
    return folder


def built(*words):
    asked = ["build", "accept_reject_accuracy", *words]
    return cli.main(list(map(str, asked)))


@pytest.fixture(scope="module")
def pack(lab):
    folder = lab / "pack"
    words = ["--source", lab / "texts.csv", "--answers", lab / "answers.csv", "--out", folder]
    assert built(*words, "--protocol", lab / "own.toml") == 0
    return folder


def test_texts_are_shown_as_the_table_has_them_and_a_second_build_is_the_same_pack(lab, pack):
    texts = {row["item"]: row for row in csv.DictReader((lab / "texts.csv").open(encoding="utf-8"))}
    whole = open_pack(pack)
    shown = {(row["presentation"], row["language"]): row["case_text"] for row in whole.table(TEXTS)}
    for row in whole.table(KEY):
        own = texts[row["item"]]
        assert shown[row["presentation"], None] == " ".join(own["text"].split())
        assert shown[row["presentation"], "de"] == own["de"]
        assert row["true_label"] == own["label"]
    assert whole.protocol.cases == "texts"
    assert b"It sounds so" not in b"".join(map(whole.asset, whole.manifest.files))
    # The order of a table's lines says nothing.
    own = lab / "turned"
    own.mkdir()
    turned = [rows[::-1] for rows in rows_of()]
    names = ("texts.csv", "answers.csv")
    for rows, name in zip(turned, names, strict=True):
        write_rows(own / name, rows)
    words = ["--protocol", lab / "own.toml", "--source", own / "texts.csv"]
    assert built(*words, "--answers", lab / "answers.csv", "--out", own / "pack") == 0
    assert open_pack(own / "pack").pack_id == whole.pack_id


def read_on(page):
    """Return all that is read on a page, its style apart."""
    text = re.sub(r"<style.*?</style>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "\n", text))


def test_report_and_exports_speak_of_texts(pack, tmp_path):
    words = ["simulate", "accept_reject_accuracy", "--pack", pack, "--out", tmp_path / "data"]
    assert participants([*map(str, words), "--mix", "exact_labels:2,noisy:2"]) == 0
    words = ["analyse", "accept_reject_accuracy", "--data", tmp_path / "data"]
    with page_alone():
        assert analyse([*map(str, words), "--out", str(tmp_path / "report")]) == 0
    results = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))
    assert not OF_IMAGES.search(" ".join(results["headline"]))
    page = read_on(tmp_path / "report" / "report.html")
    assert not [line for line in page.splitlines() if OF_IMAGES.search(line)]
    assert "one at a time, each with a label above it" in page
    said = exported_readme(DataFolder(tmp_path / "data"), tmp_path / "bids")
    assert not [line for line in said.splitlines() if OF_IMAGES.search(line)]
    told = json.loads(next((tmp_path / "bids").glob("task-*_beh.json")).read_text("utf-8"))
    assert "Then a text appears, and above it a **label**" in told["Instructions"]


def test_a_preregistration_speaks_of_texts(tmp_path):
    protocol = tmp_path / "registered.toml"
    protocol.write_text(PROTOCOL.replace("[sol", 'cases = "texts"\n[sol'), encoding="utf-8")
    preregister(protocol, tmp_path / "frozen", 40, rationale="As many as there are.")
    frozen = read_on(tmp_path / "frozen" / "preregistration.html")
    assert "A lead sees texts, one at a time" in frozen
    assert not [line for line in frozen.splitlines() if OF_IMAGES.search(line)]


def without(column):
    return lambda rows: [{key: row[key] for key in row if key != column} for row in rows]


FAULTS = {
    "no column text": (without("text"), list, "column missing: text"),
    "empty text": (first(text=""), list, "row 2: text is empty"),
    "twice": (lambda rows: [*rows, rows[0]], list, "item review 0 occurs twice"),
    "reserved": (first(label="no_solution"), list, "the label no_solution is a reserved word"),
    "one label": (every_row(label="good"), list, "all 40 texts have one label"),
    "long": (first(text="x " * 400), list, f"review 0: the text has 799 characters; {LONGEST}"),
    "no label": (list, first(answer="so good"), "1 of 40 answers are neither a label nor a"),
    "unanswered": (list, lambda rows: rows[1:], "no answer to 1 of 40 items, e.g. review 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_clear_line(lab, tmp_path, capsys, name):
    of_texts, of_answers, words = FAULTS[name]
    texts, answers = rows_of()
    given = [
        "--source", write_rows(tmp_path / "texts.csv", of_texts(texts)),
        "--answers", write_rows(tmp_path / "answers.csv", of_answers(answers)),
    ]  # fmt: skip
    assert_refused(capsys, tmp_path, words, *given, "--protocol", lab / "own.toml")


def test_what_doesnt_fit_the_cases_is_refused(lab, tmp_path, capsys):
    texts, answers = ("--source", lab / "texts.csv"), ("--answers", lab / "answers.csv")
    own = tmp_path / "own.toml"
    images = ("--source", lab, *answers)
    for said, source, line in (
        ("images", (*texts, *answers), 'says cases = "images", but --source'),
        ("texts", (), 'says cases = "texts", but --source is missing: give a table'),
        ("texts", images, f"--source {lab} has no texts: give a table item,text,label"),
    ):
        text = PROTOCOL.replace("[sol", f'cases = "{said}"\n[sol')
        own.write_text(text, encoding="utf-8")
        assert_refused(capsys, tmp_path, line, *source, "--protocol", own)


def assert_refused(capsys, folder, line, *words):
    """Check that a build is refused by a line, and leaves nothing."""
    assert built("--out", folder / "pack", *words) == 2
    assert line in (said := " ".join(capsys.readouterr().err.split())), said
    assert not (folder / "pack").exists()
