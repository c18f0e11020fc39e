"""The demo says at once what its session, minutes later, would lack."""

import json
import sys
from contextlib import contextmanager
from io import StringIO

import pytest

from experiments import cli, demo
from experiments.engine import display
from participants.folder import DataFolder
from participants.simulate.run import RIG
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
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
    printed = "import sys; print(*sys.argv[1:], sep='\\n')"
    monkeypatch.setattr(demo, "_command", lambda words: [sys.executable, "-c", printed, *words])
    log = tmp_path / "session.log"
    with demo._started("lead", tmp_path, show=False) as child:
        assert child.wait() == 0
    words = log.read_text(encoding="utf-8").splitlines()
    assert words[:2] == ["run", str(tmp_path / "pack")]
    assert words[words.index("--override") + 1] == demo.REASON


def test_a_session_that_fails_is_told_with_its_last_line(tmp_path, monkeypatch):
    fails = "import sys; print('the disk is full'); sys.exit(2)"
    monkeypatch.setattr(demo, "_command", lambda words: [sys.executable, "-c", fails])
    recipe = studies_of("experiments")["accept_reject"].demo
    failed = pytest.raises(UserError, match=r"session of lead: the disk is full \(.*session\.log\)")
    with failed, demo._started("lead", tmp_path, show=False) as child:
        demo._watch(child, recipe, 3, tmp_path, Console(file=StringIO()))


def test_the_simulation_has_ended_before_the_window_opens(tmp_path, monkeypatch):
    """Seen on a busy PC: the window was first, and the simulation refused its session's folder."""
    order = []

    def step(words, *, quiet=False):
        order.append(words[0])
        if words[0] == "analyse":
            report = tmp_path / "out" / "report"
            report.mkdir()
            (report / "results.json").write_text('{"headline": []}', encoding="utf-8")

    @contextmanager
    def started(robot, place, *, show):
        order.append("window opens")
        yield
        order.append("window closes")

    monkeypatch.setattr(demo, "_step", step)
    monkeypatch.setattr(demo, "_started", started)
    monkeypatch.setattr(demo, "_watch", lambda *_: None)
    monkeypatch.setattr(demo, "_require_display", lambda *, show: None)
    demo.run_demo(None, tmp_path / "out", None, show=False)
    assert order == ["build", "simulate", "window opens", "window closes", "analyse"]


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


@pytest.mark.skipif(sys.platform != "linux", reason="virtual displays")
def test_trials_that_lost_frames_are_told_in_one_sentence(tmp_path):
    def write(name, rig, *dropped):
        session = DataFolder(tmp_path).session(name)
        session.folder.mkdir(parents=True, exist_ok=True)
        events = [{"event": "session", "rig": rig}] + [
            {"event": "trial_end", "phase": phase, "frames_dropped": number}
            for number in dropped
            for phase in ("practice", "main")
        ]
        lines = [json.dumps(event, separators=(",", ":")) for event in events]
        session.journal.write_text("\n".join(lines), encoding="utf-8")

    assert demo._lost_frames(tmp_path, show=False) == ()
    write("s1", "lab 2", 0, 0)
    assert demo._lost_frames(tmp_path, show=False) == ()
    write("s1", "lab 2", 0, 3, 1)
    write("s2", RIG, 5)
    (sentence,) = demo._lost_frames(tmp_path, show=False)
    assert sentence.startswith("2 of the 3 trials in the window lost frames, because the processor")
    assert demo._lost_frames(tmp_path, show=True) == ()
