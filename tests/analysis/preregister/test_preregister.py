"""Preregistrations: what stands in them, that they are frozen, and what analyses say of them."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from analysis.cli import main
from analysis.data.tables import read_folder
from analysis.preregister.frozen import (
    MARKDOWN,
    PAGE,
    RECORD,
    begun_before,
    compare,
    read_frozen,
)
from analysis.preregister.run import preregister
from participants.folder import DataFolder
from participants.simulate.run import simulate
from stimuli.catalogue import OUTSIDE, studies_of
from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.protocol import (
    load_any_protocol,
    load_protocol,
    protocol_from_resolved,
    protocol_hash,
)
from tests.analysis.formats import without_drawings
from tests.analysis.packs_on_disk import written
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch
from tests.test_example_study import EXAMPLE

STUDIES = tuple(studies_of("analysis"))
LABELS = "accept_reject_accuracy"
LONG_AGO = datetime(1999, 12, 31, tzinfo=UTC)
OSF = (
    "Question and hypotheses", "Design", "Data and stopping rule", "Sample size", "Variables",
    "Statistical models", "Primary analysis and inference", "Exclusion",
)  # fmt: skip
"""The order in which the registry asks."""


class Page(HTMLParser):
    """Collects what a browser would fetch or run."""

    def __init__(self, text):
        super().__init__()
        self.sources, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [v for k, v in attrs if k in ("src", "href") and not v.startswith("#")]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = DataFolder(tmp_path_factory.mktemp("data") / "labels")
    simulate(folder, small_sketch(), ["noisy"] * 3, seed=2)
    return folder


@pytest.fixture
def rules(tmp_path):
    """The protocol file of the simulated data, with changes."""

    def write(**sections):
        path = tmp_path / "rules.toml"
        path.write_text(_toml(small_sketch().protocol.resolved() | sections), encoding="utf-8")
        return path

    return write


def _toml(document):
    # The published deviations are those of the data, too.
    plain = {key: value for key, value in document.items() if key != "deviations"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items() if not _table(value)]
    for name, section in document.items():
        if isinstance(section, dict):
            lines += [f"[{name}]", *_section(section)]
            for inner, values in section.items():
                if isinstance(values, dict):
                    lines += [f"[{name}.{inner}]", *_section(values)]
    return "\n".join(lines) + "\n"


def _section(values):
    return [f"{key} = {json.dumps(value)}" for key, value in values.items() if not _table(value)]


def _table(value):
    return isinstance(value, dict)


def frozen_at(tmp_path, protocol, participants=3, now=LONG_AGO, **more):
    more = more or {"rationale": "As in the pilot."}
    preregister(protocol, tmp_path / "registered", participants, now=now, **more)
    return tmp_path / "registered"


def analysed(data, out, registered, *more):
    words = ["analyse", LABELS, "--data", data.root, "--out", out]
    with without_drawings():
        assert main([*map(str, words), "--preregistration", str(registered), *more]) == 0
    return json.loads((out / "results.json").read_text("utf-8"))


def deviations(results):
    rows = results["preregistration"]["deviations"]
    return {row["what"]: (row["registered"], row["here"]) for row in rows}


@pytest.mark.parametrize("study", STUDIES)
def test_each_study_plans_sections_that_its_report_has(study):
    inquiry = studies_of("analysis")[study].inquiry()
    planned = inquiry.promises(load_protocol(study))
    shown = {section.title for section in inquiry.sections}
    assert {one.section for one in planned.analyses} <= shown


@pytest.mark.parametrize("study", STUDIES)
def test_the_documents_say_the_same_in_the_order_of_the_registry(study, tmp_path):
    protocol = load_protocol(study)
    folder = frozen_at(tmp_path, Path(f"{study}.toml"), 40)
    text, page = (folder / MARKDOWN).read_text("utf-8"), (folder / PAGE).read_text("utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading in OSF] == list(OSF)
    assert protocol_hash(protocol) in text
    assert protocol_hash(protocol) in page
    asked = re.findall(r"^AsPredicted: questions? (.*)\.$", text, re.MULTILINE)
    assert set(re.findall(r"\d", "".join(asked))) == set("12345678")
    registered = studies_of("analysis")[study].inquiry().promises(protocol)
    for hypothesis in registered.hypotheses:
        assert f"{hypothesis.text} | {hypothesis.decided_by}" in text
        for test in hypothesis.tests:
            assert f"| {test.level} % interval | {test.region} | {test.row} |" in text
    for analysis in registered.analyses:
        assert analysis.formula in text
    assert "| unfinished | left_out |" in text
    assert ("| understanding.pass_right |" in text) == hasattr(protocol, "understanding")
    shown = Page(page)
    assert shown.sources == []
    assert "script" not in shown.tags


def test_words_follow_from_the_protocols_values(tmp_path, rules):
    changed = {**small_sketch().protocol.resolved()["analysis"], "margin": 0.07}
    folder = frozen_at(tmp_path, rules(analysis=changed))
    text = (folder / MARKDOWN).read_text("utf-8")
    assert "within ±7 percentage points" in text
    assert "| analysis.margin | 0.07 |" in text


def test_the_record_holds_the_whole_protocol_and_the_hashes_of_the_documents(tmp_path, rules):
    path = rules()
    folder = frozen_at(tmp_path, path)
    record = json.loads((folder / RECORD).read_text("utf-8"))
    protocol = load_any_protocol(path)
    assert record["protocol"] == protocol.resolved()
    assert record["protocol_hash"] == protocol_hash(protocol)
    for name, digest in record["documents"].items():
        assert file_sha256(folder / name) == digest
    assert read_frozen(folder).changed == ()
    (folder / MARKDOWN).write_text("H1 was always this.", encoding="utf-8")
    assert read_frozen(folder).changed == (MARKDOWN,)


def test_the_same_call_at_the_same_time_writes_the_same_bytes(tmp_path, rules):
    path = rules()
    for name in ("one", "two"):
        preregister(path, tmp_path / name, 3, rationale="So.", now=LONG_AGO)
    for file in (PAGE, MARKDOWN, RECORD):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_power_simulation_is_taken_over(tmp_path):
    row = {
        "term": "difference", "truth": -0.05, "items": 100, "participants": 20, "power": 0.81,
        "ci_low": 0.7, "ci_high": 0.9, "put_in": "−5 %", "right": None,
    }  # fmt: skip
    power = {
        "schema": "power/1.0", "study": LABELS, "method": "Power was estimated so.",
        "asked": {"participants": [5, 20], "protocol": "other"}, "enough": [],
        "power": [row, {**row, "participants": 5, "power": 0.33}], "assumptions": ["So."],
    }  # fmt: skip
    (tmp_path / "power").mkdir()
    (tmp_path / "power" / "results.json").write_text(json.dumps(power), encoding="utf-8")
    words = ["preregister", f"{LABELS}.toml", "--out", str(tmp_path / "out"), "--power"]
    assert main([*words, str(tmp_path / "power"), "--participants", "20"]) == 0
    text = (tmp_path / "out" / MARKDOWN).read_text("utf-8")
    assert "| difference | −5 % | −0.05 | 100 | 20 | 81 % | [70 %, 90 %] |" in text
    assert "33 %" not in text
    assert "another protocol, “other”" in text
    assert "- So." in text


@pytest.mark.parametrize(
    ("power", "said"),
    [
        (None, "--power DIR (results of lab.py power accept_reject_accuracy) or --rationale"),
        ("{", "can't be read; name a folder that lab.py power"),
        ('{"schema": "results/1.0"}', "schema is 'results/1.0', not 'power/1.0'"),
        ('{"schema": "power/1.0", "study": "x"}', "is of x, not of accept_reject_accuracy"),
    ],
)
def test_a_size_without_a_reason_is_refused_in_one_line(tmp_path, capsys, power, said):
    words = ["preregister", f"{LABELS}.toml", "--participants", "3", "--out", str(tmp_path / "out")]
    if power is not None:
        (tmp_path / "results.json").write_text(power, encoding="utf-8")
        words += ["--power", str(tmp_path)]
    assert main(words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


def test_a_study_that_declares_nothing_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    study = studies_of("analysis")[LABELS]
    inquiry = study.inquiry()
    questions = tuple(replace(one, registered=lambda _: None) for one in inquiry.questions)
    silent = replace(study, inquiry=lambda: replace(inquiry, questions=questions))
    monkeypatch.setattr(f"analysis.studies.{LABELS}.study.STUDY", silent)
    words = ["preregister", f"{LABELS}.toml", "--participants", "3", "--rationale", "So."]
    assert main([*words, "--out", str(tmp_path / "out")]) == 2
    assert f"study {LABELS}: declares nothing to preregister" in capsys.readouterr().err


def test_a_study_from_outside_is_preregistered(tmp_path, monkeypatch):
    monkeypatch.setenv(OUTSIDE, str(EXAMPLE))
    words = ["preregister", "preferences.toml", "--participants", "3", "--rationale", "So."]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "preregistration.md").read_text("utf-8")
    assert "People choose the first answer more often than chance." in page


def test_a_sealed_pack_is_preregistered(data, tmp_path):
    """The data of the pack then deviate in nothing that a build sets; those of another pack do."""
    pack = written(small_sketch(), tmp_path / "pack")
    folder = frozen_at(tmp_path, tmp_path / "pack")
    registered = read_frozen(folder)
    assert (registered.pack_id, registered.protocol) == (pack.pack_id, pack.protocol)
    assert f"that of the sealed pack {pack.pack_id}" in (folder / MARKDOWN).read_text("utf-8")
    dataset = read_folder(LABELS, data.root)
    for shown, deviating in ((pack.pack_id, set()), ("another", {"pack"})):
        found = compare(registered, LABELS, dataset, of_packs(pack, shown), (), ())
        rules = {row.what for row in found.deviations if not row.what.startswith("analysis:")}
        assert rules == deviating


def of_packs(pack, *shown):
    """Return results of three people who were shown packs of these rules."""
    described = {
        "protocol_hashes": [protocol_hash(pack.protocol)], "pack_ids": [*shown],
        "participants": 3, "purpose": "main",
    }  # fmt: skip
    return {"data": described, "estimates": []}


def test_what_the_build_sets_and_names_is_no_deviation(data, tmp_path, rules):
    """Another field that differs is one."""
    dataset = read_folder(LABELS, data.root)
    document = dataset.protocol.resolved()
    document["images"] |= {"size_deg": 3.0, "size_px": 99}
    document["trial"] |= {"limit_s": 31.0}
    document["deviations"].append(
        {"field": "images.size_deg", "published": "", "here": "Of {images.size_px} px.",
         "reason": "", "whose": "build"}
    )  # fmt: skip
    built = replace(dataset, protocol=protocol_from_resolved(document, "a test"))
    registered = read_frozen(frozen_at(tmp_path, rules()))
    found = compare(registered, LABELS, built, of_packs(small_sketch()), (), ())
    fields = {row.what for row in found.deviations}
    assert "trial.limit_s" in fields
    assert not {"images.size_deg", "images.size_px", "deviations", "name"} & fields


def test_a_preregistration_is_never_overwritten(tmp_path, rules):
    folder = frozen_at(tmp_path, rules())
    before = (folder / RECORD).read_bytes()
    with pytest.raises(UserError, match="a preregistration is never overwritten"):
        frozen_at(tmp_path, rules())
    assert (folder / RECORD).read_bytes() == before


def test_an_analysis_as_planned_says_so_of_each_section(data, tmp_path, rules):
    out = tmp_path / "report"
    results = analysed(data, out, frozen_at(tmp_path, rules()))
    found = results["preregistration"]
    assert found["same_rules"] is True
    # Robots answered; everything else is as planned.
    assert set(deviations(results)) - {"purpose of the sessions"} == set()
    registered = studies_of("analysis")[LABELS].inquiry().promises(small_sketch().protocol)
    planned = {one.section: one.id for one in registered.analyses}
    for row in found["results"]:
        in_it = row["section"] in planned
        assert row["preregistered"] == ("yes" if in_it else "no: exploratory")
        assert row["hypotheses"] == (["H1"] if planned.get(row["section"]) == "accuracy" else [])
    (first,) = found["hypotheses"]
    against = next(row for row in results["estimates"] if row["quantity"] == "p_s_less_p_e")
    (test,) = first["tests"]
    assert (test["low"], test["high"]) == (against["low_90"], against["high_90"])
    assert (first["outcome"] == "confirmed") == (against["verdict"] == "like")
    assert results["headline"][-2].startswith(f"H1 is {first['outcome']}: ")
    assert "under the registered rules" in results["headline"][-1]
    page = (out / "report.html").read_text("utf-8")
    assert page.count("Confirmatory here: what decides H1.") == 1
    assert "Preregistered, without a hypothesis: exploratory." in page
    assert "Not preregistered: exploratory." in page
    assert page.index('id="preregistration"') < page.index('id="methods"')


def test_sessions_of_people_that_began_before_it_was_registered_are_counted():
    trials = pd.DataFrame(
        {
            "session": ["20260901T080000Z-AAAA", "20261001T080000Z-BBBB", "20000101T000000Z-CCCC"],
            "robot": [None, None, "careful"],
        }
    )
    registered = "2026-09-15T10:00:00Z"
    assert begun_before(registered, Mock(trials=trials)) == 1
    assert begun_before(registered, Mock(trials=trials.drop(columns="robot"))) == 2
    assert begun_before(registered, Mock(trials=trials[["robot"]])) == 0


def test_each_deviation_is_listed(data, tmp_path, rules):
    """Rules, number of people, purpose, people left out by hand, and the order of events."""
    limits = {**small_sketch().protocol.resolved()["trial"], "limit_s": 31.0}
    registered = frozen_at(tmp_path, rules(trial=limits), 4, now=datetime.now(UTC))
    (registered / MARKDOWN).unlink()
    codes = sorted(paths.session.split("-")[1] for paths in data.sessions())
    (tmp_path / "out.txt").write_text(codes[0], encoding="utf-8")
    excluded = ["--exclude", str(tmp_path / "out.txt")]
    results = analysed(data, tmp_path / "report", registered, *excluded)
    found = deviations(results)
    assert results["preregistration"]["same_rules"] is False
    assert found["trial.limit_s"] == ("31.0", "30.0")
    assert found["participants"] == ("4", "2")
    assert found["purpose of the sessions"] == ("main", "robot")
    assert found["participants left out by hand"] == ("none", "1")
    assert "sessions begun before it was registered" not in found  # robots' dates say nothing
    assert found[MARKDOWN] == ("as it was written", "changed or missing since")
    told = {row["preregistered"] for row in results["preregistration"]["results"]}
    assert told == {"planned, under other rules", "no: exploratory"}


def test_a_table_that_does_not_say_its_rules_is_under_other_rules(data, tmp_path, rules):
    tables = data.tables
    words = ["analyse", LABELS, "--trials", tables / "trials.csv", "--items", tables / "items.csv"]
    registered = frozen_at(tmp_path, rules())
    more = ["--out", tmp_path / "report", "--preregistration", registered]
    assert main([str(word) for word in (*words, *more)]) == 0
    results = json.loads((tmp_path / "report" / "results.json").read_text("utf-8"))
    assert results["preregistration"]["same_rules"] is False
    assert "the data don't say" in deviations(results)["rules"][1]


def test_a_preregistration_of_another_study_or_none_is_refused(data, tmp_path, capsys, rules):
    words = ["analyse", LABELS, "--data", str(data.root), "--out", str(tmp_path / "report")]
    assert main([*words, "--preregistration", str(tmp_path)]) == 2
    assert "contains no preregistration.json" in capsys.readouterr().err
    folder = frozen_at(tmp_path, rules())
    record = json.loads((folder / RECORD).read_text("utf-8"))
    (folder / RECORD).write_text(json.dumps(record | {"study": "human_ai_team"}), encoding="utf-8")
    assert main([*words, "--preregistration", str(folder)]) == 2
    assert "is of human_ai_team, not of accept_reject_accuracy" in capsys.readouterr().err
