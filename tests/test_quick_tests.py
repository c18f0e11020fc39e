"""`test --quick` takes the tests of what was changed in a checkout."""

import subprocess

import pytest

from lab_environment.quick_tests import ALWAYS, changed_files, own_tests

FILES = (
    "stimuli/io/files.py", "stimuli/maps/discs.py", "docs/page.md", "lab.py",
    "tests/test_layers.py", "tests/stimuli/io/test_files.py", "tests/stimuli/io/torn.py",
    "tests/stimuli/maps/test_regions.py", "tests/checker.py",
)  # fmt: skip


@pytest.fixture
def checkout(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "all")
    return tmp_path


def git(folder, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("stimuli/io/files.py", ["tests/stimuli/io/test_files.py"]),
        ("stimuli/maps/discs.py", ["tests/stimuli/maps"]),
        ("stimuli/study.py", ["tests/stimuli"]),
        ("tests/stimuli/io/torn.py", ["tests/stimuli/io"]),
        ("tests/stimuli/io/test_files.py", ["tests/stimuli/io/test_files.py"]),
        ("docs/page.md", []),
        ("lab.py", []),
        ("tests/checker.py", []),
    ],
)
def test_a_files_tests_are_those_of_its_name_or_of_its_folder(checkout, changed, tests):
    (checkout / changed).write_text("after")
    when, files = changed_files(str(checkout))
    assert (when, files) == ("since the last commit", [changed])
    assert own_tests(str(checkout), files) == sorted([*tests, ALWAYS])


def test_without_changes_they_are_those_of_the_last_commit(checkout):
    (checkout / "stimuli/io/files.py").write_text("after")
    git(checkout, "commit", "-q", "-a", "-m", "files")
    assert changed_files(str(checkout)) == ("in the last commit", ["stimuli/io/files.py"])


def test_a_folder_stands_for_its_files(checkout):
    changed = ["stimuli/io/files.py", "stimuli/maps/discs.py", "stimuli/study.py"]
    assert own_tests(str(checkout), changed) == ["tests/stimuli", ALWAYS]


def test_what_is_no_checkout_has_none(tmp_path):
    assert changed_files(str(tmp_path)) == ("", [])
    assert own_tests(str(tmp_path), []) == [ALWAYS]
