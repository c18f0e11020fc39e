"""Exports of every study's data against the standards, the tables, and what must not go out."""

import csv
import json
import os
import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.cli import main
from participants.dataset.derive import derive
from participants.dataset.study_tables import study_tables
from participants.export.bids import tsv
from participants.export.psych_ds_rules import faults_of
from participants.export.run import Asked, export_bids, export_psych_ds
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.merging.merge import merge
from participants.registry import Registry
from participants.registry.tables import exported, exports, people
from participants.replaced import replace_code
from participants.tombstones import add_tombstones
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import Column
from stimuli.maps.origin import DETAILS
from stimuli.outside import OUTSIDE
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from tests.modes import modes_below
from tests.participants.export.conftest import SIMULATED, put_together
from tests.participants.export.rewritten import with_code
from tests.participants.export.validator import avoidable, issues_of
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

EVERYBODY = 2 * len(SIMULATED)
TEXT = {"answers"}


@pytest.fixture(autouse=True)
def usual_lab(lab, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab.root))


def asked(tmp_path, **more):
    return Asked(tmp_path / "out", purpose="robot", **more)


def keep(lab, *names):
    """Take all studies but some out of a lab's data."""
    for paths in [*lab.data.sessions()]:
        if read_journal(paths.journal).header["study"] not in names:
            shutil.rmtree(paths.folder)


def codes_in(folder):
    return {paths.session.split("-")[1] for paths in folder.sessions()}


def tsv_rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def csv_rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def everything_in(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join([*map(str, files), *(path.read_text("utf-8", "replace") for path in files)])


def test_every_study_of_the_catalogue_is_simulated_here():
    assert set(SIMULATED) == set(studies_of("participants"))


def test_bids_of_all_studies_at_once_passes_the_official_validator(tmp_path):
    done = export_bids(asked(tmp_path))
    assert (done.participants, done.sessions) == (EVERYBODY, EVERYBODY)
    (remark,) = done.remarks
    assert remark.startswith("No registry confirms the journals (the lab's registry has none of")
    assert avoidable(issues_of(done.out)) == []


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(name, marks=() if name == "progressive_reveal" else pytest.mark.slow)
        for name in SIMULATED
    ],
)
def test_each_study_alone_passes_both(study, simulated, tmp_path):
    data = simulated[study].root
    bids = export_bids(Asked(tmp_path / "bids", data=data, study=study, purpose="robot"))
    assert avoidable(issues_of(bids.out)) == []
    psych_ds = export_psych_ds(Asked(tmp_path / "pds", data=data, study=study, purpose="robot"))
    assert faults_of(psych_ds.out) == ()


def test_a_study_from_outside_the_suite_is_exported_too(tmp_path, monkeypatch):
    from tests.test_example_study import EXAMPLE

    monkeypatch.setenv(OUTSIDE, str(EXAMPLE))
    data = tmp_path / "data"
    assert main(["simulate", "preferences", "--participants", "2", "--out", str(data)]) == 0
    done = export_bids(asked(tmp_path, data=data))
    assert avoidable(issues_of(done.out)) == []
    assert faults_of(export_psych_ds(Asked(tmp_path / "p", data, purpose="robot")).out) == ()


def test_trials_are_those_of_the_tables_cell_by_cell(tmp_path, lab):
    """Both forms against derive: nothing lost, nothing doubled, nothing else than said."""
    studies = ("accept_reject", "human_ai_team", "progressive_reveal")
    keep(lab, *studies)
    bids, psych_ds = export_bids(asked(tmp_path)).out, tmp_path / "psych-ds"
    export_psych_ds(Asked(psych_ds, purpose="robot"))
    for study in studies:
        rows = derive(lab.data, study).trials
        ours = [{n: c for n, c in row.items() if n not in {"session"} | TEXT} for row in rows]
        told = [
            {"participant": path.name.split("_")[0].removeprefix("sub-"), **row}
            for path in bids.rglob("*_beh.tsv")
            if study.replace("_", "") in path.name
            for row in tsv_rows(path)
        ]
        tables = psych_ds.glob(f"data/study-{study.replace('_', '')}*trials_data.csv")
        plain = [row for path in tables for row in csv_rows(path)]
        assert as_set(ours) == as_set(told) == as_set(plain)
        assert len(ours) == len(told) == len(plain)


