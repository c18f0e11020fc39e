"""A language model that reads texts as the AI: from a table of texts to the report."""

import csv
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from analysis.cli import main as analyse
from analysis.preregister.run import preregister
from participants.cli import main as participants
from participants.folder import DataFolder
from stimuli.cases import LONGEST, TEXTS
from stimuli.deviations import differences
from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY
from tests.analysis.formats import without_drawings
from tests.participants.export.readme import exported_readme
from tests.xai_backend.given import every_row, write_rows
from tests.xai_backend.killed_builds import Build
from xai_backend import cli

ARMS = ("confidence", "human_alone", "rationale")
OF_IMAGES = re.compile(r"\bimages?\b|\bpictures?\b|photograph|adversarial|attack", re.IGNORECASE)
PROTOCOL = """schema = "protocol/1.0"
study = "human_ai_team"
name = "reviews"
[help]
arms = ["confidence", "human_alone", "rationale"]
[bins]
per_bin = 2
sheets = 4
trials_per_sheet = 6
[validation]
trials = 4
right_trials = 2
pass_right = 3
[session]
practice_trials = 2
[analysis]
replicates = 20
"""


def rows_of(count=120):
    """Texts with their labels, and what a model could have answered to them."""
    rng = np.random.default_rng(7)
    texts, answers = [], []
    for number in range(count):
        label, other = (("good", "bad"), ("bad", "good"))[number % 2]
        given = label if rng.random() < 0.6 else other
        band = (rng.uniform(0.05, 0.29), rng.uniform(0.4, 0.59), rng.uniform(0.8, 1.0))
        item = f"review {number}"
        text = f"Film {number}:\n it is {label}, an image of its time."
        texts.append({"item": item, "text": text, "label": label,
                      "de": f"Film {number} ist {label}."})  # fmt: skip
        answers.append({"item": item, "answer": given, "confidence": round(rng.choice(band), 2),
                        "rationale": f"Number {number} sounds {given}.", "de": ""})  # fmt: skip
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


def build_of(lab):
    """Return a build of the lab's texts."""
    asked = ["human_ai_team", "--protocol", lab / "own.toml", "--source", lab / "texts.csv"]
    return Build([*asked, "--answers", lab / "answers.csv"])


