"""A case in words: its classes, columns and values in the session's language, and its numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from experiments.studies.simulatability.pieces import Phrase, words
from participants.texts import Words
from participants.texts.load import writing_of
from stimuli.studies.simulatability.stimulus import CaseStimulus, Condition, TableInput, Weighted

MINUS: Final = "\N{MINUS SIGN}"
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
DECIMALS: Final = 2
NUMBER: Final = r"[-+]?\d+(?:\.\d+)?"
ORDINAL: Final = re.compile(r"\((\d+)(st|nd|rd|th)\)$")
"""Number of a repeated word, as in ``if (2nd)``."""
SHORT: Final = 20
"""Length up to which a class's name stays on one line, in characters."""


@dataclass(frozen=True)
class WordedCase:
    """A case and the words around it.

    Attributes
    ----------
    stimulus
        The case.
    words
        The short words of the screens, in the session's language.
    most_evidence
        Evidence of the longest bar in all cases; 0 for the case's own largest.
    plain
        Whether it is plain text, as in the published sheets.
    """

    stimulus: CaseStimulus
    words: Words
    most_evidence: float = 0.0
    plain: bool = False

    @cached_property
    def _terms(self) -> dict[str, str]:
        return dict(self.stimulus.words)

    def term(self, name: str) -> str:
        """Return the name of a column or a value."""
        return self._terms.get(name, name)

    def value(self, column: str, value: str) -> str:
        """Return the name of a column's value; a bin is named by its ends, without the column."""
        if value in self._terms:
            return self._terms[value]
        name = re.escape(column)
        between = re.fullmatch(rf"({NUMBER}) < {name} (?:≤|<=) ({NUMBER})", value)
        if between is not None:
            low, high = map(self._edge, between.groups())
            return self.words.filled("bin_between", low=low, high=high)
        ends = {"bin_up_to": rf"{name} (?:≤|<=) ({NUMBER})", "bin_over": rf"{name} > ({NUMBER})"}
        for word, pattern in ends.items():
            if (end := re.fullmatch(pattern, value)) is not None:
                return self.words.filled(word, edge=self._edge(end[1]))
        return value

    def written(self, column: str, value: str) -> str:
        """Return a column's value as in the data: a bin contains the column's name."""
        if value in self._terms or column not in value:
            return self.term(value)
        name = self.term(column).partition(" (")[0]
        text = re.sub(NUMBER, lambda number: self._decimal(number[0]), value)
        return text.replace(column, name)

    def _edge(self, number: str) -> str:
        trimmed = number.rstrip("0").rstrip(".") if "." in number else number
        return self._decimal(trimmed)

    def _decimal(self, number: str) -> str:
        return number.replace(".", writing_of(self.words.language).decimal)

    def class_name(self, class_id: str) -> str:
        """Return the name of a class; a short name stays on one line."""
        name = dict(self.stimulus.classes).get(class_id, class_id)
        return name.replace(" ", NO_BREAK_SPACE) if len(name) <= SHORT else name

    def named(self, term: Weighted | Condition) -> str:
        """Return the name, in a list, of a term with a weight or of a condition.

        A table's value comes with its column.
        """
        original = self.stimulus.original
        if not isinstance(original, TableInput):
            return self.word(term)
        if len(term.places) != 1:
            return self.term(term.name)
        column, value = (parts[term.places[0]] for parts in (original.columns, original.values))
        if value not in term.name:
            return self.term(term.name)
        return f"{self.term(column)}: {self.value(column, value)}"

    def word(self, term: Weighted | Condition) -> str:
        """Return a word of a sentence; of equal words with its number, as the language has it."""

        def again(number: re.Match[str]) -> str:
            numbered = writing_of(self.words.language).numbered
            written = numbered.format(number=number[1], suffix=number[2])
            return self.words.filled("equal_word", number=written)

        return ORDINAL.sub(again, self.term(term.name))

    def number(self, value: float, *, signed: bool = True) -> str:
        """Return a number with two decimals, as the language writes it."""
        text = f"{abs(value):.{DECIMALS}f}"
        if not text.strip("0."):
            sign = ""
        elif value < 0:
            sign = MINUS
        else:
            sign = "+" if signed else ""
        return sign + self._decimal(text)

    def percent(self, share: float) -> str:
        """Return a share in percent, without decimals."""
        return f"{100 * share:.0f}"

    def with_word(self, word: str, value: str) -> Sequence[Phrase]:
        """Return a short text whose ``{word}``, usually a class, is emphasized."""
        before, _, behind = self.words[word].partition("{word}")
        emphasized = [Phrase(part, "bold", "strong") for part in value.split(" ")]
        if behind and not behind.startswith(" "):
            # A full stop stays with its word.
            mark, _, behind = behind.partition(" ")
            emphasized[-1] = Phrase(emphasized[-1].text + mark, "bold", "strong")
        return [*words(before), *emphasized, *words(behind)]