def as_set(rows):
    """Rows as sets of texts, without what an export adds."""
    added = {"row_id", "session"}
    return {
        frozenset((name, text_of(cell)) for name, cell in row.items() if name not in added)
        for row in rows
    }


def text_of(cell):
    if cell in (None, "n/a"):
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def test_the_second_assessment_has_files_and_rules_of_its_own(tmp_path):
    out = export_bids(asked(tmp_path)).out
    tasks = {path.name.split("task-")[1].split("_")[0] for path in out.rglob("*_beh.tsv")}
    assert tasks == {name.replace("_", "") for name in SIMULATED}
    task = json.loads((out / "task-acceptrejectaccuracy_beh.json").read_text("utf-8"))
    assert "labels of images" in task["TaskDescription"]


def test_onsets_count_on_over_sittings_and_are_in_order(tmp_path, simulated):
    data = simulated["progressive_reveal"]
    out = export_bids(asked(tmp_path, data=data.root)).out
    for paths in data.sessions():
        journal = read_journal(paths.journal)
        begun = [event.t_utc for event in journal.of("session")]
        assert len(begun) > 1
        code = journal.header["participant"]
        (path,) = out.glob(f"sub-{code}/ses-01/beh/*_events.tsv")
        onsets = [float(row["onset"]) for row in tsv_rows(path)]
        assert onsets == sorted(onsets)
        # Who stops for the day is back a day later.
        assert onsets[-1] > 24 * 3600 * (len(begun) - 1)


def test_no_date_of_a_session_and_no_session_id_goes_out(tmp_path, lab):
    for number, export in enumerate((export_bids, export_psych_ds)):
        told = everything_in(export(Asked(tmp_path / str(number), purpose="robot")).out)
        assert "2000-01-0" not in told
        assert not any(paths.session in told for paths in lab.data.sessions())


def test_typed_words_stay_unless_asked_for(tmp_path, lab):
    keep(lab, "progressive_reveal")
    rows = derive(lab.data, "progressive_reveal").trials
    typed = max((row["answers"] for row in rows if row["answers"]), key=len)
    without = export_psych_ds(Asked(tmp_path / "without", purpose="robot"))
    assert typed not in everything_in(without.out)
    asked_for = Asked(tmp_path / "with", purpose="robot", with_text=True)
    done = export_bids(asked_for)
    assert typed in everything_in(done.out)
    assert any("read them before" in remark for remark in done.remarks)
    assert avoidable(issues_of(done.out)) == []


