import tomllib

from experiments.rig.checklist import MUST_HOLD, read_answers
from experiments.rig.checks.catalogue import CHECKS
from experiments.rig.handbook import PAGE, filled, tables
from experiments.rig.profile import read_rig
from participants.texts import load_checklist


def block_with(begin):
    parts = PAGE.read_text(encoding="utf-8").split("```")
    return next(part for part in parts if part.startswith(begin)).partition("\n")[2]


def test_the_page_has_the_tables_that_the_code_gives():
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "python -m experiments.rig.handbook"
    for table in tables().values():
        assert table in page


def test_every_check_says_what_it_looks_at_and_when_it_stands_ill():
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    for check in CHECKS:
        assert check.asks
        assert check.warns or check.fails


def test_the_pages_file_of_answers_is_one(tmp_path):
    path = tmp_path / "answers.toml"
    path.write_text(block_with("toml\nnight_light"), encoding="utf-8")
    answers = read_answers(path, load_checklist("en"))
    assert answers.holds == dict.fromkeys(MUST_HOLD, True)
    assert set(answers.values) == {"distance_cm", "ambient_lux"}


def test_the_pages_rig_profile_is_one(tmp_path):
    path = tmp_path / "rig.toml"
    path.write_text(block_with("toml\nschema"), encoding="utf-8")
    rig = read_rig(path)
    assert rig.display.calibrated
    assert rig.geometry.distance_cm == 57
    assert tomllib.loads(path.read_text(encoding="utf-8"))["display"]["measured_on"]
