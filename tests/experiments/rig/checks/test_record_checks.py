import shutil
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from experiments.rig.checks import records
from experiments.rig.checks.records import GIB, MIB, disk, local_disk, share_of
from participants.backup.make import back_up
from participants.dataset.journals import write_session_sidecar
from participants.folder import LabFolder
from participants.journal import JournalWriter
from participants.registry import Registry
from participants.registry.sessions import NewSession
from participants.texts.folders import files_called
from participants.withdrawal.copies import note_withdrawal
from stimuli.errors import UserError
from stimuli.pack import open_pack
from tests.fonts import made_font
from tests.participants.journal.workers.journals import HEADER


@pytest.mark.parametrize(
    ("free", "status"), [(5 * GIB, "pass"), (1 * GIB, "warn"), (50 * MIB, "fail")]
)
def test_the_disk_must_have_room(tmp_path, free, status):
    assert disk(tmp_path, free).status == status


def test_room_is_looked_for_where_the_data_will_be_and_a_missing_disk_told(tmp_path, monkeypatch):
    assert "GiB free" in disk(tmp_path / "not" / "yet").found

    def unplugged(folder):
        raise FileNotFoundError(2, "No such file or directory", str(folder))

    monkeypatch.setattr(records.shutil, "disk_usage", unplugged)
    finding = disk(tmp_path / "gone")
    assert finding.status == "fail"
    assert "No such file" in finding.found


def test_a_lab_folder_that_can_or_cannot_be_written(lab):
    assert records.lab_folder(lab).status == "pass"
    assert list(lab.data.root.iterdir()) == []
    shutil.rmtree(lab.data.root)
    lab.data.root.write_bytes(b"not a folder")
    finding = records.lab_folder(lab)
    assert finding.status == "fail"
    assert "can't be " in finding.found
    assert "Errno" not in finding.found
    assert str(lab.data.root) in finding.remedy


def test_a_registry_on_a_share_is_refused_and_data_on_one_are_told(lab):
    root, data = str(lab.root), str(lab.data.root)
    assert local_disk(lab, [("/", "ext4")]).status == "pass"
    assert local_disk(lab, [("/", "ext4"), (root, "nfs4")]).status == "fail"
    lab.data.make()
    assert local_disk(lab, [("/", "ext4"), (data, "cifs")]).status == "warn"


