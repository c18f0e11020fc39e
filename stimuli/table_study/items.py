"""Read a table of items; each mistake in it is one line with its place."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from stimuli.errors import UserError
from stimuli.images.pictures import read_rgb
from stimuli.io.given_tables import numbered_rows
from stimuli.io.inside import stays_inside
from stimuli.io.tables import Row
from stimuli.table_study.protocol import OF_ADVICE, PlannedTest, TableStudy
from stimuli.table_study.tables import (
    ADVICE,
    BETWEEN,
    COLUMNS,
    CONTENT,
    PHASES,
    PICTURE_COLUMNS,
    answers_of,
    meanings_of,
    parts_of,
)

PICTURES: Final = "pictures"
MAPS: Final = "maps"
"""Folder of a pack that has maps, in a folder for each method."""
METHOD: Final = re.compile(r"[a-z][a-z0-9_]*")
KNOWN: Final = tuple(column.name for column in COLUMNS)
TEXTS: Final = re.compile(r"([a-z][a-z0-9_]*):text")
"""An explanation in words that a method makes of the item's text."""
RATIONALE: Final = "rationale"
"""The method that asks a language model; the others mark the words that counted for a model."""
Cells = Mapping[str, str]


def source_of(path: str) -> str:
    """Return the picture in the study's folder that a pack's path shows, or is a map of."""
    top, _, name = path.partition("/")
    return name if top == PICTURES else name.partition("/")[2]


def method_of_text(row: Row) -> str:
    """Return the method that makes an item's explanation in words; empty if none does."""
    named = TEXTS.fullmatch(str(row["advice_text"] or "").strip())
    return named[1] if named else ""


def asked_of(protocol: TableStudy, row: Row) -> str:
    """Return what a model reads for an item's explanation in words."""
    if protocol.rationale is not None and method_of_text(row) == RATIONALE:
        return protocol.rationale.asked(row)
    return str(row["text"])


