"""The door: one line for every mistake, and an environment that is whole or gets mended."""

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest
import typer

import lab
import lab_environment
from lab_environment import MAKE, UPDATE, WHOLE, Environment, SetupError

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("analysis", "experiments", "participants", "stimuli", "xai_backend")
ROOM_VERBS = {verb: entry[0] for verb, entry in lab.VERBS.items() if entry[0]}


def _door(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(ROOT / "lab.py"), *arguments], capture_output=True, text=True
    )


# --- verbs ----------------------------------------------------------------------


@pytest.mark.parametrize("verb", ROOM_VERBS)
def test_a_verb_explains_itself_with_an_example(verb, capsys):
    cli = importlib.import_module(f"{ROOM_VERBS[verb]}.cli")
    command = typer.main.get_command(cli.app).commands[verb]
    for step in [[name] for name in getattr(command, "commands", {})] or [[]]:
        assert cli.main([verb, *step, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "Usage:" in shown
        assert "Example: " in shown
        assert f"lab.py {' '.join([verb, *step])}" in shown


@pytest.mark.parametrize("room", sorted(set(ROOM_VERBS.values())))
def test_the_door_lists_every_verb_of_a_room(room):
    app = importlib.import_module(f"{room}.cli").app
    verbs = set(typer.main.get_command(app).commands)
    assert verbs == {verb for verb, owner in ROOM_VERBS.items() if owner == room}


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_the_overview_has_a_line_for_each_verb(arguments):
    answer = _door(*arguments)
    assert answer.returncode == 0
    for verb, (_, _, purpose) in lab.VERBS.items():
        assert re.search(rf"^  {verb} +{re.escape(purpose)}$", answer.stdout, re.MULTILINE)
    assert max(map(len, answer.stdout.splitlines())) <= 88


@pytest.mark.parametrize("verb", ["setup", "test"])
def test_the_doors_own_verbs_explain_themselves(verb):
    answer = _door(verb, "--help")
    assert answer.returncode == 0
    assert f"Example: python3 lab.py {verb}" in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("analyze",), "did you mean `analyse`"),
        (("qwertz",), "--help"),
        (("setup", "--light"), "`--light`"),
        (("setup", "--lab", "--full"), "not both"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(arguments, hint):
    answer = _door(*arguments)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert hint in answer.stderr


def test_test_runs_pytest_and_keeps_its_status(monkeypatch):
    seen = []
    monkeypatch.setattr(pytest, "main", lambda arguments: seen.append(arguments) or 5)
    monkeypatch.chdir(ROOT)
    assert lab.main(["test", "-k", "plates"]) == 5
    assert seen == [["-k", "plates"]]


def test_a_room_keeps_its_exit_status(monkeypatch):
    room = type("Cli", (), {"main": staticmethod(lambda arguments: 1)})
    monkeypatch.setitem(sys.modules, "stimuli.cli", room)
    assert lab.main(["plates", "--count", "1"]) == 1


def test_a_missing_package_is_named_in_one_line(monkeypatch, capsys):
    def refuse(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name="typer.main")

    monkeypatch.setattr(importlib, "import_module", refuse)
    assert lab.main(["plates"]) == 2
    story = capsys.readouterr().err
    assert "`typer` is missing" in story
    assert story.count("\n") == 1


def test_a_missing_module_of_ours_is_not_the_users_fault(monkeypatch):
    def refuse(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name="stimuli.plates")

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(ModuleNotFoundError):
        lab.main(["plates"])


# --- which Python ---------------------------------------------------------------


def test_an_old_python_can_read_the_door():
    source = (ROOT / "lab.py").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 4))
    # What the grammar's version does not refuse by itself
    unreadable = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Match)
    displays = [node for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple)]
    assert not [node for node in ast.walk(tree) if isinstance(node, unreadable)]
    assert not [item for node in displays for item in node.elts if isinstance(item, ast.Starred)]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {alias.name for node in imports for alias in node.names} == {"os", "sys"}


@pytest.mark.parametrize("module", ["lab.py", "lab_environment.py"])
def test_the_door_needs_the_standard_library_only(module):
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    names = _imported(tree) - {"lab_environment"}
    # pytest is what `test` runs, once there is an environment
    assert names - {"pytest"} <= sys.stdlib_module_names


@pytest.mark.parametrize(
    ("version", "refused"),
    [((3, 11, 0), False), ((3, 12, 9), False), ((3, 10, 13), True), ((3, 13, 0), True)],
)
def test_only_python_3_11_and_3_12_will_do(version, refused):
    line = lab.version_refusal(version)
    assert bool(line) == refused
    if refused:
        assert "3.11 or 3.12" in line
        assert f"this is 3.{version[1]}" in line


