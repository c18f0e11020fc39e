"""What can't be built ends with one line, before anything long."""

from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from stimuli.pack import open_pack
from stimuli.studies.accept_reject.tables import TASKS
from tests.xai_backend.studies.accept_reject.small_builds import TINY, run_build


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Run a build that must end with one line and exit 2; return the line."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))

    def run(*options, study="accept_reject"):
        assert run_build(study, *options) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert not (tmp_path / "lab" / "cache").exists()
        return printed.err

    return run


def test_mistakes_end_with_one_line_before_anything_long(refused, built, protocol_file, tmp_path):
    lab = built[0]
    tasks = lab / "pack-tasks"
    tiny = ("--protocol", protocol_file)
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").touch()
    assert "no study 'magic'" in refused(study="magic")
    own = ("--method", "mine=captum:Saliency")
    assert "doesn't name mine as a method" in refused(*tiny, *own)
    assert "can't be reached" in refused(*tiny, "--scheduler", "nowhere")
    assert "take a task pack" in refused("--tasks", lab / "pack", "--robot-experts", 1)
    assert "is not a pack" in refused("--tasks", full, "--robot-experts", 1)
    assert "is not a map set" in refused("--tasks", tasks, "--human-maps", full)
    assert "is not empty" in refused(*tiny, "--out", full)
    assert "contains another pack" in refused(*tiny, "--seed", 7, "--out", tasks)
    assert "take uci, mnist, or a folder" in refused(*tiny, "--source", tmp_path / "nowhere")
    assert "lacks MNIST's IDX files" in refused(*tiny, "--source", full)
    assert "can't be read" in refused("--protocol", tmp_path / "none.toml")
    assert "torch finds no such device" in refused(*tiny, "--device", "cuda:99")
    assert "is unknown; take cpu or cuda" in refused(*tiny, "--device", "abacus")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ('method = "magic"', "no explanation method 'magic'; take one of attention_relevance"),
        ("patch_px = 40", "system.patch_px is 40, larger than input_px (32)"),
        ("patch_px = 4", "stride_px is 8, must be 1 to patch_px (4)"),
        ('methd = "lrp"', "system.methd: unknown key"),
    ],
)
def test_impossible_systems_are_refused(refused, tmp_path, change, line):
    text = TINY.replace("patch_px = 8\n", "") if change.startswith("patch") else TINY
    path = tmp_path / "changed.toml"
    path.write_text(text.replace("[system]", f"[system]\n{change}"), encoding="utf-8")
    assert line in refused("--protocol", path)


def test_paintings_that_lack_a_plate_are_refused(refused, built, tmp_path):
    lab, printed = built
    folder = tmp_path / "few"
    folder.mkdir()
    source = Path(printed["human_maps"][0])
    header, *rows = (source / "maps.csv").read_text(encoding="utf-8").splitlines()
    tasks = open_pack(lab / "pack-tasks").table(TASKS)
    gone = next(row["item"] for row in tasks if row["use"] == "main")
    kept = [row for row in rows if gone not in row]
    (folder / "maps.csv").write_text("\n".join([header, *kept]) + "\n", encoding="utf-8")
    maps = load_file(source / "maps.safetensors")
    with safe_open(source / "maps.safetensors", "np") as stored:
        tag = stored.metadata()
    fewer = {name: values for name, values in maps.items() if gone not in name}
    save_file(fewer, folder / "maps.safetensors", tag)
    assert gone in refused("--tasks", lab / "pack-tasks", "--human-maps", folder)
