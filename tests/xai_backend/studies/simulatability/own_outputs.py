"""Tables that a lab could write: sentences of three classes with outputs, and explanations."""

from pathlib import Path

from tests.xai_backend.given import write_rows

CLASSES = ("politics", "sports", "weather")
WORDS = {
    "politics": ("minister", "vote", "law", "party"),
    "sports": ("goal", "match", "coach", "race"),
    "weather": ("rain", "storm", "sun", "frost"),
}
FRAME = "the {0} came late and people spoke of the {1} in {2} , number {3} ."
TOWNS = ("Ulm", "Jena", "Kiel", "Trier", "Essen")


def rows(each: int = 12) -> list[dict[str, str]]:
    """Return rows: the output is the class of the first noun, the label may be another."""
    found = []
    for number in range(each * 2 * len(CLASSES)):
        output = CLASSES[number % 3]
        place = CLASSES.index(output)
        label = output if number // 3 % 2 else CLASSES[(place + 1 + number // 6 % 2) % 3]
        own, town = WORDS[output][number // 6 % 4], TOWNS[number % 5]
        text = FRAME.format(own, "plan", town, number)
        flips = number // 6 % 2
        other = CLASSES[(place + 1 + number // 12 % 2) % 3] if flips else output
        new = WORDS[other][(number // 6 + 1) % 4]
        found.append(
            {
                "id": f"n{number}",
                "text": text,
                "label": label,
                "output": output,
                "probability": "0.8",
                "changed": FRAME.format(new, "plan", town, number),
                "changed_output": other,
            }
        )
    return found


def weights_of(row: dict[str, str]) -> list[dict[str, str]]:
    """Return the weights of a row's words: the first noun speaks for the output."""
    noun = row["text"].split()[1]
    return [
        {"id": row["id"], "part": noun, "weight": "2.5"},
        {"id": row["id"], "part": "plan", "weight": "-0.4"},
        {"id": row["id"], "part": "of the", "weight": "0.1"},
    ]


def rule_of(row: dict[str, str]) -> dict[str, str]:
    """Return the rule of a row."""
    return {"id": row["id"], "rule": f"{row['text'].split()[1]}|plan", "precision": "0.9"}


def example_of(row: dict[str, str]) -> dict[str, str]:
    """Return another row that is alike: the one six further on has the same output."""
    number = (int(row["id"][1:]) + 6) % (2 * 12 * len(CLASSES))
    return {"id": row["id"], "example_id": f"n{number}"}


def write_study(folder: Path) -> dict[str, Path]:
    """Write outputs, and explanations of three kinds, into a folder; return the files."""
    data = rows()
    return {
        "outputs": write_rows(folder / "outputs.csv", data),
        "shap": write_rows(folder / "shap.csv", [one for row in data for one in weights_of(row)]),
        "rules": write_rows(folder / "rules.csv", [rule_of(row) for row in data]),
        "alike": write_rows(folder / "alike.csv", [example_of(row) for row in data]),
    }