def test_the_innermost_mount_decides(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    mounts = [("/", "nfs"), (str(tmp_path), "ext4"), (str(inner), "smb3")]
    assert share_of(tmp_path / "file", mounts) == ""
    assert share_of(inner / "deep" / "file", mounts) == "smb3"


def test_of_a_database_server_only_the_data_are_looked_for_on_disks(lab):
    text = (lab.root / "lab.toml").read_text(encoding="utf-8")
    url = "postgresql+psycopg://lab@db.example/plainsight"
    text = text.replace("sqlite:///registry.sqlite", url)
    (lab.root / "lab.toml").write_text(text, encoding="utf-8")
    server = LabFolder.open(lab.root)
    assert local_disk(server, [("/", "ext4"), (str(lab.root), "nfs")]).status == "warn"


def test_the_registry_answers_or_says_why_not(lab):
    assert records.registry(lab).found == "codes: 0"
    (lab.root / "registry.sqlite").write_bytes(b"this is no database, however long it is" * 50)
    assert records.registry(lab).status == "fail"


def test_a_journal_that_was_cut_is_found_by_the_registry_though_its_sidecar_is_gone(lab):
    session = HEADER["session"]
    paths = lab.data.session(session)
    with closing(Registry.open(lab.registry_url)) as people:
        code = people.enrol("lead", axis="deutan", rung=3)
        with JournalWriter.create(paths.journal, HEADER | {"participant": code}) as journal:
            journal.append("pause", reason="")
        place = people.folder_id(lab.data.root)
        people.start_session(
            NewSession(session, code, "lead", "accept_reject", "p", "main", "rig-1", place)
        )
        people.anchor_session(session, write_session_sidecar(paths))
    assert session not in records.journals(lab).remedy
    paths.sidecar.unlink()
    first = paths.journal.read_bytes().splitlines(keepends=True)[0]
    paths.journal.write_bytes(first)
    found = records.journals(lab)
    assert found.status == "fail"
    assert "has 1 lines, but the registry says 2" in found.remedy
    # A journal records what was found.
    assert session not in found.found
    shutil.rmtree(paths.folder)
    found = records.journals(lab)
    assert (found.status, found.found) == ("fail", "records that can't be trusted: 1")
    assert "its journal is missing, but the registry knows of it" in found.remedy


def test_the_age_of_the_last_backup(lab, tmp_path):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert records.backup(lab, now).found == "there is none"
    back_up(lab, tmp_path / "disk", now - timedelta(days=8), thorough=False)
    assert records.backup(lab, now).found == "the last one is 8 days old"
    back_up(lab, tmp_path / "disk", now - timedelta(hours=3), thorough=False)
    assert records.backup(lab, now) == records.BACKUP.passed("hours", number="3")
    assert "in the future" in records.backup(lab, now - timedelta(days=1)).found
    note_withdrawal(lab, "CDF34HK", "2026-02-28T10:00:00.000000Z", built=False)
    assert "who withdrew is still in the backups in" in records.backup(lab, now).found
    (tmp_path / "disk").rename(tmp_path / "away")
    with pytest.raises(UserError):
        back_up(lab, tmp_path / "disk", now, thorough=False)
    assert "disk failed: " in records.backup(lab, now).found


@pytest.mark.parametrize(
    ("purpose", "status"),
    [("main", "fail"), ("pilot", "warn"), ("test", "warn"), (None, "warn"), ("robot", "pass")],
)
def test_robots_that_stand_for_people_in_a_pack_are_told(robots_pack, mini_pack, purpose, status):
    finding = records.people(open_pack(robots_pack), purpose)
    assert finding.status == status
    told = "E's answers and paintings come from response models (robot-1), not from people"
    assert finding.found == told
    assert records.people(open_pack(mini_pack), purpose).status == "pass"


def test_all_that_is_missing_or_changed_of_a_pack_is_named(mini_pack, tmp_path):
    assert records.pack_seal(mini_pack).status == "pass"
    torn = tmp_path / "torn"
    shutil.copytree(mini_pack, torn)
    (torn / "items.csv").write_bytes(b"changed")
    finding = records.pack_seal(torn)
    assert finding.status == "fail"
    assert "items.csv" in finding.found
    shutil.copy(mini_pack / "items.csv", torn)
    gone = [path.relative_to(torn).as_posix() for path in torn.glob("assets/**/*.plate")]
    assert len(gone) > 5
    for name in gone:
        (torn / name).unlink()
    (torn / "Thumbs.db").write_bytes(b"x")
    finding = records.pack_seal(torn)
    assert all(name in finding.found for name in gone)
    assert "Thumbs.db was put there by the file manager" in finding.found
    assert finding.remedy == "copy the pack again"


def test_a_packs_litter_is_deleted_and_an_archive_unzipped(mini_pack, tmp_path):
    pack = tmp_path / "pack"
    shutil.copytree(mini_pack, pack)
    archive = Path(shutil.make_archive(str(tmp_path / "carried"), "zip", pack))
    (pack / ".DS_Store").write_bytes(b"x")
    assert records.pack_seal(pack).remedy == "delete this file"
    finding = records.pack_seal(archive)
    assert (finding.status, finding.found) == ("fail", f"{archive}: is an archive")
    assert finding.remedy.startswith("unzip it first, then name the folder: python3 -m zipfile")


BLANKS = ("responsible", "pay", "retention", "rights", "data_protection", "ethics_vote")


def fill(lab, *keys):
    path = lab.root / "lab.toml"
    text = path.read_text(encoding="utf-8")
    for key in keys:
        text = text.replace(f'{key} = ""', f'{key} = "Ada Lovelace"', 1)
    path.write_text(text, encoding="utf-8")
    return LabFolder.open(lab.root)


@pytest.mark.parametrize(
    ("filled", "found"),
    [
        ((), "not filled in: institution, contact, consent.en.responsible, consent.en.pay"),
        (("institution", "contact", *BLANKS[:-1]), "not filled in: consent.en.ethics_vote"),
        (("institution", *BLANKS), "not filled in: contact"),
        (("institution", "contact", *BLANKS), "all blanks are filled in"),
    ],
)
def test_a_blank_in_the_consent_stops_sessions_of_purpose_main_alone(lab, filled, found):
    lab = fill(lab, *filled)
    whole = found.startswith("all")
    for purpose in (None, "pilot", "test", "robot", "main"):
        finding = records.consent(lab, purpose)
        assert finding.found.startswith(found)
        fails = "fail" if purpose == "main" else "warn"
        assert finding.status == ("pass" if whole else fails)
        assert str(lab.root / "lab.toml") in finding.remedy or whole
        assert "Ada" not in finding.found, "journals hold no names"


def test_blanks_are_those_of_the_language_that_is_shown(lab):
    lab = fill(lab, "institution", "contact", *BLANKS)
    assert records.consent(lab, "main", "en").status == "pass"
    finding = records.consent(lab, "main", "de")
    assert finding.found.startswith("not filled in: consent.de.responsible")
    assert "consent.fr.pay" in records.consent(lab, "main", "fr").found


@pytest.mark.parametrize(
    ("study", "file"),
    [
        ("accept_reject", "debrief.md"),
        ("accept_reject_accuracy", "questions.toml"),
        ("common", "words.toml"),
    ],
)
def test_every_text_that_may_be_shown_is_looked_at(lab, study, file):
    """A sign of Linear B in a single text of one language, each kind of text."""
    shipped = files_called(file, study, "de")[study]
    own = lab.texts / study / "de" / file
    own.parent.mkdir(parents=True)
    text = shipped.read_text(encoding="utf-8")
    last = text.rindex('"') if file.endswith(".toml") else len(text)
    own.write_text(f"{text[:last]}\N{LINEAR B SYLLABLE B008 A}{text[last:]}", encoding="utf-8")
    finding = records.fonts(lab)
    assert finding.status == "warn"
    assert finding.found.endswith("lacks signs of: de (\N{LINEAR B SYLLABLE B008 A})")
    font = made_font("\N{LINEAR B SYLLABLE B008 A}", lab.root / "own.ttf").read_bytes()
    assert records.fonts(lab, (font,)).status == "pass"  # as in a session of a pack that has it


def test_a_script_that_no_screen_sets_is_named_though_a_font_has_its_signs(lab):
    text = (lab.root / "lab.toml").read_text(encoding="utf-8")
    named = text.replace('institution = ""', 'institution = "\N{THAI CHARACTER KO KAI}"')
    (lab.root / "lab.toml").write_text(named, encoding="utf-8")
    font = made_font("\N{THAI CHARACTER KO KAI}", lab.root / "own.ttf").read_bytes()
    finding = records.fonts(LabFolder.open(lab.root), (font,))
    assert finding.status == "warn"
    assert finding.found.startswith("lab.toml: the script Thai has no blanks between words")


def test_a_labs_own_name_and_language_are_looked_at(lab):
    sign = "\N{LINEAR B SYLLABLE B008 A}"
    path = lab.root / "lab.toml"
    text = path.read_text(encoding="utf-8").replace('institution = ""', f'institution = "{sign}"')
    assert sign in text
    path.write_text(text, encoding="utf-8")
    assert records.fonts(LabFolder.open(lab.root)).found.endswith(f"lab.toml ({sign})")
    own = lab.texts / "accept_reject" / "gmy"
    own.mkdir(parents=True)
    (own / "words.toml").write_text(f'[keys]\nletter = "{sign}"\n', encoding="utf-8")
    assert f"gmy ({sign}), lab.toml" in records.fonts(LabFolder.open(lab.root)).found


def test_a_text_that_cannot_be_read_is_named(lab):
    own = lab.texts / "accept_reject" / "en" / "words.toml"
    own.parent.mkdir(parents=True)
    own.write_text("not = = toml", encoding="utf-8")
    finding = records.fonts(lab)
    assert finding.status == "warn"
    assert str(own) in finding.found


def test_a_typeface_is_there_with_its_signs_or_fails(lab, monkeypatch):
    assert records.fonts(lab).status == "pass"

    def missing(weight):
        raise UserError("the typeface is missing")

    monkeypatch.setattr(records, "font_file", missing)
    assert records.fonts(lab).status == "fail"
