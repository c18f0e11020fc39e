"""A new study from a table that somebody has: its ``study.toml`` follows from the columns."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from participants.new_study.files import template_files
from stimuli.errors import UserError
from stimuli.io.given_files import parse_toml, read_bytes
from stimuli.io.given_tables import Row, rows_of
from stimuli.io.invalid import place_and_reason
from stimuli.table_study.items import KNOWN, PICTURES, RATIONALE, TableReader, source_of
from stimuli.table_study.protocol import MOMENTS, SCALE_KEYS, TableStudy
from stimuli.table_study.tables import ADVICE, BETWEEN, PICTURE_COLUMNS

MOST_LEVELS: Final = 6
"""A column with more different cells is no factor."""
KEYS: Final = {2: "fj", 3: "fjk", 4: "dfjk"}
"""Keys of so many answers, from left to right; of more, the digits."""

OF_ADVICE: Final = {
    "texts/disclosing.toml": b"# Texts that may name an AI before the debrief.\n"
    b'names = ["consent", "instructions", "practice", "before_main", "words"]\n',
    "texts/en/words.toml": b'version = "1.0"\n\n[shared]\n'
    b'advice_says = "The AI says: {answer}"\nask_advice = "What does the AI say?"\n',
    "texts/en/instructions.md": b"---\nversion: 1.0\n---\n# Your task\n\nBelow each item you see a "
    b"few answers. Press the key of the answer that you choose.\n\nAn AI gives you advice. It can "
    b"be wrong.\n",
}
"""Files of a study with an AI's advice, which people are told about."""

PROMPTS: Final = {
    "question": "Question: {question}",
    "text": "Text: {text}",
    "advice": "Answer: {advice}",
}
"""What a prompt for rationales says of an item's cells."""
SIDES: Final = ("left_picture", "right_picture")


def files_from_table(name: str, table: Path) -> dict[str, bytes]:
    """Return the files of a new study by path.

    Parameters
    ----------
    name
        Of the study.
    table
        The table of items; pictures that it names lie in a folder ``pictures`` beside it.

    Raises
    ------
    UserError
        For a mistake in the table: the line, the column, and what to do.
    """
    rows = rows_of(table, ())
    if not rows:
        raise UserError(f"{table}: has no items; write a row for each")
    chosen = "stands_for" in rows[0] or not _is_typed(rows)
    if "answers" not in rows[0] and chosen and len(_same_answers(rows)) < 2:
        raise UserError(
            f"{table}: column missing: answers; write each item's answers from left to right, with "
            "| between, or the right one of the same two to nine answers in a column right"
        )
    design = "\n".join(_design(name, table, rows)) + "\n"
    try:
        protocol = TableStudy.model_validate(parse_toml(design, "study.toml"))
    except ValidationError as fault:
        raise UserError(f"{table}: gives no design: {place_and_reason(fault)}") from None
    items = TableReader(protocol, table.parent).read()
    pictures = {
        source_of(str(row[column])) for row in items for column in PICTURE_COLUMNS if row[column]
    }
    texts = {path: data for path, data in template_files(name, "words").items()
             if path.startswith("texts/")}  # fmt: skip
    return {
        "study.toml": design.encode("utf-8"),
        table.name: read_bytes(table),
        **texts,
        **(OF_ADVICE if protocol.advice is not None else {}),
        **{f"{PICTURES}/{name}": read_bytes(table.parent / PICTURES / name)
           for name in sorted(pictures)},
    }  # fmt: skip


