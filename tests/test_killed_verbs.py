"""Verbs that write, killed again and again: the same command leaves the same, and no more.

`python3 lab.py test -m "slow or not slow" tests/test_killed_verbs.py` kills each verb and each
study's build, more than sixty times together.
"""

import os
import random
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from participants.backup.make import back_up
from participants.folder import LabFolder
from participants.lab_settings import declare_study
from stimuli.catalogue import LAB_FILE
from tests.equality.cases import CASES as STUDIES
from tests.killed_verbs import done, files_below, hidden_below
from tests.participants.studies.human_ai_team.taken import pack_of as team_pack
from tests.participants.withdrawal.full_lab import make_lab
from tests.sealing import sealed
from tests.xai_backend.killed_builds import Build, check_after_kills

ROOT = Path(__file__).parents[1]
KILLS = 3
TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?|\b\d\d:\d\d\b")
SHA256 = re.compile(rb"[0-9a-f]{64}")
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
        End of the names of files that say how long something took.
    """

    words: str
    out: str
    not_compared: str = "no such name"


CASES = {
    "tables": Case("participants tables human_ai_team", "lab/data"),
    "merge": Case("participants merge lab/data pc2 --into merged", "merged"),
    "mapset": Case("participants mapset --keep-failed --out maps", "maps"),
    "withdraw": Case("participants withdraw LEAD --yes --delete-built", "lab"),
    "rebuild": Case("participants rebuild", "lab"),
    "reminders": Case("participants reminders --out due.ics", "due.ics"),
    "bids": Case("export bids --out bids", "bids"),
    "psych-ds": Case("export psych-ds --out psych-ds", "psych-ds"),
    "backup": Case("backup --to second", "second/files"),
    "restore": Case("restore first --lab back", "back"),
    "status": Case("status --page page.html", "page.html"),
    "new-study": Case("new-study shapes --template pictures --in studies", "studies lab/lab.toml"),
    "sheets": Case("sheets cards LEAD --out cards.pdf", "cards.pdf"),
    "simulate": Case(
        "simulate human_ai_team --participants 3 --pack pack --out simulated", "simulated"
    ),
    "plates": Case("plates --digits uci --count 4 --out plates", "plates"),
    "preregister": Case(
        "preregister human_ai_team.toml --participants 40 --rationale why --out registered",
        "registered",
    ),
    "build": Case("build preferences --out built", "built", "provenance.json"),
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
    sealed(team_pack(), place / "pack")
    back_up(lab, place / "first", datetime(2026, 3, 1, tzinfo=UTC), thorough=False)
    lab.backups.unlink()
    return place, people


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=() if verb == "mapset" else SLOW) for verb in CASES]
)
def test_a_verb_that_was_killed_leaves_what_it_leaves_undisturbed(verb, prepared, tmp_path):
    case, (made, people) = CASES[verb], prepared
    words = [people.lead if word == "LEAD" else word for word in case.words.split()]
    # It is always the same place, whose name the registry and reports know.
    place = tmp_path / "place"
    shutil.copytree(made, place)
    status, steps, said = done(words, place)
    assert (status, steps > 0) == (0, True), said
    whole = place.rename(tmp_path / "whole")
    draw, kills = random.Random(verb), 0
    while kills < KILLS:
        # Where too few steps are left to be killed again, it begins anew.
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(made, place)
        while kills < KILLS and done(words, place, draw.randrange(1, steps + 1))[0] == -9:
            kills += 1
        status, _, said = done(words, place)
        # One that was killed when all was in its place refuses to write there again.
        there = "not empty" in said or "is there already" in said
        assert status == 0 or (status == 2 and there), said
        assert compared(place, case) == compared(whole, case)
        assert hidden_below(place) <= hidden_below(whole)
    print(f"{verb}: {kills} kills in {steps} steps")


@SLOW
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.study)
def test_a_build_that_was_killed_makes_the_same_pack(study, tmp_path):
    build = Build([study.study, "--protocol", study.protocol, *study.build])
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for lab in (whole, killed):
        lab.mkdir()
        study.prepare(lab)
    kills, steps = check_after_kills(build, whole, killed, KILLS)
    assert hidden_below(killed) <= hidden_below(whole)
    print(f"build {study.study}: {kills} kills in {steps} steps")


def compared(place, case):
    wanted = tuple(case.out.split())
    files = {name: data for name, data in files_below(place).items() if name.startswith(wanted)}
    assert files
    return {
        name: b"" if name.endswith(case.not_compared) else _timeless(name, data)
        for name, data in files.items()
        if not name.endswith(".lock")
    }


def _timeless(name, data):
    """Return a file's content without the time of day, and without what follows from it."""
    if name.endswith(".sqlite"):
        with closing(sqlite3.connect(":memory:")) as registry:
            registry.deserialize(data)
            data = "\n".join(registry.iterdump()).encode()
    if name.endswith("preregistration.json"):
        # It has the hashes of pages that state when they were written.
        data = SHA256.sub(b"", data)
    return TIME.sub(b"", data)
