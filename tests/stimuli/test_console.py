import errno
import os
import stat
import sys
from pathlib import Path

import pytest
import typer

from stimuli.console import add_study_verb, new_app, run_app
from stimuli.errors import UserError


@pytest.fixture
def app():
    app = new_app("A room.")

    @app.command()
    def work(count: int = 1, how: str = "well") -> None:
        """Work.

        It is done
        at once.

        Example: work --count 3
        """
        if how == "badly":
            raise UserError("work: was done\nbadly; do it well")
        if how == "broken":
            raise RuntimeError("a fault")
        if how == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if how == "left":
            sys.exit(3)
        if how == "unread":
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        if how == "stopped":
            raise KeyboardInterrupt
        if how == "warned":
            raise typer.Exit(2)
        print(count)

    return app


def test_work_that_went_well_exits_0(app, capsys):
    assert run_app(app, ["work", "--count", "3"]) == 0
    assert capsys.readouterr().out == "3\n"


def test_help_breaks_its_lines_where_the_terminal_ends_and_keeps_its_paragraphs(app, capsys):
    assert run_app(app, ["work", "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "It is done at once." in lines
    assert "Example: work --count 3" in lines


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["work", "--how", "badly"], "work: was done badly; do it well"),
        (["work", "--nope"], "No such option: --nope"),
        (["work", "--count", "three"], "'--count'"),
        (["work", "more"], "extra argument"),
        (["play"], "No such command 'play'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(app, capsys, words, said):
    assert run_app(app, words) == 2
    written = capsys.readouterr()
    assert said in written.err
    assert written.err.count("\n") == 1
    assert written.out == ""


def test_a_fault_of_ours_is_exit_1_with_the_story_in_a_log(app, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    assert run_app(app, ["work", "--how", "broken"]) == 1
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    log = Path(line.split()[-1])
    assert log.parent == tmp_path / "logs"
    assert "RuntimeError: a fault" in log.read_text(encoding="utf-8")
    if os.name == "posix":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("how", "status", "words"),
    [
        ("full", 2, "free some space"),  # a write to an open file says nothing of its name
        ("left", 2, "called sys.exit(3)"),  # Typer lets SystemExit pass
        ("stopped", 130, "continues"),
        ("warned", 2, ""),
    ],
)
def test_each_end_has_its_status_and_its_line(app, capsys, how, status, words):
    assert run_app(app, ["work", "--how", how]) == status
    assert words in capsys.readouterr().err


def test_a_reader_that_closes_the_pipe_is_no_mistake(app, capsys, monkeypatch):
    """`lab.py run --help | head`: Typer then replaces standard output and exits."""
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    assert run_app(app, ["work", "--how", "unread"]) == 141
    assert capsys.readouterr().err == ""


def test_a_room_without_a_verb_shows_its_help(app, capsys):
    assert run_app(app, []) == 0
    assert "work" in capsys.readouterr().out


def test_a_verb_that_is_added_again_takes_its_own_place():
    """Each command of a process adds its verbs anew, since a lab's studies may differ."""
    app = new_app("A room.")
    for name in ("first", "second"):
        add_study_verb(app, "see", "See.", {name: lambda: None})
    command = typer.main.get_command(app)
    assert list(command.commands) == ["see"]
    assert list(command.commands["see"].commands) == ["second"]
    assert len(app.registered_groups) == 1
