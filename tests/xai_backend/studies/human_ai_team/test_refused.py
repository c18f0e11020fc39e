"""What can't be built is said, with counts of what there is."""

from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from tests.xai_backend.studies.human_ai_team.digit_packs import TINY, built_here


def test_what_cannot_be_built_is_said_with_counts(trained, monkeypatch, tmp_path):
    lab, said = trained
    text = TINY.replace("per_bin = 1", "per_bin = 400").replace("sheets = 2", "sheets = 600")
    text = text.replace(', "gradcam", "salient_object", "nearest_neighbours"', "")
    (tmp_path / "many.toml").write_text(text, encoding="utf-8")
    options = ["--protocol", tmp_path / "many.toml", "--out", tmp_path / "pack"]
    status, _, wrong = built_here(monkeypatch, lab, *options)
    assert status == 2
    assert "images by bin, 400 wanted in each: " in wrong
    for name in NATURAL_BINS:
        assert f"{name} " in wrong
        assert f"{said['found'][name]}" in wrong
    assert "--per-bin" in wrong.rpartition(";")[2] or "another classifier" in wrong
    status, _, wrong = built_here(monkeypatch, lab, "--model", "resnet34")
    assert (status, "trained on the spot" in wrong) == (2, True)
    status, _, wrong = built_here(monkeypatch, lab, "--source", tmp_path / "nowhere")
    assert (status, "there is no such file or folder; take digits, mnist, or" in wrong) == (2, True)
