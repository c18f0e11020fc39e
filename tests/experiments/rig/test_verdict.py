"""What the doctor prints: failures first, and paths in one piece."""

import io
import json

import pytest

from experiments.rig.checks.finding import Finding
from experiments.rig.verdict import print_findings, report
from stimuli.rich_terminal import Console

PATH = "/srv/a-rather-long-name/of-a-folder/that-has-hyphens/and/more/than/fits/rig-x7y2.toml"
FINE = Finding("disk", "pass", "9 GiB free")
ODD = Finding("geometry", "warn", "plates have no known visual angle", f"write it into {PATH}")
BAD = Finding("pack", "fail", f"{PATH}: items.csv is missing", "copy the pack again")
FOUND = [FINE, ODD, BAD, FINE]


def printed(findings, **terminal):
    console = Console(file=io.StringIO(), color_system=None, **terminal)
    print_findings(findings, console)
    return console.file.getvalue()


@pytest.mark.parametrize("terminal", [{}, {"force_terminal": True, "width": 50}])
def test_what_fails_comes_first_and_what_passes_last(terminal):
    lines = printed(FOUND, **terminal).splitlines()
    status = [line[:4] for line in lines if line[:4] in ("fail", "warn", "pass")]
    assert status == ["fail", "warn", "pass", "pass"]
    assert lines[-1] == "Not fit for sessions. Fix what failed: pack."
    assert printed([FINE]).endswith("\n\nFit for sessions.\n")


@pytest.mark.parametrize("width", [40, 80, 300])
def test_no_path_is_broken_in_a_terminal_of_any_width(width):
    lines = printed(FOUND, force_terminal=True, width=width).splitlines()
    assert sum(PATH in line for line in lines) == 2
    assert all(len(line) <= width or PATH in line for line in lines)


def test_what_goes_into_a_file_has_one_line_for_each_sentence():
    lines = printed(FOUND).splitlines()
    assert lines[0] == f"fail  pack: {PATH}: items.csv is missing"
    assert lines[1] == "      To do: copy the pack again"


def test_programs_read_json_and_the_exit_status(capsys):
    assert report(FOUND, as_json=True) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["fit"], [check["check"] for check in told["checks"]][:2]) == (
        False,
        ["disk", "geometry"],
    )
    assert report([FINE, ODD], as_json=False) == 0