@pytest.fixture(scope="module")
def whole(lab, tmp_path_factory):
    """A folder with a pack."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(folder))
        words = ["build", *build_of(lab).asked, "--out", folder / "pack"]
        assert cli.main(list(map(str, words))) == 0
    return folder


def test_texts_are_shown_as_the_table_has_them_with_the_models_answers(lab, whole):
    pack = open_pack(whole / "pack")
    texts, answers = (
        {row["item"]: row for row in csv.DictReader((lab / name).open(encoding="utf-8"))}
        for name in ("texts.csv", "answers.csv")
    )
    assert pack.protocol.cases == "texts"
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    judged = {(row["presentation"], row["language"]): row["case_text"] for row in pack.table(TEXTS)}
    helps = {row["presentation"]: row["help_text"] for row in pack.table(HELPS)}
    assert not [name for name in pack.manifest.files if name.endswith(".png")]
    for row in pack.table(KEY):
        text, answer = texts[row["item"]], answers[row["item"]]
        name = row["presentation"]
        assert items[name]["image_file"] is None
        assert judged[name, None] == " ".join(text["text"].split())
        assert judged[name, "de"] == text["de"]
        assert (row["true_label"], items[name]["shown_label"]) == (text["label"], answer["answer"])
        assert row["confidence"] == float(answer["confidence"])
        assert helps[name] == answer["rationale"]
    shown = [one for one in differences(pack.protocol) if one.whose != "setting"]
    fields = {one.field: one for one in shown}
    assert not [name for name in fields if name.startswith(("images", "attack", "help.arms"))]
    assert fields["cases"].here == "People judge labels of texts."
    assert fields["system.network"].whose == "build"
    assert not [one for one in fields.values() if "image" in f"{one.here} {one.reason}"]


def read_on(page: Path) -> str:
    """Return all that is read on a page, figures apart."""
    text = re.sub(r"<(style|svg).*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "\n", text))


def test_report_preregistration_and_export_speak_of_texts(lab, whole, tmp_path):
    pack = whole / "pack"
    words = ["simulate", "human_ai_team", "--pack", pack, "--participants", 6]
    assert participants([*map(str, words), "--out", str(tmp_path / "data")]) == 0
    words = ["analyse", "human_ai_team", "--data", tmp_path / "data", "--pack", pack]
    with without_drawings():
        assert analyse([*map(str, words), "--out", str(tmp_path / "report")]) == 0
    results = json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8"))
    accuracy = [row for row in results["estimates"] if row["quantity"] == "accuracy"]
    assert {row["of"]["method"] for row in accuracy} == set(ARMS)
    assert not OF_IMAGES.search(" ".join(results["headline"]))
    # What the published study did is still said of photographs.
    page = read_on(tmp_path / "report" / "report.html").partition("Deviations from the published")
    own = page[0] + page[2].partition("Deviations from the published")[0]
    assert [line for line in own.splitlines() if OF_IMAGES.search(line)] == [
        "the published participants judged photographs"
    ]
    assert "6 simulated participants judged whether an AI’s label of a text is right" in own
    assert own.count("Label alone weren’t told of an AI, so the table leaves them out.") == 2
    methods = own.partition("Who made what is shown, and how.")[2]
    assert "AI’s rationale" in methods.partition("tables/arms.csv")[0]
    protocol = tmp_path / "registered.toml"
    extra = 'cases = "texts"\n[help]'
    more = PROTOCOL.replace("[help]", extra).replace("[bins]", "[bins]\nadversarial_per_level = 0")
    protocol.write_text(more + "[prior]\nasked = false\n", encoding="utf-8")
    preregister(protocol, tmp_path / "frozen", 40, rationale="As many as there are.")
    frozen = read_on(tmp_path / "frozen" / "preregistration.html")
    frozen = frozen.rpartition("Values fixed by the protocol")[0]
    assert "A participant sees texts, each with an AI's label" in frozen.replace("’", "'")
    assert not [line for line in frozen.splitlines() if OF_IMAGES.search(line)]
    said = exported_readme(DataFolder(tmp_path / "data"), tmp_path / "bids")
    assert "the texts of arm rationale: imported from answers.csv; files of SHA-256" in said
    assert "answers.csv" in (tmp_path / "report" / "tables" / "arms.csv").read_text("utf-8")
    of_deviations = "- `"
    lines = [line for line in said.splitlines() if not line.startswith(of_deviations)]
    assert not [line for line in lines if OF_IMAGES.search(line)]


def fewer(rows):
    return rows[:20]


OTHERS = ("--other-answers",)
TOO_LONG = "x " * (LONGEST // 2) + "xx"
FAULTS = (
    (list, every_row(rationale=TOO_LONG), (), f"characters; {LONGEST} at most fit on a screen"),
    (list, every_row(answer="other"), OTHERS, 'add texts, or write bins.limits = "quantiles"'),
    (fewer, fewer, ("--per-bin", 4), "add texts, or lower it with --per-bin"),
)


@pytest.mark.parametrize(
    ("of_texts", "of_answers", "options", "words"),
    FAULTS,
    ids=[str(number) for number in range(len(FAULTS))],
)
def test_a_faulty_table_of_texts_is_one_clear_line(
    lab, tmp_path, monkeypatch, capsys, of_texts, of_answers, options, words
):
    texts, answers = rows_of()
    given = [
        "--source", write_rows(tmp_path / "texts.csv", of_texts(texts)),
        "--answers", write_rows(tmp_path / "answers.csv", of_answers(answers)), *options,
    ]  # fmt: skip
    assert told(monkeypatch, capsys, lab, tmp_path, given, words) == (2, True)


def told(monkeypatch, capsys, lab, tmp_path, given, words):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    asked = ["build", "human_ai_team", "--out", tmp_path / "pack"]
    if "--protocol" not in given:
        asked += ["--protocol", lab / "own.toml"]
    status = cli.main(list(map(str, [*asked, *given])))
    said = " ".join(capsys.readouterr().err.split())
    assert words in said, said
    return status, words in said


def test_what_texts_lack_is_refused_in_one_line(lab, tmp_path, monkeypatch, capsys):
    texts = ["--source", lab / "texts.csv"]
    own = tmp_path / "own.toml"
    both = [*texts, "--answers", lab / "answers.csv", "--protocol", own]
    for arm in ("gradcam", "salient_object", "nearest_neighbours"):
        own.write_text(PROTOCOL.replace('"human_alone"', f'"{arm}"'), encoding="utf-8")
        line = f"{arm} is made of an image's pixels; cases are texts"
        assert told(monkeypatch, capsys, lab, tmp_path, both, line) == (2, True)
