"""Which tests belong to what was changed: ``test --quick``."""

import os
import subprocess

ALWAYS = "tests/test_layers.py"


def changed_files(folder: str) -> "tuple[str, list[str]]":
    """Return since when, and the files of a checkout that differ from its last commit.

    The files of the last commit if none differ. Empty without git.
    """
    for words, commands in (
        ("since the last commit", (("diff", "HEAD"), ("ls-files", "--others"))),
        ("in the last commit", (("diff", "HEAD~1", "HEAD"),)),
    ):
        files = [name for command in commands for name in _listed(folder, command)]
        if files:
            return words, sorted(set(files))
    return "", []


def _listed(folder: str, command: "tuple[str, ...]") -> "list[str]":
    more = ("--exclude-standard",) if command[0] == "ls-files" else ("--name-only", "--relative")
    try:
        result = subprocess.run(
            ["git", command[0], "-z", *more, *command[1:]],
            cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return []
    return [name for name in result.stdout.split("\0") if name]


def own_tests(folder: str, changed: "list[str]") -> "list[str]":
    """Return the test files and folders of changed files, as paths from the checkout.

    A module's are the file of its name in the folder of tests that mirrors its own, or all of the
    nearest such folder.
    """
    tests = {ALWAYS}
    for name in changed:
        tests_of_file = _of(folder, name)
        if tests_of_file is not None and os.path.exists(os.path.join(folder, tests_of_file)):
            tests.add(tests_of_file)
    return sorted(
        path for path in tests if not any(path.startswith(other + "/") for other in tests)
    )


def _of(folder: str, name: str) -> "str | None":
    """Return the tests of a file; None if it has none of its own."""
    place, file = os.path.split(name)
    if name.startswith("tests/"):
        return name if file.startswith("test_") else place if place != "tests" else None
    if file.endswith(".py"):
        path = "tests/" + place + "/test_" + file
        if os.path.exists(os.path.join(folder, path)):
            return path
    while place and not os.path.isdir(os.path.join(folder, "tests", place)):
        place = os.path.dirname(place)
    return "tests/" + place if place else None
