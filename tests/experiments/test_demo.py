"""The demo says at once what its sessions, minutes later, would lack."""

import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from io import StringIO

import pytest

from experiments import cli, demo
from experiments.engine import display
from participants.folder import DataFolder
from stimuli.catalogue import studies_of
from stimuli.rich_terminal import Console


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


@pytest.mark.parametrize(
    ("platform", "show", "cpus", "sessions"),
    [
        ("linux", False, 1, 1),
        ("linux", False, 2, 2),
        ("linux", True, 8, 1),
        ("win32", False, 8, 1),
    ],
)
def test_no_more_sessions_at_once_than_the_cpus_carry(monkeypatch, platform, show, cpus, sessions):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(demo, "available_cpus", lambda: cpus)
    assert demo.at_once(show=show) == sessions


@pytest.mark.parametrize("most", [1, 2, 3])
def test_each_session_starts_as_soon_as_there_is_room(tmp_path, monkeypatch, most):
    log = tmp_path / "log"
    note = f"log = open({str(log)!r}, 'a'); log.write('start\\n'); log.flush(); log.write('end\\n')"
    monkeypatch.setattr(demo, "_command", lambda words: [sys.executable, "-c", note])
    monkeypatch.setattr(demo, "POLL_S", 0)
    monkeypatch.setattr(demo, "at_once", lambda show: most)
    recipe = replace(studies_of("experiments")["accept_reject"].demo, robots=("a", "b", "c"))
    demo._sessions(recipe, 3, tmp_path, show=False, console=Console(file=StringIO()))
    running = 0
    for line in log.read_text(encoding="utf-8").split():
        running += 1 if line == "start" else -1
        assert 0 <= running <= most
    assert log.read_text(encoding="utf-8").split().count("end") == 3


@pytest.mark.skipif(sys.platform != "linux", reason="virtual displays")
def test_trials_that_lost_frames_are_told_in_one_sentence(tmp_path):
    session = DataFolder(tmp_path).session("s1")
    session.folder.mkdir(parents=True)

    def write(*dropped):
        lines = [
            json.dumps(
                {"event": "trial_end", "phase": phase, "frames_dropped": number},
                separators=(",", ":"),
            )
            for number in dropped
            for phase in ("practice", "main")
        ]
        session.journal.write_text("\n".join(lines), encoding="utf-8")

    write(0, 0)
    assert demo._lost_frames(tmp_path, show=False) == ()
    write(0, 3, 1)
    (said,) = demo._lost_frames(tmp_path, show=False)
    assert said.startswith("2 of 3 trials lost frames, because the processor drew")
    assert demo._lost_frames(tmp_path, show=True) == ()