def test_robots_go_out_only_when_they_are_asked_for(tmp_path):
    with pytest.raises(UserError, match="no session of purpose main to export; there are sessions"):
        export_bids(Asked(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_after_a_withdrawal_nothing_of_the_person_is_exported(tmp_path, lab, simulated, capsys):
    """By the real command, which also names the export that was made before."""
    keep(lab, "human_ai_team", "simulatability")
    gone = sorted(codes_in(simulated["human_ai_team"]))[0]
    enter(lab, gone)
    before = export_bids(Asked(tmp_path / "before", purpose="robot")).out
    assert gone in everything_in(before)
    capsys.readouterr()
    assert main(["participants", "withdraw", gone, "--yes", "--json"]) == 0
    (named,) = json.loads(capsys.readouterr().out)["exports"]
    assert (named["kind"], named["place"]) == ("bids", str(before))
    for number, export in enumerate((export_bids, export_psych_ds)):
        done = export(Asked(tmp_path / str(number), purpose="robot"))
        assert done.participants == 3
        assert gone not in everything_in(done.out)
    assert avoidable(issues_of(tmp_path / "0")) == []
    assert faults_of(tmp_path / "1") == ()


def enter(lab, code):
    """Enter a person under a code that there is already."""
    row = {
        "code": code, "role": "participant", "purpose": "robot",
        "enrolled_utc": "2000-01-01T00:00:00.000000Z",
    }  # fmt: skip
    Registry.open(lab.registry_url).transact(
        lambda connection: connection.execute(people.insert().values(**row))
    )


def test_a_withdrawal_that_only_the_registry_knows_counts_too(tmp_path, lab):
    registry = Registry.open(lab.registry_url)
    code = registry.enrol("participant", purpose="robot")
    registry.record_withdrawal(code)
    paths = next(iter(lab.data.sessions()))
    renamed = paths.journal.read_text("utf-8")
    taken = read_journal(paths.journal).header["participant"]
    paths.journal.write_bytes(with_code(renamed, taken, code))
    assert code not in everything_in(export_bids(asked(tmp_path)).out)


def test_merged_twice_is_exported_once(tmp_path, simulated):
    two = [simulated[name] for name in ("human_ai_team", "simulatability")]
    folders = [str(folder.root) for folder in two]
    for _ in range(2):
        assert main(["participants", "merge", *folders, "--into", str(tmp_path / "data")]) == 0
    done = export_bids(asked(tmp_path, data=tmp_path / "data"))
    assert (done.participants, done.sessions) == (4, 4)
    assert avoidable(issues_of(done.out)) == []


def test_a_withdrawal_holds_for_a_copy_that_is_merged_later(tmp_path, simulated):
    two = [simulated[name] for name in ("accept_reject_accuracy", "human_ai_team")]
    data = put_together(DataFolder(tmp_path / "data"), two)
    gone = sorted(codes_in(data))[0]
    add_tombstones(data, {gone: "2026-01-01T00:00:00.000000Z"})
    put_together(data, two)
    for number, export in enumerate((export_bids, export_psych_ds)):
        done = export(Asked(tmp_path / str(number), data.root, purpose="robot"))
        assert gone not in everything_in(done.out)
    assert avoidable(issues_of(tmp_path / "0")) == []
    assert faults_of(tmp_path / "1") == ()


def test_an_unfinished_session_waits_for_its_persons_word(tmp_path, simulated):
    """It is named, and neither form holds it."""
    data = put_together(DataFolder(tmp_path / "data"), [simulated["accept_reject_accuracy"]])
    first, _ = data.sessions()
    lines = first.journal.read_bytes().splitlines(keepends=True)
    first.journal.write_bytes(b"".join(lines[: len(lines) // 2]))
    done = export_bids(asked(tmp_path, data=data.root))
    assert (done.participants, list(done.left_out)) == (1, [first.session])
    assert "1 session was left out" in (done.out / "README.md").read_text("utf-8")


def test_simulated_studies_merge_since_each_has_people_of_its_own(tmp_path, simulated):
    into = DataFolder(tmp_path / "all")
    done = merge(list(simulated.values()), into)
    assert (len(done.plan.new), done.failed) == (EVERYBODY, {})
    assert len(codes_in(into)) == EVERYBODY
    exported_people = export_psych_ds(asked(tmp_path, data=into.root))
    assert exported_people.participants == EVERYBODY


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
@pytest.mark.parametrize("export", [export_bids, export_psych_ds])
def test_an_export_is_private_until_somebody_hands_it_on(tmp_path, simulated, export):
    done = export(asked(tmp_path, data=simulated["human_ai_team"].root))
    assert modes_below(done.out) == {"folders": {0o700}, "files": {0o600}}


def test_the_registry_notes_whose_data_went_out(tmp_path, lab):
    out = export_psych_ds(asked(tmp_path, study="human_ai_team")).out
    registry = Registry.open(lab.registry_url)
    (row,) = registry.transact(lambda connection: connection.execute(exports.select()).all())
    assert (row.kind, row.place, row.purpose) == ("psych-ds", str(out), "robot")
    wanted = exported.select().with_only_columns(exported.c.code)
    codes = registry.transact(lambda connection: connection.scalars(wanted).all())
    rows = csv_rows(next((out / "data").glob("*people_data.csv")))
    assert set(codes) == {row["participant"] for row in rows}


def test_experts_whose_answers_were_shown_are_noted_and_forgotten_too(tmp_path, lab):
    """The data set's labels have an expert's place in the tables; take it for a person."""
    code, study = "uci", "accept_reject_accuracy"
    enter(lab, code)
    out = export_bids(Asked(tmp_path / "before", study=study, purpose="robot")).out
    items = out / "stimuli" / "acceptrejectaccuracy_items.tsv"
    assert {row["expert_id"] for row in tsv_rows(items)} == {code}
    wanted = exported.select().with_only_columns(exported.c.code)
    registry = Registry.open(lab.registry_url)
    assert code in registry.transact(lambda connection: connection.scalars(wanted).all())
    add_tombstones(lab.data, {code: "2026-01-01T00:00:00.000000Z"})
    out = export_bids(Asked(tmp_path / "after", study=study, purpose="robot")).out
    items = out / "stimuli" / "acceptrejectaccuracy_items.tsv"
    assert {row["expert_id"] for row in tsv_rows(items)} == {"n/a"}


def test_of_several_experts_in_one_cell_each_is_noted_and_forgotten(tmp_path, lab, simulated):
    """Maps that two people drew name both in one cell; one of them takes the data back."""
    data = put_together(DataFolder(tmp_path / "data"), [simulated["human_ai_team"]])
    kept, gone = codes = ("CDF34HK", "DT3SMQM")
    for code in codes:
        enter(lab, code)
    (copy,) = data.packs.iterdir()
    replace_code(copy, "sketch", '"{}"'.format(", ".join(codes)))
    before = export_bids(asked(tmp_path, data=data.root)).out
    arms = "humanaiteam_arms.tsv"
    assert {row["help_origin_note"] for row in tsv_rows(before / "stimuli" / arms)} == {
        "n/a", ", ".join(codes)
    }  # fmt: skip
    wanted = exported.select().with_only_columns(exported.c.code)
    registry = Registry.open(lab.registry_url)
    assert {*codes} <= {*registry.transact(lambda connection: connection.scalars(wanted).all())}
    add_tombstones(data, {gone: "2026-01-01T00:00:00.000000Z"})
    after = export_bids(Asked(tmp_path / "after", data=data.root, purpose="robot")).out
    notes = {row["help_origin_note"] for row in tsv_rows(after / "stimuli" / arms)}
    assert notes == {"n/a", kept}
    assert gone not in everything_in(after)


@pytest.mark.parametrize("study", SIMULATED)
def test_a_re_user_learns_what_each_arm_was(study, simulated, tmp_path):
    """In a table, in the README, and from the description of the events' arms."""
    done = export_bids(Asked(tmp_path / "out", simulated[study].root, study, purpose="robot"))
    label, arms = study.replace("_", ""), study_of_tables(study).arms
    table = tsv_rows(done.out / "stimuli" / f"{label}_{arms.name}.tsv")
    assert {"network", "imported", "response_model"} & {row[arms.origin] for row in table}
    assert all(f"{arms.origin}_{what}" in table[0] for what in DETAILS)
    events = json.loads((done.out / f"task-{label}_events.json").read_text("utf-8"))
    assert f"stimuli/{label}_{arms.name}.tsv" in events["trial_type"]["Description"]
    sidecar = json.loads((done.out / "stimuli" / f"{label}_{arms.name}.json").read_text("utf-8"))
    assert "SHA-256" in sidecar[f"{arms.origin}_sha256"]["Description"]
    readme = (done.out / "README.md").read_text("utf-8")
    assert "Who made what was shown, and how:" in readme
    # A deviation's sentences ended twice: "in the paper …; here …. Why: …..".
    assert re.findall(r".*[.!?][.;].*", readme) == []
    assert readme.count("Why: ") >= 2


def study_of_tables(study):
    """The tables of a study, which may be another one's."""
    return study_tables(load_protocol(study).study)


def test_what_was_shown_goes_out_with_its_pack(tmp_path, simulated):
    """stim_file names a file below stimuli, byte for byte as in the pack."""
    sketch = small_sketch()
    protocol = sketch.protocol
    files = {path: sketch.asset(path) for path in sketch.manifest.files}
    manifest = write_pack(tmp_path / "pack", protocol, "solutions", files, {})
    data = put_together(DataFolder(tmp_path / "data"), [simulated["accept_reject_accuracy"]])
    with pytest.raises(UserError, match="nobody in the export was shown pack"):
        export_bids(asked(tmp_path, data=data.root, packs=(tmp_path / "pack",)))
    shown_for_real(data, sketch.pack_id, manifest.pack_id, tmp_path / "pack")
    done = export_bids(asked(tmp_path, data=data.root, packs=(tmp_path / "pack",)))
    (path, *_) = sorted(done.out.rglob("*_beh.tsv"))
    for row in tsv_rows(path):
        inside = row["stim_file"].removeprefix(f"{manifest.pack_id}/")
        assert (done.out / "stimuli" / row["stim_file"]).read_bytes() == files[inside]
    assert avoidable(issues_of(done.out)) == []
    pds = Asked(tmp_path / "p", data.root, purpose="robot", packs=(tmp_path / "pack",))
    assert faults_of(export_psych_ds(pds).out) == ()


def shown_for_real(data, sketch_id, pack_id, pack):
    """Let journals say that they showed a sealed pack, not the sketch with the same content."""
    for paths in data.sessions():
        paths.journal.write_bytes(with_code(paths.journal.read_text("utf-8"), sketch_id, pack_id))
    shutil.copytree(pack, data.pack_copy(pack_id))


def test_a_language_of_the_labs_own_is_exported_with_its_instructions(tmp_path, lab, simulated):
    study = "accept_reject_accuracy"
    data = put_together(DataFolder(tmp_path / "data"), [simulated[study]])
    for paths in data.sessions():
        text = paths.journal.read_text("utf-8")
        paths.journal.write_bytes(with_code(text, '"language":"en"', '"language":"fr"'))
    without = export_bids(Asked(tmp_path / "without", data.root, purpose="robot")).out
    sidecar = f"task-{study.replace('_', '')}_beh.json"
    assert "Instructions" not in json.loads((without / sidecar).read_text("utf-8"))
    own = lab.texts / study / "fr"
    own.mkdir(parents=True)
    (own / "instructions.md").write_text("---\nversion: 1.0\n---\nTouche {accept_key}.\n", "utf-8")
    done = export_bids(Asked(tmp_path / "with", data.root, purpose="robot"))
    told = json.loads((done.out / sidecar).read_text("utf-8"))["Instructions"]
    assert told == "Touche [accept key]."
    assert avoidable(issues_of(done.out)) == []


@given(st.lists(st.fixed_dictionaries({"a": st.text(), "b": st.none() | st.floats()})))
def test_whatever_stands_in_a_cell_a_table_keeps_its_form(rows):
    columns = (Column("a", "text", ""), Column("b", "real", "", optional=True))
    lines = tsv(columns, rows).decode("utf-8").split("\n")
    assert lines[-1] == ""
    assert [len(line.split("\t")) for line in lines[:-1]] == [2] * (len(rows) + 1)
    assert all(cell for line in lines[:-1] for cell in line.split("\t"))


def test_what_the_lab_did_not_say_is_never_invented_and_named(tmp_path, lab):
    (lab.root / "dataset.toml").unlink()
    keep(lab, "human_ai_team")
    done = export_bids(asked(tmp_path))
    assert "authors, license, institution, department, address" in done.remarks[-1]
    issues = issues_of(done.out)
    assert not any(severity == "error" for severity, *_ in issues)
    keys = {key for _, _, key in issues} - {"HEDVersion", "CogAtlasID", "CogPOID", ""}
    institution = {"InstitutionName", "InstitutionalDepartmentName", "InstitutionAddress"}
    assert keys == {"Authors", "License", *institution}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('titel = "x"', "titel: unknown key; known: title, authors"),
        ('authors = "A"', "authors: "),
        ("authors = [", "is not valid TOML"),
    ],
)
def test_a_wrong_dataset_file_is_refused_in_one_line(tmp_path, lab, content, said):
    (lab.root / "dataset.toml").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"dataset\.toml: ") as refused:
        export_bids(asked(tmp_path))
    assert said in str(refused.value)


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    with pytest.raises(UserError, match="is not empty; name a new folder"):
        export_bids(asked(tmp_path))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.tex"]


def test_a_failure_on_the_way_leaves_no_folder_and_no_note(tmp_path, lab, monkeypatch):
    def full(folder, files):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("participants.export.run._write", full)
    with pytest.raises(UserError, match="No space left on device"):
        export_bids(asked(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"lab"}
    registry = Registry.open(lab.registry_url)
    assert registry.transact(lambda connection: connection.execute(exports.select()).all()) == []


def test_the_verb_says_what_it_did(tmp_path, capsys):
    words = ["export", "bids", "--out", str(tmp_path / "out"), "--purpose", "robot"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["participants"], told["noted"], told["left_out"]) == (EVERYBODY, True, {})
    assert main(words) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["export", "psych-ds", "--out", str(tmp_path / "p"), "--study", "none"]) == 2
    assert "no study 'none'" in capsys.readouterr().err
