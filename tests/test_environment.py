"""The environment: whole, or noticed to be not and made so, by one caller at a time."""

import configparser
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lab
from experiments.launch.command import FROM_DESKTOP
from lab_environment import Environment, SetupError, system
from lab_environment.environment import MAKE, RECORD, UPDATE, WHOLE
from lab_environment.pip import Pip, pip_failure
from lab_environment.shortcut import desktop_folder, make_shortcut

ROOT = Path(__file__).resolve().parents[1]


# --- is the environment whole? ----------------------------------------------------


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout whose environment needs nothing that a network would have to bring."""
    import ensurepip

    for name in ("requirements.txt", "requirements-lab.txt"):
        text = f"pip=={ensurepip.version()}\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "constraints.txt").write_text("six==1.17.0\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def whole(checkout) -> Environment:
    """A light environment that looks whole; only its Python is real."""
    environment = Environment(str(checkout / ".venv"), str(checkout))
    python = Path(environment.python)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (checkout / ".venv" / "pyvenv.cfg").write_text(
        f"home = {Path(sys.executable).parent}\nversion = 3.11.7\n", encoding="utf-8"
    )
    for name in ("pip", "pip-26.3.dist-info", "numpy-2.3.5.dist-info"):
        Path(environment.site_packages(), name).mkdir(parents=True)
    record = {
        "profile": "lab",
        "requirements": environment._requirements("lab"),
        "place": environment._place(),
        "distributions": environment.distributions(),
    }
    environment._write_record(record)
    assert environment.verdict("lab")[0] == WHOLE
    return environment


def _remove_python(environment):
    Path(environment.python).unlink()


def _remove_base_python(environment):
    path = Path(environment.folder, "pyvenv.cfg")
    path.write_text("home = /nowhere/bin\nversion = 3.11.7\n", encoding="utf-8")


def _another_python(environment):
    path = Path(environment.folder, "pyvenv.cfg")
    path.write_text(path.read_text(encoding="utf-8").replace("3.11", "3.10"), encoding="utf-8")


def _cut_off(environment):
    environment._write_record({})


def _torn_record(environment):
    path = Path(environment.folder, RECORD)
    path.write_text(path.read_text(encoding="utf-8")[:40], encoding="utf-8")


def _foreign(environment):
    Path(environment.folder, RECORD).unlink()


def _without_pip(environment):
    shutil.rmtree(Path(environment.site_packages(), "pip"))


def _package_gone(environment):
    shutil.rmtree(Path(environment.site_packages(), "numpy-2.3.5.dist-info"))


def _other_requirements(environment):
    path = Path(environment.checkout, "constraints.txt")
    path.write_text("six==1.16.0\n", encoding="utf-8")


def _python_upgraded_beneath(environment):
    Path(environment.python).unlink()
    Path(environment.python).symlink_to("/bin/sh")


def _gone(environment):
    shutil.rmtree(environment.folder)


@pytest.mark.parametrize(
    ("damage", "state"),
    [
        (_gone, MAKE),
        (_remove_python, MAKE),
        (_remove_base_python, MAKE),
        (_another_python, MAKE),
        (_python_upgraded_beneath, MAKE),
        (_cut_off, MAKE),
        (_torn_record, MAKE),
        (_without_pip, MAKE),
        (_foreign, UPDATE),
        (_package_gone, UPDATE),
        (_other_requirements, UPDATE),
    ],
)
def test_damage_is_noticed_without_starting_anything(whole, damage, state):
    damage(whole)
    assert whole.verdict("lab")[0] == state


def test_a_moved_environment_is_made_anew(whole, tmp_path):
    moved = Path(whole.folder).rename(tmp_path / "elsewhere")
    assert Environment(str(moved), whole.checkout).verdict("lab")[0] == MAKE


def test_packages_of_the_users_own_do_no_harm(whole):
    Path(whole.site_packages(), "ipython-9.0.dist-info").mkdir()
    assert whole.verdict("lab")[0] == WHOLE


def test_the_full_environment_is_more_than_the_light_one(whole):
    Path(whole.checkout, "requirements.txt").write_text("pip==1\ntorch==1\n", encoding="utf-8")
    assert whole.verdict("full")[0] == UPDATE


def test_a_verb_that_needs_torch_says_so_in_the_light_environment(whole, monkeypatch, capsys):
    monkeypatch.delenv("PLAINSIGHT_PYTHON_ENV")
    monkeypatch.setattr(lab, "VENV", whole.folder)
    monkeypatch.setattr(lab, "HERE", whole.checkout)
    assert lab.main(["build", "accept_reject"]) == 2
    story = capsys.readouterr().err
    assert "setup --full" in story
    assert story.count("\n") == 1


# --- making it --------------------------------------------------------------------

MAKE_IT = """
import sys
from lab_environment import Environment, SetupError
try:
    print(Environment(sys.argv[1], sys.argv[2]).ensure("lab"))
