import os
import re
import stat
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.files import make_private, safe_name, write_file
from participants.folder import DataFolder, LabFolder, new_session_id
from participants.lab_settings import AppointmentRules, ConsentBlanks, PaymentRules
from participants.registry.database import connect
from stimuli.errors import UserError
from stimuli.io import files
from stimuli.pack.model import pack_in_memory
from stimuli.places import cache_dir, log_dir
from stimuli.protocol import load_protocol, protocol_hash

posix = pytest.mark.skipif(os.name != "posix", reason="owners of POSIX systems")
LAB = 'schema = "lab/1.0"\n'


def sketch(**files_):
    protocol = load_protocol("accept_reject")
    content = {f"{name}.csv": data for name, data in files_.items()}
    content["assets/plates/p1"] = b"plate"
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", content)


def test_a_new_lab_folder_has_a_documented_lab_file(tmp_path):
    root = tmp_path / "new" / "lab"
    first = LabFolder.make(root)
    text = (root / "lab.toml").read_text(encoding="utf-8")
    assert LabFolder.open(root) == first
    assert list(first.packs.iterdir()) == []
    keys = re.findall(r"^(\w+) = ", text, flags=re.MULTILINE)
    fields = type(first.settings).model_fields
    top = {field.alias or name for name, field in fields.items()} - {
        "consent",
        "payment",
        "appointments",
    }
    models = (ConsentBlanks, PaymentRules, AppointmentRules)
    tables = {name for model in models for name in model.model_fields}
    assert set(keys) == top | tables
    assert first.settings.rig.startswith("rig-")
    assert first.data.root == root / "data"
    assert first.registry_url == f"sqlite:///{(root / 'registry.sqlite').as_posix()}"


def test_the_lab_folder_is_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "there"))
    assert LabFolder.make().root == LabFolder.open().root == tmp_path / "there"


def test_a_folder_without_a_lab_file_is_refused_and_left_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "there"))
    (tmp_path / "mounted_here").mkdir()
    for place, named in (
        (None, "doctor --new"),
        (tmp_path / "mounted_here", f'doctor --new --lab "{tmp_path / "mounted_here"}"'),
    ):
        with pytest.raises(UserError, match="is not a lab folder") as refusal:
            LabFolder.open(place)
        assert str(refusal.value).endswith(named)
    assert [path.name for path in tmp_path.iterdir()] == ["mounted_here"]
    assert list((tmp_path / "mounted_here").iterdir()) == []


def test_a_lab_folder_is_never_made_twice(tmp_path):
    LabFolder.make(tmp_path)
    before = (tmp_path / "lab.toml").read_bytes()
    with pytest.raises(UserError, match="is a lab folder already; leave out --new"):
        LabFolder.make(tmp_path)
    assert (tmp_path / "lab.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("key", "usual", "elsewhere"),
    [
        ("data", '"data"', '"{}"'),
        ("registry", "sqlite:///registry.sqlite", "sqlite:///{}/registry.sqlite"),
    ],
)
def test_a_disk_that_the_lab_file_names_must_be_there(tmp_path, key, usual, elsewhere):
    lab, disk = LabFolder.make(tmp_path / "lab"), tmp_path / "disk"
    path = lab.root / "lab.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(usual, elsewhere.format(disk.as_posix())), encoding="utf-8")
    with pytest.raises(UserError, match=rf"lab\.toml: {key}: .* isn't there; mount its disk"):
        LabFolder.open(lab.root)
    assert not disk.exists()
    disk.mkdir()
    assert LabFolder.open(lab.root).root == lab.root


