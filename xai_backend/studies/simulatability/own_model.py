"""A lab's own model by its name: what it says of inputs, and whether it can be asked at all.

A name stands for the model, so that each worker loads it by itself. Only the command line gives
names: nothing of a protocol or a pack is ever run. A model is asked sentences as texts, and rows as
a table of pandas.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import numpy as np

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.studies.simulatability.stimulus import TextInput
from xai_backend.models.classifier import FOLDER_FILE, SETTINGS_SUFFIX, settings_beside
from xai_backend.own_code import FAILURES, code_sha256, fault_line, own_function, source_of
from xai_backend.studies.simulatability.request import MODELS
from xai_backend.studies.simulatability.trained import AnyInput, Reals, margins_of

if TYPE_CHECKING:
    import pandas as pd

    from xai_backend.studies.simulatability.own_decoders import AnswerReader
    from xai_backend.studies.simulatability.own_transformers import SentenceClassifier


Cell = str | int | float


def texts_of(inputs: Sequence[AnyInput]) -> list[str]:
    """Return sentences as they are written."""
    return [instance.text for instance in inputs if isinstance(instance, TextInput)]


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes a table from rows, with cells as in the file.

    Attributes
    ----------
    cells
        By column: the cell that a model is given for each value that people see.
    """

    cells: Mapping[str, Mapping[str, Cell]]

    def __call__(self, inputs: Sequence[AnyInput]) -> "pd.DataFrame":
        """Return a table with a row for each input; columns are numeric or text."""
        import pandas as pd  # it takes a second

        values = zip(*(instance.parts for instance in inputs), strict=True)
        pairs = zip(self.cells.items(), values, strict=True)
        return pd.DataFrame(
            {
                name: [cell_of[value] for value in column_values]
                for (name, cell_of), column_values in pairs
            }
        )


def typical_cells(
    levels: Sequence[str], values: Sequence[str], raw: Sequence[str]
) -> dict[str, Cell]:
    """Return the cell that stands for each value that people see of a column.

    For numbers it is the lower median of those shown as this value, for texts the most frequent
    one.

    Parameters
    ----------
    levels
        The values that people see.
    values, raw
        The value that each row shows, and the text in its cell.
    """
    cells = _as_numbers(raw)
    every: dict[str, list[Cell]] = {}
    for value, cell in zip(values, cells, strict=True):
        every.setdefault(value, []).append(cell)
    # For a level that no row has, the whole column's typical cell is close enough.
    return {level: _typical(every.get(level, list(cells))) for level in levels}


def _typical(cells: Sequence[Cell]) -> Cell:
    if isinstance(cells[0], str):
        counts = Counter(cells)
        return min(counts, key=lambda cell: (-counts[cell], str(cell)))
    return np.percentile(np.array(cells), 50, method="inverted_cdf").item()


def _as_numbers(raw: Sequence[str]) -> Sequence[Cell]:
    """Return integers or floats if all cells are numbers; else the texts."""
    try:
        real = [float(cell) for cell in raw]
    except ValueError:
        return raw
    if not np.isfinite(real).all():
        return raw
    whole = all(cell.lstrip("+-").isdecimal() for cell in raw)
    return [int(cell) for cell in raw] if whole else real


Domain = Literal["text", "tabular"]
FOLDER: Final = "hf:"
AT_ONCE: Final = 1024
"""Most inputs that a model is given in one call."""
LEAST: Final = 1e-12
"""Smallest probability whose logarithm is taken: tree models return 0 and 1."""
DECIMALS: Final = 6
"""Decimals that don't depend on which inputs are in the same call, even in float32."""
TRIED: Final = 10
"""Number of inputs on which a model is tried before long work."""
TOLERANCE: Final = 1e-4
"""Tolerance for the sum of probabilities, which should be 1, and for differences between single and
joint calls."""

Answerer = Callable[[Any], Any]
"""Takes texts, or a table of rows, and returns probabilities, (n, classes)."""


class Reader(Protocol):
    """Turns inputs into the form that a model takes."""

    def __call__(self, inputs: Sequence[AnyInput]) -> Any:
        """Return texts, or a table."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is known about a model before it is asked.

    Attributes
    ----------
    sha256
        Hash of what is known to determine its answers: a folder's files, or the file that defines a
        function.
    labels
        Names of its answers, in order; empty if they aren't known.
    settings
        The file that can name the answers.
    """

    sha256: str
    labels: tuple[str, ...]
    settings: Path


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A lab's own `TaskModel` or `ManyClasses`.

    Attributes
    ----------
    name, domain
        Its name on the command line, and its domain.
    classes
        Of two, the negative one first.
    columns
        Index of each class among the model's answers.
    reader
        Turns inputs into the form that the model takes.
    device
        Where a network of Transformers computes.
    """

    name: str
    domain: Domain
    classes: tuple[str, ...]
    columns: tuple[int, ...]
    reader: Reader
    device: str = "cpu"

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return log probabilities, shape (n, classes).

        Raises
        ------
        UserError
            If the model fails, or returns another kind of answer than when it was tried.
        """
        if not inputs:
            return np.zeros((0, len(self.classes)))
        parts = (inputs[start : start + AT_ONCE] for start in range(0, len(inputs), AT_ONCE))
        chances = np.concatenate([self._chances(part) for part in parts])
        return np.round(np.log(np.maximum(chances, LEAST)), DECIMALS) + 0.0

    def _chances(self, inputs: Sequence[AnyInput]) -> Reals:
        where = f"{MODELS[self.domain]} {self.name}"
        model = answerer(self.name, self.domain, self.device)
        chances = _numbers(model, self.reader(inputs), where)
        if chances.shape != (len(inputs), len(self.columns)) or not np.isfinite(chances).all():
            raise UserError(
                f"{where}: gives the shape {chances.shape}, or numbers that aren't finite, for "
                f"{len(inputs)} inputs such as {' '.join(inputs[0].parts)}"
            )
        return chances[:, self.columns]

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return log odds of the positive class of two, shape (n,)."""
        return margins_of(self.scores(inputs))

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return log probabilities, (n, classes), in place of features, which aren't known."""
        return self.scores(inputs)