@dataclass(frozen=True, slots=True)
class TableReader:
    """Reads a study's table.

    Attributes
    ----------
    protocol
        What ``study.toml`` says.
    folder
        The study's folder, which has the table and ``pictures``.
    """

    protocol: TableStudy
    folder: Path

    @property
    def table(self) -> Path:
        """The file."""
        if not stays_inside(self.protocol.table):
            raise UserError(
                f"{self.folder}: table: {self.protocol.table!r} leads out of the folder"
            )
        return self.folder / self.protocol.table

    def read(self) -> list[Row]:
        """Return the rows of a pack's ``items.csv``.

        Raises
        ------
        UserError
            For the first mistake: the file, the row, the column, and what to do.
        """
        numbered = numbered_rows(self.table, ())
        if not numbered:
            raise UserError(f"{self.table}: has no items; write a row for each")
        self._check_columns(list(numbered[0][1]))
        rows = [
            (number, self._row(nth, cells)) for nth, (number, cells) in enumerate(numbered, start=1)
        ]
        for number, row in rows:
            self._check_row(number, row)
        made = self._with_versions(rows)
        self._check_whole(made)
        return made

    def _fail(self, number: int, column: str, reason: str) -> NoReturn:
        """Refuse a cell by the number of its row, as a spreadsheet shows it."""
        raise UserError(f"{self.table}, row {number}, column {column}: {reason}")

    def _fail_as_a_whole(self, reason: str) -> NoReturn:
        raise UserError(f"{self.table}: {reason}")

    def _check_columns(self, names: Sequence[str]) -> None:
        protocol = self.protocol
        known = [*KNOWN, *protocol.factors, *protocol.other_columns]
        for name in names:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                what = (
                    f"did you mean {near[0]}?"
                    if near
                    else "name it under [factors] or in other_columns of study.toml"
                )
                self._fail_as_a_whole(f"column {name or '(without a name)'} is unknown; {what}")
        for name in protocol.factors:
            if name in KNOWN:
                self._fail_as_a_whole(f"factor {name}: the table's own column has this name")
            if name not in names:
                self._fail_as_a_whole(f"column {name} is missing; study.toml names it as a factor")
        if "answers" in names and protocol.trial.same_answers:
            self._fail_as_a_whole("column answers: study.toml has answers for all items; drop one")
        for name in {"answers", "stands_for"} & {*names} if protocol.trial.typed else ():
            self._fail_as_a_whole(f"column {name}: study.toml says that answers are typed; drop it")
        if not ({"answers"} & {*names} or protocol.trial.same_answers or protocol.trial.typed):
            self._fail_as_a_whole(
                "column answers is missing, and study.toml has none under [trial]"
            )
        if not {*names} & {*CONTENT, "question"}:
            self._fail_as_a_whole(f"has nothing to show; it needs a column {', '.join(CONTENT)}")
        if protocol.advice is None and (
            advice_columns := [name for name in ADVICE if name in names]
        ):
            self._fail_as_a_whole(f"column {advice_columns[0]}: study.toml has no [advice]")
        if protocol.advice is not None and not {*names} & {*ADVICE}:
            self._fail_as_a_whole(f"[advice] of study.toml needs a column {', '.join(ADVICE)}")

    def _row(self, number: int, cells: Cells) -> Row:
        """Return a row with every column; empty cells are None."""
        names = [*KNOWN, *self.protocol.factors]
        row: Row = {name: cells.get(name) or None for name in names}
        row["item"] = cells.get("item") or f"item{number:02d}"
        row["phase"] = cells.get("phase") or "main"
        same = self.protocol.trial.same_answers
        row["answers"] = BETWEEN.join(same or parts_of(cells.get("answers"))) or None
        several = ("stands_for", "right") if self.protocol.trial.typed else ("stands_for",)
        for name in several:
            row[name] = BETWEEN.join(parts_of(row[name])) or None
        return row

    def _check_row(self, number: int, row: Row) -> None:
        fail = partial(self._fail, number)
        if row["phase"] not in PHASES:
            fail("phase", f"{row['phase']!r} is not {', '.join(PHASES)}")
        if not any(row[name] for name in (*CONTENT, "question")):
            fail(CONTENT[0], f"is empty, and so are {', '.join(CONTENT[1:])}; one is needed")
        self._check_explanation(row, fail)
        self._check_answers(row, fail)
        for name, factor in self.protocol.factors.items():
            level = row[name]
            if level is not None and level not in factor.levels:
                near = get_close_matches(str(level), factor.levels, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                fail(name, f"{level!r} is no level of the factor: {', '.join(factor.levels)}{hint}")
            if level is None and row["phase"] == "main":
                fail(name, f"is empty; a main item needs a level: {', '.join(factor.levels)}")
        for name in PICTURE_COLUMNS:
            if row[name]:
                row[name] = self._picture(str(row[name]), name, fail)

    def _check_explanation(self, row: Row, fail: Callable[[str, str], NoReturn]) -> None:
        method, rules = method_of_text(row), self.protocol.rationale
        if method == RATIONALE and rules is None:
            fail("advice_text", f"{row['advice_text']}: study.toml has no prompt under [rationale]")
        if method == RATIONALE and rules is not None:
            for name in rules.columns:
                if not row[name]:
                    fail(name, f"is empty; the prompt under [rationale] has {{{name}}}")
        elif method and not row["text"]:
            fail("advice_text", f"{row['advice_text']}: the item has no text to mark words in")

    def _check_answers(self, row: Row, fail: Callable[[str, str], NoReturn]) -> None:
        answers, keys = answers_of(row), self.protocol.trial.answer_keys
        if len(answers) != len(keys) or not all(answers):
            fail("answers", f"{len(keys)} answers are needed, one a key, with | between them; here "
                 f"are {len([answer for answer in answers if answer])}")  # fmt: skip
        if twice := [answer for answer, n in Counter(answers).items() if n > 1]:
            fail("answers", f"{twice[0]!r} stands there twice")
        for name in () if self.protocol.trial.typed else ("right", "advice"):
            if row[name] is not None and row[name] not in answers:
                near = get_close_matches(str(row[name]), answers, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                fail(name, f"{row[name]!r} is not one of the answers {', '.join(answers)}{hint}")
        if row["stands_for"] and len(meanings_of(row)) != len(answers):
            fail("stands_for", f"{len(answers)} parts are needed, one an answer, with | between")
        if row["phase"] == "catch" and row["right"] is None:
            fail("right", "is empty; a catch item needs its right answer")

    def _picture(self, name: str, column: str, fail: Callable[[str, str], NoReturn]) -> str:
        """Return the path of a picture in the pack; refuse one that can't be shown.

        ``METHOD:FILE`` is the map of a method on a picture, which the builder makes.
        """
        method, _, name = name.rpartition(":")
        name = name.removeprefix(f"{PICTURES}/")
        if method and not METHOD.fullmatch(method):
            fail(column, f"{method!r} is no name of a method; write METHOD:FILE")
        path = self.folder / PICTURES / name
        if not stays_inside(name):
            fail(column, f"{name!r} leads out of the folder {PICTURES}")
        if not path.is_file():
            near = get_close_matches(name, [file.name for file in path.parent.glob("*")], n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            fail(column, f"{PICTURES}/{name} is missing{hint}")
        try:
            read_rgb(path)
        except (OSError, ValueError, SyntaxError) as fault:
            fail(column, f"{PICTURES}/{name} is no picture that can be read ({fault})")
        return f"{MAPS}/{method}/{name}" if method else f"{PICTURES}/{name}"

    def _levels(self, row: Row) -> tuple[str, ...]:
        return tuple(str(row[name] or "") for name in self.protocol.factors)

    def _with_versions(self, rows: Sequence[tuple[int, Row]]) -> list[Row]:
        """Return rows with their presentations; refuse two rows that are the same version."""
        counts, seen = Counter(row["item"] for _, row in rows), Counter[str]()
        first: dict[tuple[str, tuple[str, ...]], int] = {}
        made = []
        for number, row in rows:
            item = str(row["item"])
            key = (item, self._levels(row))
            if key in first:
                self._fail(number, "item", f"{item} stands in row {first[key]} with the same "
                           "levels; versions of an item differ in a factor")  # fmt: skip
            first[key] = number
            seen[item] += 1
            alone = counts[item] == 1
            made.append({"presentation": item if alone else f"{item}.{seen[item]}", **row})
        return made

    def _check_whole(self, rows: Sequence[Row]) -> None:
        protocol = self.protocol
        main = [row for row in rows if row["phase"] == "main"]
        if not main:
            self._fail_as_a_whole("has no main items; the column phase says practice or catch")
        for name, factor in protocol.factors.items():
            if unused := [
                level for level in factor.levels if level not in {row[name] for row in main}
            ]:
                self._fail_as_a_whole(f"column {name}: no main item has the level {unused[0]}")
        for name in protocol.of("between"):
            self._check_arms(name, main)
        catch = {row["item"] for row in rows if row["phase"] == "catch"}
        if protocol.session.catch_right > len(catch):
            self._fail_as_a_whole(
                f"has {len(catch)} catch items; session.catch_right wants "
                f"{protocol.session.catch_right} right"
            )
        for number, test in enumerate(protocol.tests, start=1):
            for reason in self._lacking(test, main):
                self._fail_as_a_whole(f"test {number} of study.toml, {test.measure}: {reason}")

    def _check_arms(self, factor: str, main: Sequence[Row]) -> None:
        """Refuse an item that only some people see, if others are seen by all."""
        levels: dict[str, set[str]] = {}
        for row in main:
            levels.setdefault(str(row["item"]), set()).add(str(row[factor]))
        wanted = self.protocol.factors[factor].levels
        whole = [item for item, its_levels in levels.items() if len(its_levels) == len(wanted)]
        for item, its_levels in levels.items():
            if whole and len(its_levels) < len(wanted):
                lacks = next(level for level in wanted if level not in its_levels)
                self._fail_as_a_whole(
                    f"column {factor}: {item} has no line with {lacks}, and {whole[0]} has one for "
                    "each level; write it, since people see the lines of one level alone"
                )

    def _lacking(self, test: PlannedTest, main: Sequence[Row]) -> Iterator[str]:
        """Yield what the main items lack for a test."""
        needed = ("right",) if test.measure == "accuracy" else ()
        if test.measure in OF_ADVICE:
            of_right = test.measure.endswith("reliance")
            needed = ("right", "advice") if of_right else ("advice",)
        for column in needed:
            if all(row[column] is None for row in main):
                yield f"the column {column} is empty or missing"
        known = {value for row in main for value in (*answers_of(row), *meanings_of(row))}
        if test.answer and test.answer not in known:
            yield f"no answer is or stands for {test.answer!r}; known: {', '.join(sorted(known))}"
