"""Compare methods that weigh the words of texts: their metrics on the same texts of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.io.files import write_whole
from stimuli.io.given_tables import numbered_rows
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.maps.metrics import NAMES, SCORES
from xai_backend.explain.job import check_out
from xai_backend.models.classifier import checked_device
from xai_backend.progress import Reporter
from xai_backend.study import Metrics

TEXT: Final = "text"
_METHOD: Final = Column("method", "text", "What weighs the words.")
SCORED: Final = TableSchema(
    "scores",
    "One row for each text and method.",
    (Column("row", "integer", "The text's row, as a spreadsheet numbers it."), _METHOD, *SCORES),
)
SUMMARY: Final = TableSchema("summary", "Means over all texts.", (_METHOD, *SCORES))


@dataclass(frozen=True, slots=True)
class TextsRequest:
    """What is to be compared.

    Attributes
    ----------
    model, device
        ``hf:DIR`` or ``module:function``, and where a network computes.
    table
        A table with a column ``text``.
    methods
        By name, two at least.
    sample
        So many of the texts are taken, drawn by their rows.
    out
        Folder for the tables.
    """

    model: str
    device: str
    table: Path
    methods: Sequence[str]
    sample: int
    out: Path


def compare_texts(request: TextsRequest, reporter: Reporter) -> dict[str, Metrics]:
    """Write ``scores.csv`` and ``summary.csv``, and return each method's means.

    Raises
    ------
    UserError
        If a method or the model explains no texts, or the table can't be read.
    """
    checked_device(request.device)
    check_out(request.out)
    rows = {str(number): row for number, row in numbered_rows(request.table, [TEXT])}
    if not rows:
        raise UserError(f"{request.table}: has a header and no rows")
    chosen = sorted(keyed_order([*rows], "compare")[: request.sample], key=int)
    texts = [str(rows[number][TEXT]) for number in chosen]
    metrics = next(
        study.word_metrics for study in studies_of("xai_backend").values() if study.word_metrics
    )
    scored: list[Row] = []
    means: dict[str, Metrics] = {}
    with reporter.stage("weights of words", len(request.methods)) as advance:
        for method in request.methods:
            scores = metrics(request.model, request.device, method, texts)
            scored += [
                {"row": int(number), "method": method, **score}
                for number, score in zip(chosen, scores, strict=True)
            ]
            means[method] = {name: fmean(score[name] for score in scores) for name in NAMES}
            advance(1)
    summary = [{"method": method, **mean} for method, mean in means.items()]
    write_whole(request.out / "scores.csv", SCORED.to_csv(scored))
    write_whole(request.out / "summary.csv", SUMMARY.to_csv(summary))
    return means
