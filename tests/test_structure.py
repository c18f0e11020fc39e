"""The figures of the structure count what they say, on a made-up product of four modules."""

import pytest

from tests import structure
from tests.structure import Module

SMALL = '''"""One thing."""

from analysis.studies.a.two import answer


def _told(results, b, c, d, e, f, *rest):
    """Return it."""
    # A comment.
    return results["trust"]["mean"], results[0], answer
'''
LARGE = '"""Another."""\n' + "\n".join(f"x{k} = {k}" for k in range(40)) + "\n"
LOADER = "def load():\n    from analysis.studies.a.one import f\n\n    return f\n"


@pytest.fixture
def modules():
    return (
        Module.of("analysis/studies/a/__init__.py", ""),
        Module.of("analysis/studies/a/one.py", SMALL),
        Module.of("analysis/studies/a/study.py", LOADER),
        Module.of("analysis/studies/a/two.py", LARGE),
    )


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("subscripts", ["analysis/studies/a/one.py:9: trust", "analysis/studies/a/one.py:9: mean"]),
        ("keys", ["mean", "trust"]),
        ("small", ["analysis/studies/a/one.py", "analysis/studies/a/study.py"]),
        (
            "one-importer",
            [
                "analysis/studies/a/one.py <- analysis/studies/a/study.py",
                "analysis/studies/a/two.py <- analysis/studies/a/one.py",
            ],
        ),
        ("small-one-importer", ["analysis/studies/a/one.py <- analysis/studies/a/study.py"]),
        ("parameters", ["analysis/studies/a/one.py:6: _told: 7"]),
        ("vague", ["analysis/studies/a/one.py:6: _told"]),
    ],
)
def test_a_figure_counts_what_it_says(modules, name, places):
    figure = next(one for one in structure.FIGURES if one.name == name)
    assert sorted(figure.places(modules)) == sorted(places)


def test_lines_of_code_are_those_without_comments_and_docstrings(modules):
    assert [module.code_lines for module in modules] == [0, 3, 3, 40]
    assert [module.lines for module in modules] == [0, 9, 4, 41]


def test_the_command_prints_the_figures_and_the_places_of_one(modules, monkeypatch, capsys):
    monkeypatch.setattr(structure, "read_modules", lambda **_: modules)
    assert structure.main(["--no-types"]) == 0
    printed = capsys.readouterr().out
    assert all(f"| {figure.meaning} | " in printed for figure in structure.FIGURES)
    assert structure.main(["--list", "vague"]) == 0
    assert capsys.readouterr().out == "analysis/studies/a/one.py:6: _told\n"


def test_modules_are_read_from_folders_and_files(tmp_path):
    (tmp_path / "room" / "part").mkdir(parents=True)
    (tmp_path / "room" / "part" / "one.py").write_text(SMALL, encoding="utf-8")
    (tmp_path / "door.py").write_text("x = 1\n", encoding="utf-8")
    found = structure.read_modules(tmp_path, ("room", "door.py"))
    assert [(one.file, one.name) for one in found] == [
        ("door.py", "door"),
        ("room/part/one.py", "room.part.one"),
    ]