except SetupError as fault:
    sys.exit(str(fault))
"""


def _start_making(checkout: Path) -> subprocess.Popen:
    quiet = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    return subprocess.Popen(
        [sys.executable, "-c", MAKE_IT, str(checkout / ".venv"), str(checkout)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **quiet},
    )


@pytest.mark.slow
def test_an_environment_is_made_once_by_two_callers_and_remade_after_a_failure(
    checkout, monkeypatch
):
    environment = Environment(str(checkout / ".venv"), str(checkout))
    calls = [_start_making(checkout), _start_making(checkout)]
    stories = [call.communicate() for call in calls]
    assert [call.returncode for call in calls] == [0, 0], stories
    assert sorted(err.count("making the lab environment") for _, err in stories) == [0, 1]
    assert environment.verdict("lab")[0] == WHOLE
    subprocess.run([environment.python, "-c", "import pip"], check=True)
    assert not environment.is_running()

    requirements = checkout / "requirements-lab.txt"
    sound = requirements.read_text(encoding="utf-8")
    requirements.write_text(sound + "no-such-package==1.0\n", encoding="utf-8")
    call = _start_making(checkout)
    _, story = call.communicate()
    assert call.returncode == 1
    assert "no-such-package==1.0" in story.splitlines()[-1]
    assert environment.verdict("lab") == (MAKE, "its installation was cut off")
    assert Path(environment.log).is_file()


def test_a_folder_that_cannot_be_written_is_one_line(checkout):
    (checkout / "file").write_text("", encoding="utf-8")
    with pytest.raises(SetupError, match="can't be written"):
        Environment(str(checkout / "file" / ".venv"), str(checkout)).ensure("lab")


FAKE_PYTHON = """#!{python}
import os, sys
with open({story!r}, "a") as story:
    print(*sys.argv[2:4], os.environ.get("UV_DEFAULT_INDEX", "-"), file=story)
if sys.argv[2:5] == ["pip", "config", "list"]:
    print("global.index-url='https://lab.example/simple'")