def test_settings_are_read_anew(tmp_path):
    lab = LabFolder.make(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "lab.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace('"data"', f'"{(tmp_path / "elsewhere").as_posix()}"')
    text = text.replace('institution = ""', 'institution = "Universität, Institut für Psychologie"')
    path.write_text(text.replace("sqlite:///registry", "sqlite:///deep/er"), encoding="utf-8")
    again = LabFolder.open(tmp_path)
    assert again.settings.rig == lab.settings.rig
    assert again.data.root == tmp_path / "elsewhere"
    assert again.settings.institution.startswith("Universität")
    assert again.registry_url.endswith("/deep/er.sqlite")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'{LAB}rig = "r"\ncolour = 3\n', "colour: unknown key; known: schema, data"),
        (f'{LAB}rig = "r"\nlanguage = "deutsch"\n', "language: 'deutsch' is not a language's"),
        (f'{LAB}rig = "no spaces please"\n', "rig: "),
        (f"{LAB}rig = 3\n", "rig: "),
        (LAB, "rig: is missing"),
        ('rig = "r"\n', "schema is None, not 'lab/1.0'"),
        ("rig = \n", "not valid TOML"),
        ("rig = " + 5000 * "[", "not valid TOML"),
        ('schema = "lab/1.9"\nrig = "r"\nnew = 1\n', "written by a newer version .*update"),
        ('schema = "lab/2.0"\nrig = "r"\n', "written by a newer version"),
        ('schema = "pack/1.0"\nrig = "r"\n', "schema is 'pack/1.0', not 'lab/1.0'"),
        ('schema = 1\nrig = "r"\n', "schema is 1, not 'lab/1.0'"),
    ],
)
def test_a_wrong_lab_file_is_one_line_with_file_and_key(tmp_path, text, message):
    (tmp_path / "lab.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message) as error:
        LabFolder.open(tmp_path)
    assert str(tmp_path / "lab.toml") in str(error.value)


@posix
def test_data_folders_are_their_owners_alone(tmp_path):
    lab = LabFolder.make(tmp_path / "lab")
    paths = lab.data.session(new_session_id("K7RTMXF"))
    make_private(paths.folder)
    for folder in (lab.root, lab.data.root, paths.folder.parent, paths.folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@posix
@pytest.mark.parametrize("first", [cache_dir, log_dir])
def test_a_lab_folder_is_private_whoever_makes_it(tmp_path, monkeypatch, first):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    assert first().parent == tmp_path / "lab"
    assert stat.S_IMODE((tmp_path / "lab").stat().st_mode) == 0o700


@posix
def test_a_registry_is_its_owners_alone(tmp_path):
    connect(f"sqlite:///{tmp_path / 'registry.sqlite'}").dispose()
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@posix
def test_a_folder_that_exists_keeps_its_permissions(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    make_private(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755


def test_a_file_in_the_folders_place_is_one_line(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="can't be made"):
            make_private(place)


def test_session_ids_sort_by_time_and_make_good_names():
    early = new_session_id("K7RTMXF", datetime(2026, 11, 5, 9, 7, 3, tzinfo=UTC))
    late = new_session_id("C7RTMXF", datetime(2026, 11, 5, 10, 0, 0, tzinfo=UTC))
    assert re.fullmatch(r"20261105T090703Z-K7RTMXF-[a-z2-9]{4}", early)
    assert early < late
    assert len({new_session_id("K7RTMXF") for _ in range(50)}) > 45


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "a/b", "a\\b", "../../etc/passwd", ".hidden", "a ", "a.", "a\n"),
        *("a:b", "a*b", 'a"b', "a\0b", "con", "NUL.txt", "com1", "x" * 121, "é" * 130),
    ],
)
def test_names_that_some_system_refuses_are_refused(name):
    with pytest.raises(UserError, match="can't be the name of a file"):
        safe_name(name)


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20))
def test_other_names_come_back_in_nfc(name):
    try:
        safe = safe_name(name)
    except UserError:
        return
    assert safe == unicodedata.normalize("NFC", name)


def test_a_session_path_never_leaves_the_data_folder(tmp_path):
    with pytest.raises(UserError):
        DataFolder(tmp_path).session("../elsewhere")


def test_sessions_are_those_with_a_journal_oldest_first(tmp_path):
    data = DataFolder(tmp_path).make()
    for name in ("20260102T000000Z-B-xxxx", "20260101T000000Z-A-xxxx", "20260103T000000Z-C-xxxx"):
        make_private(data.session(name).folder)
        if "-C-" not in name:
            data.session(name).journal.write_bytes(b"")
    assert [paths.session[:8] for paths in data.sessions()] == ["20260101", "20260102"]


def test_a_pack_is_kept_without_its_stimuli_and_twice_is_once(tmp_path):
    pack = sketch(items=b"i", key=b"k", lists=b"l", item_table=b"t")
    data = DataFolder(tmp_path / "data")
    folder = data.copy_pack(pack)
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert data.copy_pack(pack) == folder == data.pack_copy(pack.pack_id)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == kept
    assert set(kept) == {"pack.json", "items.csv", "key.csv", "lists.csv", "item_table.csv"}
    assert kept["key.csv"] == b"k"


def test_a_file_in_use_is_tried_again_and_then_named(tmp_path, monkeypatch):
    """A replace fails on Windows while another program has the file open."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")
    refusals = 3
    real = Path.replace

    def in_use(self, target):
        nonlocal refusals
        if refusals:
            refusals -= 1
            raise PermissionError(13, "The process cannot access the file")
        return real(self, target)

    monkeypatch.setattr(files, "PAUSE_S", 0.001)
    monkeypatch.setattr(Path, "replace", in_use)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    refusals = files.ATTEMPTS
    with pytest.raises(UserError, match="close programs that have it open"):
        write_file(path, b"newer")
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


def test_a_kept_pack_that_was_changed_is_named(tmp_path):
    pack = sketch(key=b"k")
    folder = DataFolder(tmp_path).copy_pack(pack)
    (folder / "key.csv").write_bytes(b"other")
    with pytest.raises(UserError, match=r"key\.csv: differs"):
        DataFolder(tmp_path).copy_pack(pack)


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "deep" / "table.csv"
    write_file(path, b"one")
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["table.csv"]
