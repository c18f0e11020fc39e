"""What a report says of each arm's origin."""

from dataclasses import asdict, dataclass, field
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis.report.results import ARMS, origin_rows
from participants.dataset.study_tables import study_tables
from stimuli.maps.origin import PEOPLE, Origin, origin_cells


@dataclass(frozen=True)
class Folder:
    """What the rows are made of: the study's name, and the table of arms beside its trials."""

    study: str
    beside: dict = field(default_factory=dict)


def folder_of(study, *rows):
    arms = study_tables(study).arms
    named = [
        {**dict(zip(arms.arm, arm, strict=True)), **origin_cells(arms.origin, origin)}
        for arm, origin in rows
    ]
    return Folder(study, {arms.name: pd.DataFrame(named)})


def frame_with(rows):
    """Return what a report shares of results, as far as arms need it."""
    return SimpleNamespace(data=SimpleNamespace(origins=rows))


OWN = Origin("network", "resnet50", "mine:edges", "power=2.0", "a1" * 32, "b2" * 32)
OTHER = Origin("network", "resnet50", "mine:edges", "power=2.0", "c3" * 32, "b2" * 32)


def test_packs_that_differ_in_a_function_have_a_row_each():
    rows = origin_rows(
        folder_of("progressive_reveal", (("mine",), OWN), (("mine",), OTHER), (("mine",), OWN))
    )
    assert [row.sha256 for row in rows] == [OWN.sha256, OTHER.sha256]
    frame = frame_with(rows)
    (table,) = ARMS.parts(frame)
    assert table.rows[0][-2:] == ("a1a1a1a1a1a1…", "b2b2b2b2b2b2…")
    assert ARMS.files(frame) == {"arms": [asdict(row) for row in rows]}


def test_an_arm_is_named_by_all_that_makes_it_and_people_by_no_code():
    people = Origin(PEOPLE, "CDF34HK, DT3SMQM")
    rows = origin_rows(
        folder_of("accept_reject", (("S", "occlusion"), OWN), (("E", "painting"), people))
    )
    assert [row.arm for row in rows] == ["S, occlusion", "E, painting"]
    assert "CDF34HK" not in str(rows)


@pytest.mark.parametrize("study", ["accept_reject", "simulatability"])
def test_without_the_table_a_report_has_no_arms(study):
    assert origin_rows(Folder(study)) == []
    assert ARMS.parts(frame_with([])) == ()
    assert ARMS.files(frame_with([])) == {}