@cache
def answerer(name: str, domain: Domain, device: str) -> Answerer:
    """Return the function that gives a model's answers, loaded once in each process.

    Raises
    ------
    UserError
        If there is no such model.
    """
    if name.startswith(FOLDER):
        return sentence_classifier(name, device)
    return own_function(name, MODELS[domain])


@cache
def sentence_classifier(name: str, device: str) -> "SentenceClassifier | AnswerReader":
    """Return the network of a folder, loaded once in each process; UserError if there is none."""
    from xai_backend.studies.simulatability.own_decoders import load_decoder
    from xai_backend.studies.simulatability.own_transformers import load_classifier

    settings = settings_beside(Path(name.removeprefix(FOLDER)).expanduser())
    if settings is not None and settings.prompt:
        return load_decoder(name, MODELS["text"], device, settings)
    return load_classifier(name, MODELS["text"], device)


def source_of_model(name: str, domain: Domain, device: str) -> Source:
    """Return what is known about a model; it is loaded, but not asked.

    Raises
    ------
    UserError
        If there is no such model, or its file of settings can't be read.
    """
    if name.startswith(FOLDER):
        classifier = sentence_classifier(name, device)
        place = Path(name.removeprefix(FOLDER)).expanduser()
        file, labels, sha256 = place / FOLDER_FILE, classifier.labels, classifier.sha256
    else:
        answer = answerer(name, domain, device)
        place, labels = source_of(answer), ()
        file = place.with_suffix(SETTINGS_SUFFIX) if place.name else place
        sha256 = hash_of({"code": code_sha256(answer), "function": name})
    settings = settings_beside(place) if place.name else None
    named = labels if settings is None or not settings.classes else settings.classes
    return Source(sha256, named, file)


def names_of_answers(
    source: Source, data: Sequence[str], count: int, where: str
) -> tuple[str, ...]:
    """Return the class of each of a model's answers, spelled as in the data.

    Parameters
    ----------
    source
        Has the answers' names. Without names, the answers are in the data's order.
    data
        The classes of the data, in the usual order of answers.
    count
        Number of answers to each input.
    where
        The model's name in messages.

    Raises
    ------
    UserError
        If answers and classes don't fit.
    """
    labels = source.labels or tuple(data)
    how = f"name its answers in their order in {source.settings}: classes = [...]"
    if len(labels) != count:
        names = "its answers are called" if source.labels else "the data have"
        raise UserError(f"{where}: gives {count} numbers a row; {names} {', '.join(labels)}; {how}")
    as_written = {name.casefold(): name for name in data}
    spelled = tuple(as_written.get(name.casefold(), name) for name in labels)
    unknown = [name for name in data if name not in spelled]
    if unknown:
        raise UserError(
            f"{where}: its answers are {', '.join(labels)}, but a label of the data is "
            f"{unknown[0]}; {how}"
        )
    return spelled


def tried(answer: Answerer, inputs: Any, where: str) -> Reals:
    """Return a model's answers to a few inputs, after asking in several ways.

    Parameters
    ----------
    answer
        The model.
    inputs
        Texts, or a table.
    where
        The model's name in messages.

    Returns
    -------
    Reals
        Probabilities, shape (n, answers).

    Raises
    ------
    UserError
        If it fails, returns anything but probabilities, or returns others when it is asked again or
        about one input at a time.
    """
    count = len(inputs)
    probabilities = _numbers(answer, inputs, where)
    if probabilities.ndim != 2 or len(probabilities) != count or probabilities.shape[1] < 2:
        raise UserError(
            f"{where}: gives the shape {probabilities.shape} for {count} inputs; it must give "
            f"probabilities of shape ({count}, classes)"
        )
    if not np.isfinite(probabilities).all():
        raise UserError(f"{where}: gives numbers that aren't finite")
    if probabilities.min() < 0 or np.abs(probabilities.sum(axis=1) - 1).max() > TOLERANCE:
        raise UserError(
            f"{where}: gives {_row(probabilities)}; it must give probabilities that sum to 1, "
            "such as softmax makes of logits"
        )
    if not np.array_equal(_numbers(answer, inputs, where), probabilities):
        raise UserError(
            f"{where}: gives other numbers when it is asked again; switch off dropout (eval()) and "
            "seed what it draws"
        )
    single = np.concatenate([_numbers(answer, alone, where) for alone in _one_by_one(inputs)])
    if single.shape != probabilities.shape or np.abs(single - probabilities).max() > TOLERANCE:
        raise UserError(
            f"{where}: gives other numbers for a single input than for {count} together; its "
            "answer to an input must not depend on the others"
        )
    return probabilities


def _one_by_one(inputs: Any) -> Iterator[Any]:
    rows = inputs if isinstance(inputs, list) else inputs.iloc
    return (rows[place : place + 1] for place in range(len(inputs)))


def _numbers(answer: Answerer, inputs: Any, where: str) -> Reals:
    try:
        return np.asarray(answer(inputs), float)
    except FAILURES as fault:
        raise UserError(f"{where}: fails on {len(inputs)} inputs ({fault_line(fault)})") from None


def _row(probabilities: Reals) -> str:
    return ", ".join(f"{number:.3g}" for number in probabilities[0])
