"""A study's command shows what that study takes, and no other study's options."""

import pytest

from analysis.cli import main
from analysis.studies import STUDIES


def shown(capsys, *words):
    assert main([*words, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_takes_the_tables_that_it_declares(study, capsys):
    page = shown(capsys, "analyse", study)
    for option in ("--data", "--trials", "--protocol", "--purpose", "--exclude"):
        assert option in page
    assert ("--items" in page) == ("items" in STUDIES[study].beside)
    assert ("--curves" in page) == (study == "progressive_reveal")
    assert "--people" not in page


def test_power_lists_the_studies_that_have_one(capsys):
    page = shown(capsys, "power")
    listed = {line.split()[1] for line in page.splitlines() if line.startswith("│ ")}
    assert {name for name, study in STUDIES.items() if study.power is not None} <= listed