sys.exit({fails!r} in sys.argv[2:4])
"""


@pytest.mark.skipif(os.name != "posix", reason="a script takes Python's place")
@pytest.mark.parametrize(
    ("fails", "steps"),
    [
        ("nothing", ["pip install -", "pip config -", "uv pip https://lab.example/simple"]),
        ("uv", ["pip install -", "pip config -", "uv pip https://lab.example/simple"]),
        ("install", ["pip install -"]),
    ],
)
def test_packages_come_by_uv_with_pips_settings_or_else_by_pip(tmp_path, monkeypatch, fails, steps):
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    python, story = tmp_path / "python", tmp_path / "story"
    filled = FAKE_PYTHON.format(python=sys.executable, story=str(story), fails=fails)
    python.write_text(filled, encoding="utf-8")
    python.chmod(0o755)
    pip = Pip(str(python), "constraints.txt", str(tmp_path / "log"), list)
    done = pip.install_by_uv("packages", "uv==1.0", ["-r", "requirements.txt"])
    assert done is (fails == "nothing")
    assert story.read_text(encoding="utf-8").splitlines() == steps


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\n"
            "ERROR: Could not find a version that satisfies the requirement torch==2.13.0\n"
            "ERROR: No matching distribution found for torch==2.13.0\n",
            "check network and proxy",
        ),
        ("ERROR: Could not install: [Errno 28] No space left on device\n", "the disk is full"),
        ("ERROR: Cannot install a==1 and b==2\n", "Cannot install a==1 and b==2"),
        ("Killed\n", "pip gave up"),
    ],
)
def test_why_pip_failed_is_one_line_with_its_log(text, reason):
    line = pip_failure("torch", text, "here.log")
    assert reason in line
    assert "here.log" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "debian"),
    [
        ("ID=debian\n", True),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
        ("ID=fedora\n", False),
    ],
)
def test_only_debian_and_its_children_have_apt(text, debian, tmp_path):
    (tmp_path / "os-release").write_text(text, encoding="utf-8")
    assert system.is_debian(str(tmp_path / "os-release")) == debian


def test_a_user_who_is_not_root_is_told_the_command(monkeypatch, capsys):
    monkeypatch.setattr(system, "missing_libraries", lambda: ["xvfb", "xauth"])
    monkeypatch.setattr(system, "is_root", lambda: False)
    system.install_system_libraries(os.devnull)
    story = capsys.readouterr().err
    assert "sudo apt-get install" in story
    assert "xvfb xauth" in story


def test_the_record_is_json_that_a_person_can_read(whole):
    text = Path(whole.folder, RECORD).read_text(encoding="utf-8")
    assert json.loads(text)["profile"] == "lab"


# --- a shortcut on the desktop ------------------------------------------------------


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_a_shortcut_opens_the_start_window(platform, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    door = tmp_path / "a folder" / "lab.py"
    for _ in range(2):
        made = Path(make_shortcut("/opt/py thon", str(door), str(tmp_path)))
    text = made.read_text(encoding="utf-8")
    assert f'"/opt/py thon" "{door}" launch' in text
    assert os.access(made, os.X_OK)


def test_a_batch_file_reads_umlauts_of_its_paths(tmp_path, monkeypatch):
    """The system reads it in the console's encoding: it is UTF-8 before the first path."""
    monkeypatch.setattr(sys, "platform", "win32")
    door = str(tmp_path / "Jürgen Groß" / "lab.py")
    made = Path(make_shortcut("C:\\py\\python.exe", door, str(tmp_path)))
    lines = made.read_bytes().split(b"\r\n")
    assert lines[:2] == [b"@echo off", b"chcp 65001 >nul"]
    assert lines[2] == f'cd /d "{tmp_path / "Jürgen Groß"}"'.encode()
    assert not any(b"\n" in line for line in lines)


def test_a_desktop_entry_runs_what_it_says_in_the_checkout(tmp_path, monkeypatch):
    """Read as a desktop reads it; a mistake is shown in a window, since there is no terminal."""
    monkeypatch.setattr(sys, "platform", "linux")
    door = tmp_path / "a folder" / "lab.py"
    made = make_shortcut("/opt/py thon", str(door), str(tmp_path))
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(made, encoding="utf-8")
    read = entry["Desktop Entry"]
    words = ["env", f"{FROM_DESKTOP}=1", "/opt/py thon", str(door), "launch"]
    assert shlex.split(read["Exec"]) == words
    assert (read["Type"], read["Path"]) == ("Application", str(door.parent))


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_command_file_runs_the_door_in_the_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    door = tmp_path / "a folder's" / "lab.py"
    door.parent.mkdir()
    door.write_text("import os, sys; print(os.getcwd(), sys.argv[1:])", encoding="utf-8")
    made = make_shortcut(sys.executable, str(door), str(tmp_path))
    said = subprocess.run([made], capture_output=True, text=True, check=True).stdout
    assert said == f"{door.parent} ['launch']\n"


def test_a_shortcut_that_cannot_be_made_says_why(tmp_path):
    with pytest.raises(SetupError, match="there is no desktop here"):
        make_shortcut("python", "lab.py", str(tmp_path / "none"))
    with pytest.raises(SetupError, match="can't stand in a shortcut"):
        make_shortcut("python", str(tmp_path / "50%" / "lab.py"), str(tmp_path))


def test_the_desktop_is_where_the_system_says(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/x")
    assert desktop_folder() == "/home/x/Desktop"
    (tmp_path / "user-dirs.dirs").write_text('XDG_DESKTOP_DIR="$HOME/Arbeit"\n', encoding="utf-8")
    assert desktop_folder() == "/home/x/Arbeit"
