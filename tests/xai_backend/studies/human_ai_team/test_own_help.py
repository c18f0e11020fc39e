"""A lab's own maps and texts help people with the images of the pack."""

import csv

import numpy as np

from stimuli.io.canonical import file_sha256, files_sha256
from stimuli.maps.origin import Origin
from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.study import helps_by_arm
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LABELS
from tests.xai_backend.studies.human_ai_team.digit_packs import TINY, built_here, pixels
from xai_backend.studies.human_ai_team.images import file_name


def test_a_lab_brings_maps_and_texts_of_its_own(trained, tmp_path, monkeypatch):
    """The images of the pack first, then maps and texts by their names."""
    lab, _ = trained
    text = TINY.replace('"gradcam", "salient_object", "nearest_neighbours"', '"our_maps", "text"')
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    options = ["--protocol", tmp_path / "own.toml"]
    status, _, wrong = built_here(monkeypatch, lab, *options, "--out", tmp_path / "none")
    assert (status, "--help-texts FILE" in wrong) == (2, True)
    folder = tmp_path / "images"
    status, said, wrong = built_here(monkeypatch, lab, *options, "--for-maps", folder)
    assert (status, said) == (0, f"18 images: {folder}\n"), wrong
    rows = list(csv.DictReader((folder / "images.csv").open(encoding="utf-8")))
    names = [row["image"] for row in rows]
    assert sorted(path.stem for path in folder.glob("*.png")) == sorted(names)
    maps = tmp_path / "maps"
    maps.mkdir()
    for number, name in enumerate(names):
        np.save(maps / f"{name}.npy", np.full((56, 56), number, dtype=np.float32))
    texts = tmp_path / "texts.csv"
    lines = [f"{name},help {name},Hilfe {name}" for name in names]
    texts.write_text("\n".join(["image,text,de", *lines]), encoding="utf-8")
    options += ["--help-texts", texts]
    status, _, wrong = built_here(monkeypatch, lab, *options, "--out", tmp_path / "none")
    assert (status, "--maps our_maps=DIR" in wrong) == (2, True)
    options += ["--maps", f"our_maps={maps}", "--out", tmp_path / "pack"]
    status, _, wrong = built_here(monkeypatch, lab, *options)
    assert status == 0, wrong
    pack = open_pack(tmp_path / "pack")
    progress = " ".join(wrong.split())
    labels = sorted({row["label"] for row in pack.table(LABELS)})
    assert f"{len(labels)} labels have no definition in de: {', '.join(labels)}; give" in progress
    assert "validation: 2 right labels (" in progress
    assert "our_maps: 1 of 9 maps mark nothing" in progress or names[0] not in main_of(pack)
    assert helps_by_arm(pack) == {
        "confidence": Origin(),
        "our_maps": Origin("imported", "maps", sha256=files_sha256(sorted(maps.iterdir()), maps)),
        "text": Origin("imported", "texts.csv", sha256=file_sha256(texts)),
    }
    name_of = {row["presentation"]: file_name(str(row["item"])) for row in pack.table(KEY)}
    label_of = {row["presentation"]: row["shown_label"] for row in pack.table(ITEMS)}
    proposed = {row["image"]: row["label"] for row in rows}
    for row in pack.table(HELPS):
        name = name_of[row["presentation"]]
        assert proposed[name] == label_of[row["presentation"]]
        if row["arm"] == "text":
            word = "Hilfe" if row["language"] == "de" else "help"
            assert row["help_text"] == f"{word} {name}"
        else:
            brightest = 255 if names.index(name) else 0
            assert pixels(pack, row["help_file"]).max() == brightest


def main_of(pack):
    return {file_name(str(row["item"])) for row in pack.table(KEY) if row["role"] == "main"}
