"""A small study from a table: advice, versions of items, practice and a catch item."""

from pathlib import Path

from PIL import Image

DESIGN = """
study = "wolves"
title = "Do people see a wolf?"
expected_minutes = 3.0

[trial]
answers = ["dog", "wolf"]
ratings = ["sure"]

[advice]
when = "after_answer"

[session]
lists = 4
catch_right = 1

[factors.help]
levels = ["none", "map"]

[[tests]]
measure = "accuracy"
factor = "help"
levels = ["map", "none"]
"""
TABLE = """\
item,phase,question,picture,right,advice,help,note
p1,practice,Dog or wolf?,a.png,dog,dog,none,x
a,main,Dog or wolf?,a.png,dog,wolf,none,x
a,main,Dog or wolf?,a.png,dog,wolf,map,x
b,main,Dog or wolf?,b.png,wolf,wolf,none,x
b,main,Dog or wolf?,b.png,wolf,wolf,map,x
c1,catch,Press dog.,,dog,dog,,x
"""
OTHER = 'other_columns = ["note"]\n'
QUESTIONS = '[sure]\ntext = "How sure are you?"\nchoices = { 1 = "not", 2 = "a bit", 3 = "very" }\n'
TEXT = "---\nversion: 1.0\n---\n# Hello\n"


def write_study(folder: Path, design: str = OTHER + DESIGN, table: str = TABLE) -> Path:
    """Write the study into a folder named after it, and return the folder."""
    study = folder / "wolves"
    (study / "pictures").mkdir(parents=True)
    texts = study / "texts" / "en"
    texts.mkdir(parents=True)
    for name in ("consent", "instructions", "debrief"):
        (texts / f"{name}.md").write_text(TEXT, encoding="utf-8")
    (texts / "questions.toml").write_text(QUESTIONS, encoding="utf-8")
    (study / "study.toml").write_text(design, encoding="utf-8")
    (study / "items.csv").write_text(table, encoding="utf-8")
    for name in ("a.png", "b.png"):
        Image.new("RGB", (12, 8), (200, 20, 20)).save(study / "pictures" / name)
    return study
