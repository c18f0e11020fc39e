"""A name that a file states leads to a place within its folder, or nowhere."""

import os
import socket
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.io.inside import inside, odd_kind, refuse_odd, stays_inside

OUTSIDE = (
    "", ".", "..", "/", "/etc/passwd", "../x", "a/../../x", "a/..", "a//b", "//server/share", "a/",
    "./a", "C:", "C:/x", "c:x", "a/c:x", "note.txt:hidden", "\\x", "a\\b", "..\\x", "a\0b", "a\nb",
    "con", "NUL", "a/nul.txt", "Com1", "lpt9.csv", "aux .txt", "conin$", "COM¹", ".. ", "a/. ./b",
)  # fmt: skip
WITHIN = ("a", "a/b.csv", ".hidden", "a..b", "...a", "ü/日本.png", "a b", "console", "com10", "lpt")


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_out_are_refused_in_one_line(name, tmp_path):
    with pytest.raises(UserError, match="leads out of this folder") as refusal:
        inside(tmp_path, name)
    assert "\n" not in str(refusal.value)
    assert "\0" not in str(refusal.value)


@pytest.mark.parametrize("name", WITHIN)
def test_other_names_are_places_in_the_folder(name, tmp_path):
    assert inside(tmp_path, name) == tmp_path / name


PARTS = st.sampled_from(["a", "b.csv", "..", ".", "", "nul", "C:", "c:x", "\\", " ", ". ", "con.x"])
NAMES = st.lists(PARTS | st.text(max_size=6), max_size=5).map("/".join) | st.text(max_size=12)


@given(NAMES)
def test_no_name_leads_out_on_any_system(name):
    """What is accepted lies within the folder by the rules of POSIX and of Windows."""
    root = Path("/lab/folder")
    if not stays_inside(name):
        with pytest.raises(UserError):
            inside(root, name)
        return
    assert inside(root, name) == root / name
    assert Path(os.path.normpath(root / name)).parts[:3] == root.parts
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    assert posix.parts == windows.parts == tuple(name.split("/"))
    assert not windows.is_reserved()
    assert not posix.is_absolute()
    assert windows.anchor == ""
    assert ".." not in posix.parts


@pytest.mark.parametrize("linked", ["a", "a/b", "a/b/c.txt"])
def test_a_name_through_a_link_is_refused(linked, tmp_path):
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = folder / linked
    place.parent.mkdir(parents=True)
    place.symlink_to(elsewhere)
    with pytest.raises(UserError, match="is a link"):
        inside(folder, "a/b/c.txt")


def test_the_folder_itself_may_be_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "folder").symlink_to(tmp_path / "disk")
    assert inside(tmp_path / "folder", "a") == tmp_path / "folder" / "a"


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe")
def test_pipes_sockets_and_devices_are_named_without_reading_them(tmp_path):
    pipe, link, bound = tmp_path / "pipe", tmp_path / "link", tmp_path / "socket"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(bound))
    kinds = {pipe: "a pipe", link: "a pipe", bound: "a socket", Path("/dev/null"): "a device"}
    for path, kind in kinds.items():
        assert odd_kind(path) == kind
        with pytest.raises(UserError, match=f"is {kind}, not a file"):
            refuse_odd(path)
    (tmp_path / "file").write_bytes(b"")
    for plain in (tmp_path, tmp_path / "file", tmp_path / "missing"):
        assert odd_kind(plain) == ""
