"""Verbs that write, killed again and again: the same command leaves the same, and no more."""

import os
import random
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from participants.backup.make import back_up
from participants.folder import LabFolder
from participants.lab_settings import declare_study
from stimuli.catalogue import LAB_FILE
from stimuli.pack import write_pack
from tests.killed_verbs import done, files_below, hidden_below
from tests.participants.studies.human_ai_team.taken import pack_of as team_pack
from tests.participants.withdrawal.full_lab import make_lab

ROOT = Path(__file__).parents[1]
KILLS = 4
TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?")
SLOW = pytest.mark.slow

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")


@dataclass(frozen=True)
class Case:
    """A verb, and what it must leave.

    Attributes
    ----------
    words
        The command, at the place.
    out
        What is compared byte by byte, below the place: files and folders, between spaces.
    not_compared
        Ends of the names of files that hold the time of day.
    """

    words: str
    out: str
    not_compared: tuple[str, ...] = ()


CASES = {
    "tables": Case("participants tables human_ai_team", "lab/data"),
    "merge": Case("participants merge lab/data pc2 --into merged", "merged"),
    "mapset": Case("participants mapset --keep-failed --out maps", "maps"),
    "withdraw": Case(
        "participants withdraw LEAD --yes --delete-built",
        "lab",
        ("registry.sqlite", "withdrawn.csv"),
    ),
    "rebuild": Case("participants rebuild", "lab", ("registry.sqlite",)),
    "reminders": Case("participants reminders --out due.ics", "due.ics"),
    "bids": Case("export bids --out bids", "bids"),
    "psych-ds": Case("export psych-ds --out psych-ds", "psych-ds"),
    "backup": Case("backup --to second", "second/files"),
    "restore": Case("restore first --lab back", "back", (".lock",)),
    "status": Case("status --page page.html", "page.html", ("page.html",)),
    "new-study": Case("new-study shapes --pictures --in studies", "studies lab/lab.toml"),
    "sheets": Case("sheets cards LEAD --out cards.pdf", "cards.pdf"),
    "simulate": Case(
        "simulate human_ai_team --participants 3 --pack pack --out simulated", "simulated"
    ),
    "plates": Case("plates --digits uci --count 4 --out plates", "plates"),
    "preregister": Case(
        "preregister human_ai_team.toml --participants 40 --rationale why --out registered",
        "registered",
        ("preregistration.json",),
    ),
    "build": Case("build preferences --out built", "built", ("provenance.json",)),
    "analyse": Case("analyse human_ai_team --data lab/data --out report", "report"),
}


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """A place with a full lab, a second data folder and a backup; and whom it knows."""
    place = tmp_path_factory.mktemp("prepared") / "place"
    people = make_lab(place / "lab")
    lab = LabFolder.open(place / "lab")
    declare_study(lab.root / LAB_FILE, ROOT / "tests" / "example" / "preferences")
    shutil.copytree(lab.data.root, place / "pc2")
    team = team_pack()
    files = {name: team.asset(name) for name in team.manifest.files}
    write_pack(place / "pack", team.protocol, "solutions", files, {})
    back_up(lab, place / "first", datetime(2026, 3, 1, tzinfo=UTC), thorough=False)
    lab.backups.unlink()
    return place, people


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=() if verb == "mapset" else SLOW) for verb in CASES]
)
def test_a_verb_that_was_killed_leaves_what_it_leaves_undisturbed(verb, prepared, tmp_path):
    case, (made, people) = CASES[verb], prepared
    words = [people.lead if word == "LEAD" else word for word in case.words.split()]
    whole, killed = tmp_path / "whole" / "place", tmp_path / "killed" / "place"
    for place in (whole, killed):
        shutil.copytree(made, place)
    status, steps, said = done(words, whole)
    assert (status, steps > 0) == (0, True), said
    draw = random.Random(verb)
    ends = [done(words, killed, draw.randrange(1, steps + 1))[0] for _ in range(KILLS)]
    assert set(ends) <= {0, 2, -9}
    status, _, said = done(words, killed)
    # One that was killed when all was in its place refuses to write there again.
    assert status == 0 or (status == 2 and "not empty" in said), said
    assert compared(killed, case) == compared(whole, case)
    assert hidden_below(killed) <= hidden_below(whole)
    print(f"{verb}: {ends.count(-9)} kills in {steps} steps")


def compared(place, case):
    own, wanted = str(place.parent).encode(), tuple(case.out.split())
    found = {name: data for name, data in files_below(place).items() if name.startswith(wanted)}
    assert found
    return {
        name: b"" if name.endswith(case.not_compared) else TIME.sub(b"", data.replace(own, b""))
        for name, data in found.items()
        if not name.endswith(".lock")
    }
