"""Places: status 2, one line, nothing lost or half-written."""

import pytest

from tests.damaged.files import HEADER, LONG, ROW, write


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "accept_reject", "--participants", "1", "--pack", "PACK", "--out", "LONG"],
        ["analyse", "accept_reject", "--data", "LONG", "--out", "OUT"],
        ["analyse", "accept_reject", "--trials", "TABLE", "--out", "LONG"],
        ["plates", "--digits", "LONG", "--out", "OUT"],
        ["build", "accept_reject", "--source", "uci", "--out", "LONG"],
        ["run", "LONG", "--robot", "lead"],
        ["demo", "--out", "LONG"],
        ["participants", "list", "--lab", "LONG"],
    ],
)
def test_a_name_too_long_for_the_disk(refused, mini_pack, tmp_path, arguments):
    named = {
        "LONG": tmp_path / LONG,
        "OUT": tmp_path / "out",
        "PACK": mini_pack,
        "TABLE": write(tmp_path / "trials.csv", HEADER + ROW),
    }
    said = refused(*(named.get(part, part) for part in arguments))
    assert LONG in said
    assert "too long" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "accept_reject", "--source", "uci"],
        ["demo"],
        ["simulate", "accept_reject", "--participants", "1", "--pack", "PACK"],
        ["plates"],
        ["analyse", "accept_reject", "--trials", "TABLE"],
    ],
)
def test_a_place_below_a_file_is_refused_before_anything_long(
    refused, mini_pack, tmp_path, arguments
):
    named = {"PACK": mini_pack, "TABLE": write(tmp_path / "trials.csv", HEADER + ROW)}
    out = write(tmp_path / "file", "mine") / "below"
    said = refused(*(named.get(part, part) for part in arguments), "--out", out)
    assert str(tmp_path / "file") in said
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_an_empty_argument_never_means_the_current_folder(refused, mini_pack):
    said = refused(
        "simulate", "accept_reject", "--participants", 1, "--pack", mini_pack, "--out", ""
    )
    assert "empty" in said
    assert "variable" in said


def test_a_full_or_read_only_disk_is_the_users_to_mend(refused, monkeypatch, tmp_path):
    import errno

    from stimuli.plates import collection

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "plates.csv"))

    monkeypatch.setattr(collection, "_put_together", full)
    said = refused("plates", "--count", 1, "--size", 64, "--no-png", "--out", tmp_path)
    assert "plates.csv: No space left on device; free some space" in said