def test_an_unsuitable_python_hands_over_or_says_so_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    monkeypatch.setattr(lab, "suitable_python", list)
    assert lab.main(["doctor"]) == 2
    assert capsys.readouterr().err.count("\n") == 1

    handed = []
    monkeypatch.setattr(lab, "suitable_python", lambda: ["py", "-3.11"])
    monkeypatch.setattr(lab, "go_on", lambda python, rest: handed.append((python, rest)) or 7)
    assert lab.main(["doctor", "--json"]) == 7
    assert handed == [(["py", "-3.11"], ["doctor", "--json"])]


@pytest.mark.skipif(os.name == "nt", reason="shell scripts stand for the Pythons")
def test_a_launcher_without_its_python_is_passed_over(tmp_path, monkeypatch):
    for name, answer in {"python3.11": "exit 127", "python3.12": "echo True"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lab.suitable_python() == [str(tmp_path / "python3.12")]
    (tmp_path / "python3.12").unlink()
    assert lab.suitable_python() == []


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
    path = Path(environment.folder, lab_environment.RECORD)
    path.write_text(path.read_text(encoding="utf-8")[:40], encoding="utf-8")


def _foreign(environment):
    Path(environment.folder, lab_environment.RECORD).unlink()


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
    quiet = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", MAKE_IT, str(checkout / ".venv"), str(checkout)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **quiet},
    )


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
    line = lab_environment.pip_failure("torch", text, "here.log")
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
    assert lab_environment.is_debian(str(tmp_path / "os-release")) == debian


def test_a_user_who_is_not_root_is_told_the_command(monkeypatch, capsys):
    monkeypatch.setattr(lab_environment, "missing_libraries", lambda: ["xvfb", "xauth"])
    monkeypatch.setattr(lab_environment, "is_root", lambda: False)
    lab_environment.install_system_libraries(os.devnull)
    story = capsys.readouterr().err
    assert "sudo apt-get install" in story
    assert "xvfb xauth" in story


# --- requirements -----------------------------------------------------------------


@cache
def _providers() -> dict[str, list[str]]:
    """Import name to the installed distributions that bring it."""
    return dict(packages_distributions())


def _pins(name: str) -> dict[str, str]:
    """Distribution to line, as a requirements file has them."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    wanted = [line.split("#")[0].strip() for line in lines]
    pins = [line for line in wanted if line]
    assert all(re.match(r"[A-Za-z0-9-]+==[^ *]+( ; .+)?$", pin) for pin in pins)
    return {pin.split("==")[0].lower(): pin.split("==")[1].split(" ;")[0] for pin in pins}


def _imported(tree: ast.AST) -> set[str]:
    """Top-level names of all that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


def _distribution(module: str) -> str:
    return _providers().get(module, [module])[0].lower().replace("_", "-")


def test_every_package_that_a_room_imports_is_pinned_by_us():
    pinned = _pins("requirements.txt").keys()
    ours = {*ROOMS, "tests", "lab", "lab_environment"}
    ours |= {path.stem for path in (ROOT / "tests").rglob("*.py")}
    unpinned = {}
    for folder in (*ROOMS, "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            names = _imported(ast.parse(path.read_text(encoding="utf-8")))
            foreign = names - sys.stdlib_module_names - ours
            for name in foreign:
                if _distribution(name) not in pinned:
                    unpinned.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert unpinned == {}


def test_the_light_environment_is_a_part_of_the_full_one():
    full, light = _pins("requirements.txt"), _pins("requirements-lab.txt")
    assert light.items() < full.items()
    assert not {"torch", "torchvision", "zennit", "captum", "gpboost"} & light.keys()


def test_the_light_environment_holds_all_that_its_verbs_import():
    rooms = {room for room, needs, _ in lab.VERBS.values() if room and needs == lab.LAB}
    graph = grimp.build_graph(*ROOMS, include_external_packages=True)
    reached = {name for room in rooms for name in graph.find_upstream_modules(room, True)}
    packages = {name.split(".")[0] for name in reached} - set(ROOMS)
    needed = {_distribution(name) for name in packages - sys.stdlib_module_names}
    optional = {"numba", "colour-science", "dask"}
    assert "numpy" in needed
    assert needed - optional <= _pins("requirements-lab.txt").keys()


def test_the_constraints_hold_every_direct_pin():
    constraints = _pins("constraints.txt")
    assert _pins("requirements.txt").items() <= constraints.items()


def test_the_record_is_json_that_a_person_can_read(whole):
    text = Path(whole.folder, lab_environment.RECORD).read_text(encoding="utf-8")
    assert json.loads(text)["profile"] == "lab"
