"""The demo says at once what its sessions, minutes later, would lack."""

import sys
from contextlib import ExitStack

import pytest

from experiments import cli, demo
from experiments.engine import display


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Start a demo that must end with one line before it made or started anything."""
    monkeypatch.setattr(demo, "_step", lambda *_, **__: pytest.fail("a step was started"))

    def run(*arguments):
        assert cli.main(["demo", "--out", str(tmp_path / "out"), *arguments]) == 2
        said = capsys.readouterr().err.strip()
        assert "\n" not in said
        assert not (tmp_path / "out").exists()
        return said

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="X11")
def test_robots_that_should_be_shown_where_there_is_no_screen(refused, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    assert "DISPLAY is not set" in refused("--show")
    monkeypatch.setenv("DISPLAY", ":4711")
    said = refused("--show")
    assert "DISPLAY=:4711 doesn't answer" in said
    assert "leave out --show" in said


def test_a_busy_pc_on_which_frames_fail_their_check_doesnt_end_the_demo(tmp_path, monkeypatch):
    said = "import sys; print(*sys.argv[1:], sep='\\n')"
    monkeypatch.setattr(demo, "_command", lambda words: [sys.executable, "-c", said, *words])
    (tmp_path / "logs").mkdir()
    with ExitStack() as stack:
        assert demo._start("lead", 1, tmp_path, stack, show=False).wait() == 0
    words = (tmp_path / "logs" / "lead.log").read_text(encoding="utf-8").splitlines()
    assert words[:2] == ["run", str(tmp_path / "pack")]
    assert words[words.index("--override") + 1] == demo.REASON


@pytest.mark.skipif(sys.platform != "linux", reason="X11")
def test_a_linux_without_a_virtual_display(refused, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Xvfb is not installed" in refused()


@pytest.mark.parametrize(
    ("platform", "question"),
    [("win32", "_windows_station_is_visible"), ("darwin", "_mac_session_has_screen")],
)
@pytest.mark.parametrize("arguments", [(), ("--show",)])
def test_a_remote_shell_without_a_desktop(refused, monkeypatch, platform, question, arguments):
    """What the system is asked can't run here; that the demo asks it first can."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(display, question, lambda: False)
    said = refused(*arguments)
    assert "there is no desktop" in said
    assert "--show" not in said
