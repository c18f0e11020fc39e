"""What long work tells at a terminal."""

from xai_backend.progress import Terminal


def test_a_stage_of_many_steps_is_told_whole_on_eighty_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with Terminal().stage("training ProtoPNet (pictures)", 16500) as advance:
        advance(9000)
        advance(7500)
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "training ProtoPNet (pictures)" in line
    assert "16500/16500" in line
    assert line.rstrip().endswith("took 0:00")
    assert "…" not in line


def test_a_stage_without_steps_has_no_bar(capsys):
    with Terminal().stage("reading images", 0):
        pass
    assert capsys.readouterr().err == ""
