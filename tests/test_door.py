"""The door: one line for every mistake, and the right Python behind it."""

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

import lab

ROOT = Path(__file__).resolve().parents[1]
ROOM_VERBS = {verb: entry[0] for verb, entry in lab.VERBS.items() if entry[0]}


def _door(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(ROOT / "lab.py"), *arguments], capture_output=True, text=True
    )


# --- verbs ----------------------------------------------------------------------


@pytest.mark.parametrize("room", sorted(set(ROOM_VERBS.values())))
def test_the_verbs_of_a_room_are_listed_and_explain_themselves_with_an_example(room, capsys):
    cli = importlib.import_module(f"{room}.cli")
    listed = {verb for verb, owner in ROOM_VERBS.items() if owner == room}
    # Verbs with a command a study are added late.
    assert {cli.main([verb, "--help"]) for verb in listed} == {0}
    capsys.readouterr()
    commands = typer.main.get_command(cli.app).commands
    assert set(commands) == listed
    for verb in listed:
        for step in [[name] for name in getattr(commands[verb], "commands", {})] or [[]]:
            assert cli.main([verb, *step, "--help"]) == 0
            shown = capsys.readouterr().out
            assert "Usage:" in shown
            assert "Example: " in shown
            assert f"lab.py {' '.join([verb, *step])}" in shown


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
    assert seen == [["-c", str(ROOT / "pyproject.toml"), "-k", "plates"]]


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


@pytest.fixture
def started(monkeypatch):
    """What the whole suite starts: commands, with what orders sets of text; all end well."""
    commands = []

    def begin(command, **_):
        commands.append((command, os.environ["PYTHONHASHSEED"]))
        return SimpleNamespace(wait=lambda: 0)

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    monkeypatch.setattr(subprocess, "Popen", begin)
    monkeypatch.setattr(subprocess, "call", lambda command, **_: begin(command) and 0)
    return commands


def test_the_whole_suite_runs_by_the_number_that_was_asked_for(started):
    """Tests with windows and the others; the order of sets is fixed before they start."""
    assert lab.run_tests(["--order-seed", "7"]) == 0
    assert len(started) == 1 + len(lab.parts_of_tests())
    assert all(command[3:5] == ["--order-seed", "7"] for command, _ in started)
    assert {hashing for _, hashing in started} == {"7"}


def test_each_test_is_in_one_part():
    for file in (ROOT / "tests").rglob("test_*.py"):
        path = file.relative_to(ROOT).as_posix()
        parts = 0
        for part in lab.parts_of_tests():
            left_out = [one.removeprefix("--ignore=") for one in part if one.startswith("--")]
            taken = [one for one in part if not one.startswith("--")]
            if any(path.startswith(f"{folder}/") for folder in taken):
                parts += not any(path.startswith(f"{folder}/") for folder in left_out)
        assert parts == 1, path


def test_the_suite_shows_what_each_part_said(started, monkeypatch, capsys):
    def say(command, stdout, **_):
        stdout.write(f"{command[-1]} passed\n".encode())
        return SimpleNamespace(wait=lambda: 0)

    monkeypatch.setattr(subprocess, "Popen", say)
    monkeypatch.setattr(subprocess, "call", lambda *given, **where: say(*given, **where).wait())
    assert lab.run_tests([]) == 0
    said = capsys.readouterr().out.splitlines()
    last_words = [part[-1] for part in lab.parts_of_tests()]
    assert sorted(said[1:-1]) == sorted(f"{words} passed" for words in last_words)
    assert said[-1] == f"{lab.WITH_WINDOWS} passed"


@pytest.mark.parametrize("fails", range(1 + len(lab.parts_of_tests())))
def test_one_part_that_fails_fails_the_suite(started, monkeypatch, capsys, fails):
    """The first is that of the tests with windows, which a signal may have ended."""
    status = [0] * (1 + len(lab.parts_of_tests()))
    status[fails] = -11 if fails == 0 else 1
    windows = SimpleNamespace(wait=lambda: status[0])
    others = iter(status[1:])
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: windows)
    monkeypatch.setattr(subprocess, "call", lambda _, **__: next(others))
    assert lab.run_tests([]) != 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("Tests failed")
