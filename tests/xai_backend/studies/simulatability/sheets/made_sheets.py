"""Sheets made for tests: the published ones' files and notation, with inputs of our own."""

from collections.abc import Callable
from pathlib import Path

from openpyxl import Workbook, load_workbook

METHODS = ("LIME", "Anchor", "prototype", "decision_boundary", "composite", "omission")
CLASSES = {"text": ("neg", "pos"), "tabular": ("below $50K", "above $50K")}
SENTENCE = "the film is not the best , it 's not bad ."
ROW = "Age = Age > 48.00\nWorkclass = ?\nOccupation = ?\nCapital Gain = No gains\n"
CONTEXT = {"text": SENTENCE, "tabular": ROW}
PERTURBATION = {
    "text": "the film is **surely** the best , it 's not **good** .",
    "tabular": "Age : Age > 48.00 --> Age <= 28.00\nCapital Gain : No gains --> High gains",
}
FIRST_ID = {"learning": 1, "forward": 1, "counterfactual": 101}
"""Ids of learning and forward overlap, as in the published sheets."""

Rows = list[list[object]]


def make_sheets(folder: Path) -> None:
    """Write all 66 files."""
    for domain in CLASSES:
        for name, rows in _sheets(domain).items():
            path = folder / domain / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, rows)


def write(path: Path, rows: Rows) -> None:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def change(path: Path, how: Callable[[Rows], object]) -> None:
    """Change a file's rows, of which the first is the header."""
    rows = [list(row) for row in load_workbook(path).active.iter_rows(values_only=True)]
    how(rows)
    write(path, rows)


def explained(domain: str, output: str) -> dict[str, tuple[str, ...]]:
    """Return the cells of all methods that explain an output."""
    negative, positive = CLASSES[domain]
    other = positive if output == negative else negative
    total = "0.80" if output == positive else "0.20"
    made = _text(output, other, total) if domain == "text" else _table(output, other, total)
    lime, anchor, prototype, boundary, last, omission = made
    return {
        "LIME": (lime,),
        "Anchor": (anchor,),
        "prototype": (prototype,),
        "decision_boundary": (boundary,),
        "composite": (f"{lime}\n----\n{anchor}", f"{last}\n----\n{prototype}"),
        "omission": (omission,),
    }


def _text(output: str, other: str, total: str) -> tuple[str, ...]:
    target = f"Edits for changing prediction to '{other}':\n\n"
    last = "the film is **surely** the best , it 's **so** bad ."
    return (
        "Features: \nnot  |  0.12 \ns  |  -0.30 \n"
        f"Baseline evidence: 0.33 \nSum of weights: -0.18 \nTotal evidence: {total}",
        f"Conditions for model predicting '{output}':\n"
        "1. the \n2. s \n3. not \n4. . \n5. ' \n6. the \n",
        f"Most activated prototype (label: {output}) | evidence: -6.35 \na film .\n----\n"
        "Informative words in input:\nnot (2nd) | -5.19\nfilm | +0.10",
        f"Original evidence margin: -2.29 \n{target}Step 1. Evidence margin: -0.50\n----\n"
        "the film is **surely** the best , it 's not bad .\n\n"
        f"Step 2. Evidence margin: +0.56\n----\n{last}\n",
        f"{target}{last}",
        "Original evidence margin: -2.29 \n\nInformative values in the input:\nthe (1st) | -0.37\n",
    )


def _table(output: str, other: str, total: str) -> tuple[str, ...]:
    target = f"Edits for changing prediction to '{other}': \n"
    last = "Age : Age > 48.00 --> Age <= 28.00\nOccupation : ? --> Sales"
    return (
        "Features: \nCapital Gain = No gains   |  -0.41 \nAge > 48.00   |  0.23 \n"
        f"Baseline: 0.57 \nSum of weights: -0.18 \nTotal evidence: {total} ",
        f"Conditions for the model predicting '{output}': \n1. Age > 48.00 \n2. Occupation = ?",
        f"Most activated prototype (label: {output}) | evidence: +10.00 \n"
        "Variable | Prototype  --- Original Input\n----\n"
        "Age  |  Age <= 28.00   ---   Age > 48.00 \n"
        "Workclass  |  Private   ---   ? \nOccupation  |  ?   ---   ? \n"
        "Capital Gain  |  No gains   ---   No gains \n----\nInformative values in input:\n\n",
        f"Original evidence margin: +7.98 \n{target}\nStep 1. \nEvidence margin: +8.45\n"
        f"Age : Age > 48.00 --> Age <= 28.00\n\nStep 2. \nEvidence margin: -0.19\n{last}\n",
        f"{target}{last}",
        "Evidence margin: +7.98 \n\nInformative values in input:\n"
        "? | +3.64\n? | +0.43\nNo gains | -0.20",
    )


def _sheets(domain: str) -> dict[str, Rows]:
    learning, forward, changed = (
        _items(domain, use, size)
        for use, size in (("learning", 16), ("forward", 32), ("counterfactual", 32))
    )
    seen, told = ["id", "context"], ["id", "context", "label", "model"]
    whole = [*told, "perturbation", "perturbation_model"]
    sheets = {
        "Master-Data-Files/master-forward.xlsx": _columns(told, forward),
        "Master-Data-Files/master-counterfactual.xlsx": _columns(whole, changed),
        "Tests/Forward/learning-blackbox.xlsx": _columns(told, learning),
    }
    for turn, method in enumerate(METHODS, start=1):
        forward_order, changed_order = forward[turn:] + forward[:turn], changed[::-1]
        counterfactual = "Tests/Counterfactual/counterfactual"
        sheets |= {
            f"Tests/Forward/learning-{method}.xlsx": _explained(told, learning, method),
            f"Tests/Forward/forward-pre-{method}.xlsx": _columns(seen, forward_order),
            f"Tests/Forward/forward-post-{method}.xlsx": _columns(seen, forward[::-1]),
            f"{counterfactual}-pre-{method}.xlsx": _columns(whole[:5], changed),
            f"{counterfactual}-post-{method}.xlsx": _explained(whole[:5], changed_order, method),
        }
    return sheets


def _items(domain: str, use: str, size: int) -> list[dict[str, object]]:
    """Return items of which each kind is as frequent, half of each changing the output."""
    classes = CLASSES[domain]
    return [
        {
            "id": FIRST_ID[use] + number,
            "context": CONTEXT[domain],
            "label": classes[number % 2],
            "model": classes[number // 2 % 2],
            "perturbation": PERTURBATION[domain],
            "perturbation_model": classes[number // 4 % 2],
        }
        for number in range(size)
    ]


def _columns(names: list[str], items: list[dict[str, object]]) -> Rows:
    return [[*names, "user"], *([*(item[name] for name in names), None] for item in items)]


def _explained(names: list[str], items: list[dict[str, object]], method: str) -> Rows:
    header, *rows = _columns(names, items)
    parts = ["explanation_a", "explanation_b"] if method == "composite" else ["explanation"]
    domain = "text" if items[0]["model"] in CLASSES["text"] else "tabular"
    cells = [explained(domain, str(item["model"]))[method] for item in items]
    return [[*header, *parts], *([*row, *its] for row, its in zip(rows, cells, strict=True))]
