"""A domain that a lab's own model answers: its data, what inputs become, and the model tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.io.canonical import seed_of
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.packs.origins import name_in_pack
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.given import GivenEdits
from xai_backend.studies.simulatability.own_model import (
    TRIED,
    Domain,
    OwnModel,
    Reader,
    RowReader,
    answerer,
    names_of_answers,
    source_of_model,
    texts_of,
    tried,
    typical_cells,
)
from xai_backend.studies.simulatability.request import MODELS
from xai_backend.studies.simulatability.table_data import TableData, read_table, split_table
from xai_backend.studies.simulatability.table_store import Coding, table_changes
from xai_backend.studies.simulatability.text_data import read_texts, split_texts
from xai_backend.studies.simulatability.text_words import words_of
from xai_backend.studies.simulatability.trained import (
    Labelled,
    Split,
    TableSpace,
    TextSpace,
    Trained,
    share_right,
)

MODEL: Final = "model"
"""The key of `Trained.source` that names a lab's own model."""
Splits = Mapping[Split, Sequence[Labelled]]


@dataclass(frozen=True, slots=True)
class OwnModelOptions:
    """A lab's own model and its data.

    Attributes
    ----------
    model
        ``hf:DIR`` or ``module:function``.
    data
        The data's file or folder.
    vectors
        Word vectors; None for vectors made from the training split.
    positive
        Names the positive class of two.
    edits
        Changes of inputs; `with_edits` still has to add them to this domain.
    device
        Where a network of Transformers computes.
    """

    model: str
    data: Path
    vectors: Path | None = None
    positive: Sequence[str] = ()
    edits: GivenEdits | None = None
    device: str = "cpu"

    def tested(self, domain: Domain) -> frozenset[str]:
        """Return the ids of inputs whose edits are given."""
        return frozenset() if self.edits is None else self.edits.ids(domain)


def asked_domain(
    name: str, request: OwnModelOptions, protocol: Simulatability, reporter: Reporter
) -> Trained:
    """Return a domain whose model a lab brings: ``text`` or ``tabular``.

    Raises
    ------
    UserError
        If the data, the vectors or the model can't be used.
    """
    asked_for = _asked_texts if name == "text" else _asked_rows
    return asked_for(request, protocol, reporter)


def _asked_texts(request: OwnModelOptions, protocol: Simulatability, reporter: Reporter) -> Trained:
    texts = read_texts(request.data, trains=False)
    splits = split_texts(texts, protocol.seed, request.tested("text"))
    labels = sorted({row.label for row in texts})
    model, source = _tried(request, "text", splits, labels, texts_of)
    space = None
    if request.edits is None or not request.edits.by_model:
        seed = seed_of(protocol.seed, "text", "vectors")
        space = words_of(splits, request.vectors, seed).space()
    return _domain(model, source, splits, space, reporter)


def _asked_rows(request: OwnModelOptions, protocol: Simulatability, reporter: Reporter) -> Trained:
    data = read_table(request.data, trains=False)
    tested = request.tested("tabular")
    splits = split_table(data, protocol.models.resample, protocol.seed, tested)
    model, source = _tried(request, "tabular", splits, data.classes, RowReader(_cells(data)))
    coding = Coding(data.levels)
    space = table_changes(coding, coding.codes([row.instance for row in splits["train"]]))
    return _domain(model, source, splits, space, reporter)


def _cells(data: TableData) -> dict[str, dict[str, str | int | float]]:
    return {
        name: typical_cells(
            data.levels[name], [row.instance.parts[place] for row in data.rows], data.cells[name]
        )
        for place, name in enumerate(data.columns)
    }


def _tried(
    request: OwnModelOptions, domain: Domain, splits: Splits, labels: Sequence[str], reader: Reader
) -> tuple[OwnModel, dict[str, str]]:
    """Return a model after testing its answers, and facts about it."""
    where = f"{MODELS[domain]} {request.model}"
    source = source_of_model(request.model, domain, request.device)
    inputs = [row.instance for rows in splits.values() for row in rows][:TRIED]
    probabilities = tried(answerer(request.model, domain, request.device), reader(inputs), where)
    answers = names_of_answers(source, labels, probabilities.shape[1], where)
    classes = [*labels, *(name for name in answers if name not in labels)]
    if len(classes) == 2:
        classes.sort(key=lambda name: name in request.positive)
    columns = tuple(answers.index(name) for name in classes)
    model = OwnModel(request.model, domain, tuple(classes), columns, reader, request.device)
    return model, {MODEL: name_in_pack(request.model), "sha256": source.sha256}


def _domain(
    model: OwnModel,
    source: Mapping[str, str],
    splits: Splits,
    space: TextSpace | TableSpace | None,
    reporter: Reporter,
) -> Trained:
    right = share_right(model, splits["test"])
    if right * len(model.classes) < 1:
        reporter.say(
            f"caution: {MODELS[model.domain]} {model.name} is right on {100 * right:.0f} % of the "
            "test split, less than by chance. Check that its answers are named in their order "
            "(docs/simulatability_own.md)"
        )
    return Trained(
        domain=model.domain,
        model=model,
        prototypes=None,
        splits=splits,
        space=space,
        accuracy=(right, None),
        source=source,
    )