def _design(name: str, table: Path, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of ``study.toml``."""
    main = [row for row in rows if row.get("phase", "") in ("", "main")]
    typed = _is_typed(rows)
    same = [] if typed else _same_answers(rows)
    count = len(same) or len(rows[0].get("answers", "").split(BETWEEN.strip()))
    keys = KEYS.get(count, SCALE_KEYS[:count])
    yield "# docs/study_from_a_table.md explains the keys."
    yield f'study = "{name}"'
    yield f'title = "{name}"  # the report\'s title: what the study asks'
    yield "expected_minutes = 10.0"
    yield f'table = "{table.name}"'
    factors, others = _columns(main)
    if others:
        yield f"other_columns = [{', '.join(map(_quoted, others))}]"
    yield "\n[trial]"
    if same:
        yield f"answers = [{', '.join(map(_quoted, same))}]"
    yield "typed = true" if typed else f"keys = [{', '.join(map(_quoted, keys))}]"
    yield "limit_s = 30.0"
    advised = any(column in rows[0] for column in ADVICE)
    moment = next((factor for factor, levels in factors.items() if {*levels} <= {*MOMENTS}), None)
    if advised:
        when = f'"{moment}"' if moment else '"with_item"         # or "after_answer", or "on_key"'
        yield f"\n[advice]\nwhen = {when}"
    if columns := _prompted(rows):
        prompt = "".join(f"{PROMPTS[column]}\\n" for column in columns)
        yield f'\n[rationale]\nprompt = "{prompt}Because"  # what the language model goes on with'
    yield f'\n[session]\nlists = {max(4, 2 * _versions(main))}\norder = "shuffled"'
    if catch := {row.get("item") or number for number, row in enumerate(rows)
                 if row.get("phase") == "catch"}:  # fmt: skip
        yield f"catch_right = {len(catch)}               # people with fewer right are left out"
    for factor, levels in factors.items():
        yield f"\n[factors.{factor}]\nlevels = [{', '.join(map(_quoted, levels))}]"
        yield 'vary = "within"            # or "between" people'
    meant = next((row["stands_for"] for row in main if row.get("stands_for")), "")
    first = meant.split(BETWEEN.strip())[0].strip()
    if meant:
        yield '\n[[tests]]\nmeasure = "choice"             # more or less often than chance'
        yield f"answer = {_quoted(first)}"
    for factor, levels in factors.items():
        measure = "time" if typed else "choice"
        if any(row.get("right") for row in main):
            measure = "accuracy"
        if advised and any(row.get("right") and row.get("advice") for row in main):
            measure = "over_reliance"
        pair = f"[{_quoted(levels[1])}, {_quoted(levels[0])}]"
        yield f'\n[[tests]]\nmeasure = "{measure}"\nfactor = "{factor}"\nlevels = {pair}'
        if measure == "choice" and meant:
            yield f"answer = {_quoted(first)}"


def _prompted(rows: Sequence[Row]) -> list[str]:
    """Return the columns that a prompt for rationales can name; none if no item has one."""
    asking = [row for row in rows if row.get("advice_text") == f"{RATIONALE}:text"]
    return [column for column in PROMPTS if asking and all(row.get(column) for row in asking)]


def _same_answers(rows: Sequence[Row]) -> list[str]:
    """Return the answers to all items, which are right somewhere; none with a column of them.

    Of two pictures without a right one, people choose the left or the right.
    """
    if "answers" in rows[0]:
        return []
    if {*SIDES} <= {*rows[0]} and not {"right", "advice"} & {*rows[0]}:
        return ["left", "right"]
    return sorted({row[column] for row in rows for column in ("right", "advice")
                   if row.get(column)})  # fmt: skip


def _is_typed(rows: Sequence[Row]) -> bool:
    """Return whether people must type: nothing to choose from is named, or too much."""
    several = any(BETWEEN.strip() in row.get("right", "") for row in rows)
    known = len(_same_answers(rows))
    return "answers" not in rows[0] and (several or not 0 < known <= len(SCALE_KEYS))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _columns(main: Sequence[Row]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the levels of each column that may be a factor, and the other unknown columns."""
    factors: dict[str, list[str]] = {}
    others = []
    for name in main[0] if main else ():
        if name in KNOWN:
            continue
        cells = list(dict.fromkeys(row[name] for row in main))
        plain = name.isidentifier() and "" not in cells
        if plain and 2 <= len(cells) <= MOST_LEVELS:
            factors[name] = cells
        else:
            others.append(name)
    return factors, others


def _versions(main: Sequence[Row]) -> int:
    """Return how many versions an item has at most."""
    items = [row.get("item") or str(number) for number, row in enumerate(main)]
    return max((items.count(item) for item in items), default=1)
